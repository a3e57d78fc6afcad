/*
 * check_watch.c - see check_watch.h.
 *
 * Memory is foreseen from what the process has now and from what the parts
 * that are to come take for an event; what is foreseen wrongly is noticed by
 * looking at the process while it works.
 */
#include "cmd/check_watch.h"

#include "base/bug.h"
#include "base/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double fw_check_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- memory ------------------------------------------------------------------------------ */

#define MARGIN       12u        /* this part of the memory is for what comes between two looks, */
#define MARGIN_BYTES (8u << 20) /* and so much for what workers take until they have ended */

/* For suspects, witnesses and what predictors gather: measured, they need some in any case. */
#define FINDINGS_BYTES   (6u << 20)
#define FINDINGS_PERCENT 30u

/* Bytes at which predicting must end. */
static uint64_t brim(uint64_t limit)
{
    uint64_t margin = limit / MARGIN + MARGIN_BYTES;

    return limit > margin ? limit - margin : 0;
}

/* Bytes for the process, the trace and whatever grows with its length. */
static uint64_t room(uint64_t limit)
{
    uint64_t findings = FINDINGS_BYTES + limit / 100 * FINDINGS_PERCENT;

    return brim(limit) > findings ? brim(limit) - findings : 0;
}

/* Bytes of this process that are in memory now. */
static uint64_t resident(void)
{
    unsigned long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file && fscanf(file, "%lu %lu", &total, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool fw_check_is_full(const struct fw_check_job *job, const struct fw_trace_builder *builder)
{
    uint64_t now = resident();
    uint32_t variables = fw_symbols_count(job->setup.symbols, FW_SPACE_VARIABLE);

    if (!builder)
        return now > job->limits.bytes;
    now += fw_forecast_bytes(fw_reader_status(job->reader)->events, variables, 1);
    return now > room(job->limits.bytes);
}

uint32_t fw_check_jobs(const struct fw_check_job *job)
{
    uint32_t jobs = (uint32_t)job->limits.jobs, variables;
    uint64_t now;

    if (!job->limits.bytes)
        return jobs;
    now = resident();
    variables = fw_symbols_count(job->trace->symbols, FW_SPACE_VARIABLE);
    while (jobs > 1 &&
           now + fw_forecast_bytes(job->trace->count, variables, jobs) > room(job->limits.bytes))
        jobs--;
    return jobs;
}

/* --- waiting ----------------------------------------------------------------------------- */

#define GRACE      0.3   /* seconds to end by itself once a limit is reached */
#define LOOK       0.1   /* at the time and the progress ... */
#define LOOK_OFTEN 0.001 /* ... and at the memory, if that is limited */

struct watch {
    struct fw_check_job *job;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done; /* guarded by lock */
};

static void *work(void *arg)
{
    struct watch *watch = arg;

    fw_forecast_run(watch->job->forecast);
    pthread_mutex_lock(&watch->lock);
    watch->done = true;
    pthread_cond_signal(&watch->ended);
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/* Waits until it is done or so many seconds are over. */
static bool wait_for(struct watch *watch, double seconds)
{
    double until = fw_check_now() + (seconds > 0 ? seconds : 0);
    struct timespec time = { (time_t)until, (long)((until - (double)(time_t)until) * 1e9) };
    bool done;

    pthread_mutex_lock(&watch->lock);
    while (!watch->done && pthread_cond_timedwait(&watch->ended, &watch->lock, &time) != ETIMEDOUT)
        ;
    done = watch->done;
    pthread_mutex_unlock(&watch->lock);
    return done;
}

#define EVENT_SECONDS 10e-9 /* for each event of the trace, to find the findings' places in it */
#define STEP_SECONDS  20e-9 /* to write a step of a witness */

/* What is left for predicting: not what the report will take, but for half of the time. */
static double time_left(const struct fw_check_job *job)
{
    const struct fw_check_limits *limits = &job->limits;
    double report = EVENT_SECONDS * job->trace->count;

    if (limits->all_steps)
        report += STEP_SECONDS * (double)fw_forecast_steps(job->forecast);
    if (report > limits->seconds / 2)
        report = limits->seconds / 2;
    return limits->start + limits->seconds - report - fw_check_now();
}

static const char *limit_reached(const struct fw_check_job *job)
{
    const struct fw_check_limits *limits = &job->limits;

    if (fw_check_is_stopped(job) || (limits->seconds > 0 && time_left(job) <= 0))
        return "the time";
    if (limits->bytes && resident() > brim(limits->bytes))
        return "the memory limit";
    return NULL;
}

static double next_look(const struct fw_check_job *job)
{
    double wait = job->limits.bytes ? LOOK_OFTEN : LOOK;
    double left = job->limits.seconds > 0 ? time_left(job) : wait;

    return left < wait ? left : wait;
}

static void show(struct fw_progress *progress, struct fw_forecast *forecast)
{
    char text[128];

    if (!progress->wanted)
        return;
    fw_forecast_progress(forecast, text, sizeof text);
    fw_progress_line(progress, fw_check_now(), text);
}

/* True: it ended by itself. */
static bool watch_over(struct watch *watch)
{
    struct fw_check_job *job = watch->job;
    struct fw_progress progress;
    const char *limit = NULL;
    bool done = false;

    fw_progress_init(&progress, STDERR_FILENO, 0, fw_check_now());
    while (!limit && !(done = wait_for(watch, next_look(job)))) {
        limit = limit_reached(job);
        if (job->limits.seconds > 0 && fw_forecast_share(job->forecast, time_left(job)))
            job->limit = "the time";
        show(&progress, job->forecast);
    }
    if (!done) {
        job->limit = limit;
        fw_forecast_stop(job->forecast);
        done = wait_for(watch, GRACE);
    }
    fw_progress_clear(&progress);
    return done;
}

void fw_check_watch(struct fw_check_job *job)
{
    struct watch *watch = fw_xcalloc(1, sizeof *watch); /* the thread may outlive this call */
    pthread_condattr_t attr;
    pthread_t thread;

    watch->job = job;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->ended, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&thread, NULL, work, watch) != 0) {
        work(watch); /* then without limits */
        free(watch);
        return;
    }
    job->abandoned = !watch_over(watch);
    if (job->abandoned) {
        pthread_detach(thread);
        return;
    }
    pthread_join(thread, NULL);
    pthread_cond_destroy(&watch->ended);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
