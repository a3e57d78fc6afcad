/* recorder.c - see recorder.h: the loop while the program runs. */
#include "record/recorder.h"

#include "record/greet.h"
#include "record/launch.h"
#include "record/places.h"
#include "record/process.h"
#include "trace/fwt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WHOLE          16384u     /* records up to which repeated accesses are recorded, too */
#define RING_BYTES     (4u << 20)
#define FURTHER_BYTES  (1u << 20) /* of the ring of a further process */
#define MOST_PROCESSES 1024u      /* that run at the same time */
#define FLUSH_MS       100u       /* so much is lost if we are killed */
#define GRACE_MS       200u       /* for processes that end with the program */
#define CIRCLE_S       1.0        /* for which threads in a circle of locks might be interrupted */
#define STOP_S         0.3        /* that the program has to end when it is told to */
#define IDLE_MS        500u       /* after which threads that all wait are told of */
#define LEAST_WAIT_MS  1          /* between two looks at the rings ... */
#define MOST_WAIT_MS   8          /* ... when nothing comes */

struct recorder {
    double started; /* when the program was */
    double stuck;    /* since when all threads wait; 0: they do not */
    double patience; /* for how long they may, in seconds */
    double stopped; /* when it was told to end; 0: it was not */
    const struct fw_record_setup *setup;
    struct fw_recorded *recorded;
    struct fw_door door;
    struct fw_signals signals;
    pid_t child;
    bool child_ended;
    uint64_t ended_at; /* ms */
    FW_VEC(struct fw_process *) processes;
    unsigned hellos;
    FW_VEC(struct fw_spool_pair_text) pairs; /* that every trace begins with */
    struct fw_wire_unit *scratch;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- what traces are told ------------------------------------------------------------------ */

static void add_pair(struct recorder *r, const char *key, char *value)
{
    fw_vec_push(&r->pairs, ((struct fw_spool_pair_text) { fw_xstrdup(key), value }));
}

/* The command line as a shell would read it. */
static char *quote_arguments(char *const *argv)
{
    FW_VEC(char) text = { 0 };

    for (; *argv; argv++) {
        bool plain = **argv && !(*argv)[strcspn(*argv, " \t\n'\"\\$`&|;<>()*?[]{}~#!")];

        if (text.len)
            fw_vec_push(&text, ' ');
        if (!plain)
            fw_vec_push(&text, '\'');
        for (const char *p = *argv; *p && text.len < 65536; p++) {
            for (const char *q = *p == '\'' ? "'\\'" : ""; *q; q++)
                fw_vec_push(&text, *q);
            fw_vec_push(&text, (unsigned char)*p < 0x20 ? '?' : *p);
        }
        if (!plain)
            fw_vec_push(&text, '\'');
    }
    fw_vec_push(&text, '\0');
    return text.at;
}

static void make_pairs(struct recorder *r)
{
    const struct fw_record_setup *setup = r->setup;

    add_pair(r, "recorder", fw_xstrdup("foreweave " FOREWEAVE_VERSION));
    add_pair(r, "command", quote_arguments(setup->argv));
    add_pair(r, "seed", fw_xasprintf("%llu", (unsigned long long)setup->seed));
    if (setup->quantum)
        add_pair(r, "quantum", fw_xasprintf("%llu", (unsigned long long)setup->quantum));
}

/* --- processes ------------------------------------------------------------------------------- */

static struct fw_process *running_with(struct recorder *r, pid_t pid)
{
    for (size_t i = 0; i < r->processes.len; i++)
        if (r->processes.at[i]->pid == pid && r->processes.at[i]->state == FW_PROCESS_RUNNING)
            return r->processes.at[i];
    return NULL;
}

static size_t count_running(const struct recorder *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->processes.len; i++)
        count += r->processes.at[i]->state == FW_PROCESS_RUNNING;
    return count;
}

/* A process that said hello before: it executes another program now. */
static struct fw_process *replaced(struct recorder *r, struct fw_process *old, struct fw_error *err)
{
    while (fw_process_drain(old, r->scratch))
        ;
    if (old->state == FW_PROCESS_RUNNING && fw_survey_threads(old->survey) == 0) {
        if (fw_process_restart(old, r->pairs.at, r->pairs.len, err) < 0)
            old->state = FW_PROCESS_CUT;
        return old->state == FW_PROCESS_CUT ? NULL : old;
    }
    fw_process_end(old, r->scratch);
    return NULL;
}

static struct fw_process *further(struct recorder *r, struct fw_error *err)
{
    char *path = fw_place_numbered(r->setup->path, r->hellos);
    struct fw_process *process = fw_process_create(path, r->pairs.at, r->pairs.len, err);

    free(path);
    if (process)
        fw_vec_push(&r->processes, process);
    return process;
}

/* The process that the guest is, with a file; NULL: it cannot be recorded. */
static struct fw_process *find_place(struct recorder *r, const struct fw_guest *guest,
                                     struct fw_error *err)
{
    struct fw_process *old = running_with(r, guest->pid), *process = NULL;

    err->message[0] = '\0';
    if (old) {
        process = replaced(r, old, err);
        if (process)
            return process;
    }
    if (r->processes.at[0]->state == FW_PROCESS_AWAITED && !r->hellos)
        process = r->processes.at[0];
    else if (count_running(r) >= MOST_PROCESSES)
        fw_error_set(err, "more than %u processes run at the same time", MOST_PROCESSES);
    else
        process = further(r, err);
    r->hellos++;
    return process;
}

static void greet(struct recorder *r, struct fw_guest *guest)
{
    bool first = r->hellos == 0;
    struct fw_error err;
    struct fw_process *process = find_place(r, guest, &err);
    uint64_t bytes = r->setup->ring_bytes ? r->setup->ring_bytes : RING_BYTES;
    int memory = -1;

    bytes = first || bytes < FURTHER_BYTES ? bytes : FURTHER_BYTES;
    if (process && fw_process_connect(process, guest->pid, bytes, &memory, &err) < 0)
        fw_process_cut(process, err.message);
    if (memory < 0 && err.message[0] && !r->recorded->refused[0])
        snprintf(r->recorded->refused, sizeof r->recorded->refused, "%.255s", err.message);
    if (memory >= 0) {
        process->main |= guest->pid == r->child;
        fw_process_tell(process, "program", guest->hello.program);
        fw_process_tell(process, "process",
                        guest->hello.how == FW_WIRE_FORKED ? "forked" : "started");
    }
    fw_guest_welcome(guest, memory, bytes);
    if (memory >= 0)
        close(memory);
}

/* Threads in a circle of locks wait for ever; others of the program may go on. */
static void look_for_standstill(struct recorder *r, struct fw_process *process, uint64_t now)
{
    uint32_t idle = process->idle;

    if (fw_process_stuck(process, r->scratch, now, IDLE_MS)) {
        if (process->idle != idle) {
            r->stuck = (double)now / 1e3;
            r->patience = r->setup->end_stuck;
        }
        if (r->setup->stuck)
            r->setup->stuck(process->path);
    }
    if (fw_process_still(process, now, IDLE_MS)) {
        r->stuck = (double)now / 1e3;
        r->patience = r->setup->end_stuck < CIRCLE_S ? r->setup->end_stuck : CIRCLE_S;
    }
}

/* Everything the rings hold, each in turn; returns whether one of them fills fast. */
static bool drain_all(struct recorder *r, bool *some)
{
    uint64_t now = now_ms();
    bool busy = false;

    *some = false;
    for (size_t i = 0; i < r->processes.len; i++) {
        struct fw_process *process = r->processes.at[i];

        if (process->state != FW_PROCESS_RUNNING)
            continue;
        if (fw_process_drain(process, r->scratch) > 0) {
            process->heard = now;
            *some = true;
        }
        if (process->state == FW_PROCESS_RUNNING)
            busy |= fw_ring_busy(&process->ring);
        fw_process_flush(process, now, FLUSH_MS);
        look_for_standstill(r, process, now);
    }
    return busy;
}

/* --- ends ------------------------------------------------------------------------------------ */

/* How the program ended belongs to the trace of its latest incarnation. */
static void tell_status(struct recorder *r)
{
    int status = r->recorded->status;
    struct fw_process *process = running_with(r, r->child);
    char number[16];

    process = process ? process : r->processes.at[0];
    if (WIFSIGNALED(status)) {
        snprintf(number, sizeof number, "%d", WTERMSIG(status));
        fw_process_tell(process, "signal", number);
    } else {
        snprintf(number, sizeof number, "%d", WEXITSTATUS(status));
        fw_process_tell(process, "exit", number);
    }
}

static void look_for_end(struct recorder *r)
{
    int status;

    if (r->child_ended || waitpid(r->child, &status, WNOHANG) != r->child)
        return;
    r->child_ended = true;
    r->ended_at = now_ms();
    r->recorded->status = status;
    tell_status(r);
}

static void end_the_dead(struct recorder *r)
{
    for (size_t i = 0; i < r->processes.len; i++) {
        struct fw_process *process = r->processes.at[i];

        /* Of the program itself we want to know first how it ended. */
        if (process->state != FW_PROCESS_RUNNING || fw_process_alive(process) ||
            (process->pid == r->child && !r->child_ended))
            continue;
        fw_process_end(process, r->scratch);
    }
}

static bool over(struct recorder *r)
{
    struct pollfd door = { .fd = r->door.fd, .events = POLLIN };

    if (!r->child_ended || poll(&door, 1, 0) > 0)
        return false;
    if (!count_running(r))
        return true;
    if (now_ms() - r->ended_at < GRACE_MS)
        return false;
    for (size_t i = 0; i < r->processes.len; i++)
        if (r->processes.at[i]->state == FW_PROCESS_RUNNING)
            fw_process_cut(r->processes.at[i], "it went on after the program had ended");
    return true;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Has the program run for longer than it may, or does it wait for nothing? */
static bool is_late(const struct recorder *r)
{
    if (r->child_ended)
        return false;
    return (r->setup->limit > 0 && now() > r->started + r->setup->limit) ||
           (r->stopped > 0 && now() > r->stopped + STOP_S) ||
           (r->setup->end_stuck > 0 && r->stuck > 0 && now() > r->stuck + r->patience);
}

/* Tells the program once that it is to end, if the caller wants that. */
static void look_for_stop(struct recorder *r)
{
    if (r->stopped > 0 || r->child_ended || !r->setup->stop || !*r->setup->stop)
        return;
    r->stopped = now();
    kill(r->child, SIGTERM);
}

static void run_loop(struct recorder *r)
{
    int wait = LEAST_WAIT_MS;

    r->started = now();

    for (;;) {
        struct pollfd ready[] = { { .fd = r->door.fd, .events = POLLIN },
                                  { .fd = r->signals.fd, .events = POLLIN } };
        struct fw_guest guest;
        bool some, busy = drain_all(r, &some);

        wait = some ? LEAST_WAIT_MS : wait < MOST_WAIT_MS ? wait * 2 : MOST_WAIT_MS;
        if (some)
            r->stuck = 0;
        poll(ready, 2, busy ? 0 : wait);
        while (ready[0].revents && fw_door_guest(&r->door, &guest))
            greet(r, &guest);
        if (ready[1].revents)
            fw_signals_handle(&r->signals, r->child_ended ? 0 : r->child);
        look_for_stop(r);
        if (is_late(r))
            kill(r->child, SIGKILL);
        look_for_end(r);
        end_the_dead(r);
        if (over(r))
            return;
    }
}

/* --- traces ---------------------------------------------------------------------------------- */

static void finalise(struct recorder *r, struct fw_process *process)
{
    struct fw_recorded_trace trace = { .path = fw_xstrdup(process->path) };
    bool first = process == r->processes.at[0];
    struct fw_error err;

    if (process->state == FW_PROCESS_AWAITED)
        fw_process_end(process, r->scratch);
    else
        trace.connected = true;
    if (!first && !process->instrumented && !process->threads && !process->problem[0]) {
        unlink(process->path);
        free(trace.path);
        return;
    }
    memcpy(trace.problem, process->problem, sizeof trace.problem);
    if (fw_process_finalise(process, &trace.result, &err) < 0)
        snprintf(trace.failed, sizeof trace.failed, "%.255s", err.message);
    fw_vec_push(&r->recorded->traces, trace);
}

static void release(struct recorder *r)
{
    for (size_t i = 0; i < r->processes.len; i++)
        fw_process_destroy(r->processes.at[i]);
    for (size_t i = 0; i < r->pairs.len; i++) {
        free(r->pairs.at[i].key);
        free(r->pairs.at[i].value);
    }
    fw_vec_release(&r->processes);
    fw_vec_release(&r->pairs);
    free(r->scratch);
}

static enum fw_record_end run_program(struct recorder *r, struct fw_error *err)
{
    char *options = fw_xasprintf("mode=%s:wire=%s:seed=%llu:whole=%u%s%s%s%s%s%s%s",
                                 r->setup->noise ? "atomrace" : "record", r->door.name,
                                 (unsigned long long)r->setup->seed, WHOLE,
                                 r->setup->positions ? ":positions=1" : "",
                                 r->setup->values ? ":values=yes" : "",
                                 r->setup->repeats ? ":repeats=1" : "",
                                 r->setup->control ? ":control=" : "",
                                 r->setup->control ? r->setup->control : "",
                                 r->setup->noise ? ":noise=" : "",
                                 r->setup->noise ? r->setup->noise : "");
    struct fw_launch launch = { .argv = r->setup->argv,
                                .runtime = r->setup->runtime,
                                .hide = r->setup->hide,
                                .output = r->setup->output };

    if (r->setup->quantum) {
        char *more = fw_xasprintf("%s:quantum=%llu", options,
                                  (unsigned long long)r->setup->quantum);

        free(options);
        options = more;
    }
    launch.options = options;
    r->child = fw_launch(&launch, &r->signals, err);
    free(options);
    if (r->child < 0) {
        unlink(r->setup->path);
        return FW_RECORD_NO_PROGRAM;
    }
    if (r->setup->began)
        r->setup->began(r->setup->context, r->child);
    run_loop(r);
    for (size_t i = 0; i < r->processes.len; i++)
        finalise(r, r->processes.at[i]);
    return FW_RECORD_DONE;
}

enum fw_record_end fw_record(const struct fw_record_setup *setup, struct fw_recorded *recorded,
                             struct fw_error *err)
{
    struct recorder r = { .setup = setup, .recorded = recorded };
    struct fw_process *first;
    enum fw_record_end end = FW_RECORD_FAILED;

    memset(recorded, 0, sizeof *recorded);
    make_pairs(&r);
    r.scratch = fw_xmalloc(FW_PACK_UNITS * sizeof *r.scratch);
    first = fw_process_create(setup->path, r.pairs.at, r.pairs.len, err);
    if (first)
        fw_vec_push(&r.processes, first);
    if (first && fw_door_open(&r.door, err) == 0) {
        if (fw_signals_take(&r.signals, setup->stop != NULL, err) == 0) {
            end = run_program(&r, err);
            fw_signals_give_back(&r.signals);
        }
        fw_door_close(&r.door);
    }
    release(&r);
    return end;
}

const char *fw_recorded_cut(const struct fw_recorded *recorded, const char **path)
{
    for (size_t i = 0; i < recorded->traces.len; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        *path = trace->path;
        if (trace->failed[0])
            return trace->failed;
        if (trace->problem[0])
            return trace->problem;
    }
    return NULL;
}

void fw_recorded_release(struct fw_recorded *recorded)
{
    for (size_t i = 0; i < recorded->traces.len; i++)
        free(recorded->traces.at[i].path);
    fw_vec_release(&recorded->traces);
}
