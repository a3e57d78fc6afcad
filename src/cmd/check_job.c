/* check_job.c - see check_job.h. */
#include "cmd/check_job.h"

#include "base/progress.h"
#include "cmd/check_watch.h"
#include "cmd/cmd.h"
#include "symbol/unhooked.h"
#include "trace/fwt.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a regular file; 0 for pipes and the like. */
static uint64_t size_of(const char *path)
{
    struct stat st;
    int got = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);

    return got == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* Processors that this process may use. */
static size_t processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

bool fw_check_predicts(const struct fw_check_job *job)
{
    for (size_t i = 0; i < job->selection->len; i++)
        if (job->selection->at[i]->predictor)
            return true;
    return false;
}

/* --- reading ----------------------------------------------------------------------------- */

#define READING_SHARE 0.4 /* of the time, if predicting comes after it */

/* Is what was read all that the limits allow?  Then says so in job->cut. */
static bool is_enough(struct fw_check_job *job, const struct fw_trace_builder *builder)
{
    const struct fw_check_limits *limits = &job->limits;
    uint64_t events = fw_reader_status(job->reader)->events;
    double seconds = limits->seconds * (builder ? READING_SHARE : 1);

    if (fw_check_is_stopped(job) ||
        (seconds > 0 && fw_check_now() - limits->start > seconds))
        job->limit = "the time";
    else if (limits->bytes && fw_check_is_full(job, builder))
        job->limit = "the memory limit";
    else
        return false;
    snprintf(job->cut, sizeof job->cut, "only the first %" PRIu64 " event%s fit%s into %s", events,
             events == 1 ? "" : "s", events == 1 ? "s" : "", job->limit);
    return true;
}

/* 1: more; 0: the end, or enough; -1: an error. */
static int read_batch(struct fw_check_job *job, struct fw_trace_builder *builder,
                      struct fw_error *err)
{
    struct fw_batch batch;
    int got;

    if (is_enough(job, builder))
        return 0;
    got = fw_reader_next(job->reader, &batch, err);
    if (got <= 0)
        return got;
    if (fw_reader_metadata(job->reader, FW_FWT_REPEATS))
        fw_engine_lacks_repeats(job->engine);
    fw_engine_batch(job->engine, &batch);
    if (builder && fw_trace_builder_add(builder, &batch, job->reader, err) < 0)
        return -1;
    return 1;
}

static int read_all(struct fw_check_job *job, struct fw_trace_builder *builder,
                    struct fw_error *err)
{
    const struct fw_read_status *status = fw_reader_status(job->reader);
    struct fw_progress progress;
    int got;

    fw_progress_init(&progress, STDERR_FILENO, size_of(job->path), fw_check_now());
    while ((got = read_batch(job, builder, err)) > 0)
        if (progress.wanted)
            fw_progress_update(&progress, fw_check_now(), status->events, status->bytes);
    if (got == 0) {
        fw_recording_init(&job->recording, job->reader);
        fw_engine_finish(job->engine);
    }
    fw_progress_clear(&progress);
    return got;
}

/* Reads the trace, or as much of it as the limits allow; the streaming analyses are done then. */
static int read_trace(struct fw_check_job *job, struct fw_error *err)
{
    struct fw_trace_builder *builder = fw_check_predicts(job) ? fw_trace_builder_create() : NULL;

    if (read_all(job, builder, err) < 0) {
        fw_trace_builder_destroy(builder);
        return -1;
    }
    if (builder)
        job->trace = fw_trace_builder_finish(builder, job->reader, job->has_branches, !job->cut[0]);
    if (job->cut[0])
        fw_engine_cut(job->engine, job->cut);
    return 0;
}

static void create_engine(struct fw_check_job *job)
{
    job->setup.symbols = fw_reader_symbols(job->reader);
    job->setup.has_branches = job->has_branches;
    job->setup.expected = &job->recording.expected;
    job->engine = fw_engine_create(job->selection->at, job->selection->len, &job->setup);
    if (!job->limits.jobs)
        job->limits.jobs = processors();
    fw_engine_use_jobs(job->engine, job->limits.jobs);
}

/* --- the order in question --------------------------------------------------------------- */

/* How often the index was named before: a line that is several events names them in turn. */
static unsigned times_named(const struct fw_check_job *job, uint64_t index)
{
    unsigned times = 0;

    for (size_t i = 0; i < job->order_indices.len; i++)
        times += job->order_indices.at[i] == index;
    return times;
}

static int add_order_event(struct fw_check_job *job, const char *word)
{
    uint64_t index;
    unsigned times;
    uint32_t position;

    if (fw_parse_count(word, &index) < 0)
        return fw_cmd_usage("--order: '%s' is not the index of an event", word);
    times = times_named(job, index);
    position = fw_trace_position(job->trace, index, times);
    if (position == FW_NO_EVENT && times)
        return fw_cmd_usage("--order: event %" PRIu64 " is named more than once", index);
    if (position == FW_NO_EVENT && job->cut[0]) {
        fw_cmd_error("--order: event %" PRIu64 " was not read: %s", index, job->cut);
        return FW_EXIT_BUDGET;
    }
    if (position == FW_NO_EVENT)
        return fw_cmd_usage("--order: the trace has no event %" PRIu64, index);
    fw_vec_push(&job->order_indices, index);
    fw_vec_push(&job->order_events, position);
    return 0;
}

static int translate_order(struct fw_check_job *job)
{
    for (size_t i = 0; i < job->order.len; i++) {
        int status = add_order_event(job, job->order.at[i]);

        if (status)
            return status;
    }
    job->options.order = job->order_events.at;
    job->options.order_count = (uint32_t)job->order_events.len;
    return 0;
}

/* --- predicting -------------------------------------------------------------------------- */

static int predict(struct fw_check_job *job)
{
    struct fw_forecast_setup setup = {
        .trace = job->trace,
        .steps = job->limits.steps,
        .cut = job->cut[0] ? job->cut : NULL,
        .unseen = &job->recording.unseen,
    };
    int status = translate_order(job);

    if (status)
        return status;
    setup.options = job->options;
    setup.jobs = fw_check_jobs(job);
    job->forecast = fw_forecast_create(&setup, job->selection->at, job->selection->len);
    fw_check_watch(job);
    fw_forecast_report(job->forecast, job->engine, job->limit);
    return 0;
}

/* --- what is not seen -------------------------------------------------------------------- */

#define MOST_UNHOOKED 3u /* that are named */

static bool is_named(const struct fw_lines *lines, const char *path)
{
    for (size_t i = 0; i < lines->len; i++)
        if (strcmp(lines->at[i], path) == 0)
            return true;
    return false;
}

/* Is there a finding that would be called certain? */
static bool finds(const struct fw_check_job *job)
{
    for (size_t i = 0; i < fw_engine_count(job->engine); i++) {
        const struct fw_findings *findings = fw_engine_findings(job->engine, i);
        bool proves = fw_engine_analysis(job->engine, i)->guarantee != FW_HEURISTIC;

        for (uint64_t j = 0; j < fw_findings_count(findings); j++) {
            const struct fw_finding *finding = fw_findings_get(findings, j);

            if (!finding->unproven && (proves || finding->observed))
                return true;
        }
    }
    return false;
}

/* A library may have been loaded more than once. */
static bool came_before(const struct fw_fwt_module *modules, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(modules[j].path, modules[i].path) == 0)
            return true;
    return false;
}

/* Looks into the programs of a recording for accesses that have no hooks.  That takes a while, so
 * only if something hangs on it. */
static void look_at_programs(struct fw_check_job *job)
{
    struct fw_recording *recording = &job->recording;
    struct fw_unhooked_texts texts = { 0 };
    size_t count;
    const struct fw_fwt_module *modules = fw_reader_modules(job->reader, &count);

    if (!recording->known || !recording->accesses || recording->inexact.len ||
        recording->unmodelled.len || !finds(job))
        return;
    for (size_t i = 0; i < count; i++)
        if (!is_named(&recording->plain, modules[i].path) &&
            !is_named(&recording->system, modules[i].path) && !came_before(modules, i))
            fw_unhooked_look(&texts, modules[i].path, modules[i].build_id,
                             modules[i].build_id_size, MOST_UNHOOKED);
    for (size_t i = 0; i < texts.len; i++)
        fw_recording_add_unhooked(recording, texts.at[i]);
    fw_vec_release(&texts);
}

int fw_check_run(struct fw_check_job *job)
{
    struct fw_error err;
    int got = fw_reader_has_branches(job->reader, &err);

    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    job->has_branches = got;
    create_engine(job);
    if (read_trace(job, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    got = job->trace ? predict(job) : 0;
    if (!got)
        look_at_programs(job);
    job->seconds = fw_check_now() - job->limits.start;
    return got;
}

void fw_check_release(struct fw_check_job *job)
{
    fw_engine_destroy(job->engine);
    fw_forecast_destroy(job->forecast);
    fw_trace_destroy(job->trace);
    fw_vec_release(&job->order_indices);
    fw_vec_release(&job->order_events);
    fw_recording_release(&job->recording);
}
