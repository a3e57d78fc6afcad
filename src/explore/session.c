/* session.c - see session.h. */
#include "explore/leftover.h"
#include "explore/session_state.h"
#include "explore/starved.h"

#include "base/alloc.h"
#include "record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define OUTPUT    (1u << 20) /* bytes that are kept */
#define LAST      0.1        /* part of the limit in which who comes by no point stands still */
#define LOOK      0.1        /* seconds that are waited at once */
#define GRACE     1.0        /* seconds that a run has when a child of it is in a deadlock */
#define LEAST     0.5        /* seconds for a thread to come back from the kernel ... */
#define LONGER    4          /* ... and so many times what it has taken ... */
#define MOST      5.0        /* ... but not more */

static int bury(struct fw_session *session, bool in_time);

struct fw_session *fw_session_create(const struct fw_session_setup *setup, struct fw_error *err)
{
    struct fw_session *session = fw_xcalloc(1, sizeof *session);
    char *found, *path;

    session->setup = *setup;
    if (session->setup.limit <= 0)
        session->setup.limit = 10;
    session->memory = session->output = session->process_end = -1;
    if (fw_session_map(session, err) < 0) {
        fw_session_destroy(session);
        return NULL;
    }
    found = fw_launch_path(setup->argv[0]);
    path = found ? realpath(found, NULL) : NULL;
    if (path)
        snprintf(session->head->program, sizeof session->head->program, "%s", path);
    free(found);
    free(path);
    session->text = fw_xmalloc(OUTPUT);
    return session;
}

void fw_session_destroy(struct fw_session *session)
{
    if (!session)
        return;
    if (session->process)
        bury(session, false);
    if (session->head)
        munmap(session->head, session->head->bytes);
    if (session->memory >= 0)
        close(session->memory);
    if (session->output >= 0)
        close(session->output);
    free(session->text);
    free(session);
}

double fw_session_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool is_stopped(const struct fw_session *session)
{
    return session->setup.stop && *session->setup.stop;
}

double fw_session_left(const struct fw_session *session)
{
    if (is_stopped(session))
        return 0;
    return session->setup.until > 0 ? session->setup.until - fw_session_now() : 1e9;
}

void fw_session_classify(struct fw_session *session, fw_classify classify, void *context)
{
    session->classify = classify;
    session->context = context;
}

/* --- orders ---------------------------------------------------------------------------------- */

int fw_session_fits(size_t steps, size_t paths, struct fw_error *err)
{
    if (steps <= FW_SESSION_STEPS && paths <= FW_SESSION_PATHS)
        return 0;
    return fw_error_set(err, "a schedule of %zu steps and %zu threads is too long", steps, paths);
}

static int check_order(const struct fw_session *session, const struct fw_run_order *order,
                       struct fw_error *err)
{
    if (order->choice_count + order->sleep_count > session->head->choices_room)
        return fw_error_set(err, "a schedule of %u choices is too long", order->choice_count);
    return fw_session_fits(order->step_count, order->path_count, err);
}

static void give_order(struct fw_session *session, const struct fw_run_order *order)
{
    struct fw_control_head *head = session->head;

    head->strategy = order->strategy;
    head->flags = order->flags | (session->setup.virtual_time ? FW_CONTROL_VIRTUAL : 0);
    head->timeouts = session->setup.timeouts;
    head->seed = order->seed;
    head->depth = order->depth;
    head->length = order->length;
    head->step_count = order->step_count;
    head->path_count = order->path_count ? order->path_count : 1;
    head->choice_count = order->choice_count;
    head->sleep_count = order->sleep_count;
    head->patience = order->patience;
    head->idiom = order->idiom;
    head->attempt = order->attempt;
    head->delay = order->delay;
    if (order->step_count)
        memcpy(fw_session_area(session, head->steps_at), order->steps,
               order->step_count * sizeof *order->steps);
    if (order->path_count)
        memcpy(fw_session_area(session, head->paths_at), order->paths,
               order->path_count * sizeof *order->paths);
    if (order->choice_count + order->sleep_count)
        memcpy(fw_session_area(session, head->choices_at), order->choices,
               (order->choice_count + order->sleep_count) * sizeof *order->choices);
    memset(&head->claimed, 0,
           offsetof(struct fw_control_head, asked) - offsetof(struct fw_control_head, claimed));
}

int fw_session_order(struct fw_session *session, const struct fw_run_order *order,
                     struct fw_error *err)
{
    if (check_order(session, order, err) < 0)
        return -1;
    give_order(session, order);
    return 0;
}

/* --- the program ----------------------------------------------------------------------------- */

/* Opened anew: what one run has read is there for the next. */
static int open_input(const struct fw_session *session)
{
    char name[32];
    int fd;

    if (session->setup.input <= 0)
        return open("/dev/null", O_RDONLY);
    snprintf(name, sizeof name, "/proc/self/fd/%d", session->setup.input);
    fd = open(name, O_RDONLY);
    lseek(fd, lseek(session->setup.input, 0, SEEK_CUR), SEEK_SET);
    return fd;
}

static void redirect(const struct fw_session *session)
{
    int input = open_input(session);

    if (input >= 0)
        dup2(input, 0);
    dup2(session->output, 1);
    dup2(session->output, 2);
}

/* gdb sets the environment of the program, not its own. */
static void execute_gdb(const struct fw_session *session)
{
    FW_VEC(char *) argv = { 0 };
    static char *const before[] = { "gdb", "-q", "-x" };

    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        fw_vec_push(&argv, before[i]);
    fw_vec_push(&argv, (char *)(uintptr_t)session->setup.gdb);
    fw_vec_push(&argv, "--args");
    for (char *const *at = session->setup.argv; *at; at++)
        fw_vec_push(&argv, *at);
    fw_vec_push(&argv, NULL);
    signal(SIGINT, SIG_DFL);
    execvp("gdb", argv.at);
    _exit(127);
}

static void execute(const struct fw_session *session, const char *options)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = others && *others ? fw_xasprintf("%s:%s", session->setup.runtime, others)
                                      : fw_xstrdup(session->setup.runtime);

    if (session->setup.gdb)
        execute_gdb(session);
    if (!session->setup.show) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        redirect(session);
    } else if (session->setup.input > 0) {
        dup2(open_input(session), 0);
    }
    setenv("LD_PRELOAD", preload, 1);
    setenv("FOREWEAVE_OPTIONS", options, 1);
    personality(ADDR_NO_RANDOMIZE | personality(0xffffffff)); /* addresses decide, too */
    execvp(session->setup.argv[0], session->setup.argv);
    _exit(127);
}

void fw_session_ask(struct fw_session *session, uint32_t number)
{
    struct fw_control_site *site = fw_session_site(session, number);
    uint32_t class_ =
        session->classify(session->context, fw_session_module(session, site->module), site);

    site->class_ = class_ == FW_CLASS_CALLER ? 0 : class_;
    site->flags |= FW_SITE_CLASSED | (class_ == FW_CLASS_CALLER ? FW_SITE_CALLER : 0);
}

void fw_session_forget_classes(struct fw_session *session)
{
    for (uint32_t i = 0; i < session->head->site_count; i++) {
        struct fw_control_site *site = fw_session_site(session, i);

        site->flags &= ~(uint32_t)(FW_SITE_CLASSED | FW_SITE_CALLER);
        site->class_ = 0;
    }
}

/* Answers the runtime's questions that have come. */
static void answer(struct fw_session *session)
{
    struct fw_control_head *head = session->head;
    uint32_t asked = atomic_load(&head->asked);

    if (asked == atomic_load(&head->answered))
        return;
    if (session->classify && head->asked_site < head->site_count) {
        fw_session_ask(session, head->asked_site);
    }
    atomic_store(&head->answered, asked);
    syscall(SYS_futex, &head->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Is the time over?  A child in a deadlock may be ended by its parent, but not by itself. */
static bool is_over(struct fw_session *session, double until)
{
    double now = fw_session_now();

    if (session->head->child_deadlock && !session->seen_deadlock)
        session->seen_deadlock = now;
    return now > until || (session->seen_deadlock && now > session->seen_deadlock + GRACE);
}

/* Waits for the process at most `seconds`; true: it has ended. */
static bool await_end(struct fw_session *session, int pidfd, double seconds)
{
    struct pollfd end = { .fd = pidfd, .events = POLLIN };
    double until = fw_session_now() + seconds;

    if (!(session->head->flags & FW_CONTROL_ASK)) {
        int got;

        do {
            double left = until - fw_session_now();

            got = poll(&end, 1, (int)((left < LOOK ? left : LOOK) * 1000) + 1);
        } while ((got == 0 || (got < 0 && errno == EINTR)) && !is_over(session, until) &&
                 !is_stopped(session));
        return got > 0;
    }
    while (poll(&end, 1, 0) <= 0) {
        struct timespec pause = { 0, session->setup.gdb ? 100000000 : 1000000 };

        if (is_over(session, until) || is_stopped(session))
            return false;
        syscall(SYS_futex, &session->head->asked, FUTEX_WAIT, atomic_load(&session->head->answered),
                &pause, NULL, 0);
        answer(session);
    }
    return true;
}

static void keep_output(struct fw_session *session)
{
    ssize_t got = session->setup.show ? 0 : pread(session->output, session->text, OUTPUT, 0);

    session->text_bytes = got > 0 ? (size_t)got : 0;
    session->text_hash = XXH3_64bits(session->text, session->text_bytes);
}

/* A run was ended, but not since its own time was over. */
static bool budget_is_over(const struct fw_session *session)
{
    return session->limit < session->setup.limit || is_stopped(session) ||
           (session->granted > 0 && fw_session_left(session) <= 0);
}

static void judge(struct fw_session *session, int status, bool in_time,
                  struct fw_run_result *result)
{
    static const enum fw_run_end found[] = { [FW_OUTCOME_DEADLOCK] = FW_RUN_DEADLOCK,
                                             [FW_OUTCOME_STUCK] = FW_RUN_STUCK };
    uint32_t outcome = session->head->outcome;

    session->late = !in_time;
    result->controlled = session->head->claimed != 0;
    result->moves = session->moves;
    result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (outcome >= FW_OUTCOME_DEADLOCK && outcome <= FW_OUTCOME_STUCK)
        result->end = found[outcome];
    else if (!in_time && session->head->child_deadlock)
        result->end = FW_RUN_DEADLOCK;
    else if (!in_time)
        result->end = budget_is_over(session) ? FW_RUN_OVER : FW_RUN_TIMEOUT;
    else
        result->end = WIFSIGNALED(status) ? FW_RUN_SIGNAL : FW_RUN_EXITED;
}

/* Who was told to end has done well to do so; then it is for the driver to judge. */
static void judge_escort(struct fw_session *session, struct fw_escort *escort,
                         struct fw_run_result *result)
{
    double left = fw_session_left(session), limit = session->setup.limit;
    bool right = result->end == FW_RUN_EXITED && result->code == 0, ended, done = true;
    int driven;

    if (right)
        done = fw_escort_await(escort, left < limit ? left : limit, session->setup.stop);
    driven = fw_escort_end(escort, &ended);
    if (!done && (left < limit || is_stopped(session))) {
        result->end = FW_RUN_OVER; /* it was our time that was over */
        return;
    }
    if (ended && result->end == FW_RUN_SIGNAL && result->code == SIGTERM) {
        result->end = FW_RUN_EXITED;
        result->code = 0;
    }
    if (driven && result->end == FW_RUN_EXITED && result->code == 0) {
        result->end = FW_RUN_DRIVER;
        result->code = driven;
    }
}

const char *fw_session_file(const struct fw_session *session)
{
    return session->file;
}

void fw_session_options(const struct fw_session *session, char options[128])
{
    snprintf(options, 128, "mode=control:control=%s", session->file);
}

/* What this run has to do with a process: its id, and a descriptor that tells of its end. */
static int launch(struct fw_session *session, struct fw_error *err)
{
    char options[128];
    pid_t pid;

    fw_session_options(session, options);
    pid = fork();
    if (pid == 0)
        execute(session, options);
    if (pid < 0)
        return fw_error_errno(err, "cannot start '%s'", session->setup.argv[0]);
    session->process = pid;
    session->process_end = (int)syscall(SYS_pidfd_open, pid, 0);
    return 0;
}

/* The process has ended, or is ended now. */
static int bury(struct fw_session *session, bool in_time)
{
    pid_t pid = session->process;
    int status = 0;

    if (!in_time && !session->setup.show)
        kill(-pid, SIGKILL);
    if (!in_time)
        kill(pid, SIGKILL); /* if it has no group of its own yet */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (session->process_end >= 0)
        close(session->process_end);
    if (!session->setup.show)
        kill(-pid, SIGKILL); /* what it has left behind */
    session->process = 0;
    session->process_end = -1;
    return status;
}

static int run_alone(struct fw_session *session, int *status, bool *in_time, struct fw_error *err)
{
    double limit = session->limit, more;

    if (launch(session, err) < 0)
        return -1;
    *in_time = await_end(session, session->process_end, limit - LAST * limit);
    while (!*in_time && (more = fw_session_grace(session)) > 0)
        *in_time = await_end(session, session->process_end, more);
    if (!*in_time) {
        uint64_t points = session->head->point_count;

        *in_time = await_end(session, session->process_end, LAST * limit);
        session->moves = session->head->point_count != points;
    }
    *status = bury(session, *in_time);
    return 0;
}

/* --- the server ------------------------------------------------------------------------------ */

enum served {
    SERVED,
    LATE,
    GONE
};

/* Waits for the end of the run, and looks after the server.  Patiently: also when all is over. */
static enum served await_served(struct fw_session *session, double seconds, bool patiently)
{
    struct fw_control_head *head = session->head;
    struct pollfd gone = { .fd = session->process_end, .events = POLLIN };
    uint32_t ordered = atomic_load(&head->order);
    double until = fw_session_now() + seconds;

    for (;;) {
        uint32_t over = atomic_load(&head->over);
        bool asks = head->flags & FW_CONTROL_ASK, begins = !atomic_load(&head->server);
        struct timespec pause = { 0, begins || asks ? 1000000 : 20000000 };

        if (over == ordered)
            return SERVED;
        if (is_over(session, until) || (!patiently && is_stopped(session)))
            return LATE;
        syscall(SYS_futex, asks ? &head->asked : &head->over, FUTEX_WAIT,
                asks ? atomic_load(&head->answered) : over, &pause, NULL, 0);
        if (asks)
            answer(session);
        if (atomic_load(&head->over) != ordered && poll(&gone, 1, 0) > 0)
            return GONE;
    }
}

/* The same for the limit of a run; looks whether it moves in the last part of it. */
static enum served await_run(struct fw_session *session)
{
    double limit = session->limit, more;
    enum served served = await_served(session, limit - LAST * limit, false);
    uint64_t points;

    while (served == LATE && (more = fw_session_grace(session)) > 0)
        served = await_served(session, more, false);
    points = session->head->point_count;
    if (served == LATE) {
        served = await_served(session, LAST * limit, false);
        session->moves = session->head->point_count != points;
    }
    return served;
}

/* A run that takes too long; false: the server does not answer either. */
static bool kill_served(struct fw_session *session)
{
    struct fw_control_head *head = session->head;

    for (unsigned tries = 0; tries < 100; tries++) {
        if (head->child > 0 && atomic_load(&head->server)) {
            kill(-head->child, SIGKILL);
            kill(head->child, SIGKILL);
        }
        if (await_served(session, 0.01, true) == SERVED)
            return true;
    }
    return false;
}

static int start_server(struct fw_session *session, struct fw_error *err)
{
    struct fw_control_head *head = session->head;

    head->serve = 1;
    head->child = 0;
    atomic_store(&head->server, 0);
    atomic_store(&head->order, 0);
    atomic_store(&head->over, 0);
    return launch(session, err);
}

/* 1: there is no server, and the order is still to be carried out. */
static int run_served(struct fw_session *session, int *status, bool *in_time, struct fw_error *err)
{
    struct fw_control_head *head = session->head;
    enum served served;

    if (!session->process && start_server(session, err) < 0)
        return -1;
    head->child = 0;
    atomic_fetch_add(&head->order, 1);
    syscall(SYS_futex, &head->order, FUTEX_WAKE, 1, NULL, NULL, 0);
    served = await_run(session);
    *in_time = served != LATE;
    if (served == LATE && atomic_load(&head->server) && kill_served(session))
        served = SERVED;
    if (served == SERVED) {
        *status = head->status;
        if (head->child > 0)
            kill(-head->child, SIGKILL); /* what it has left behind */
        return 0;
    }
    *status = bury(session, *in_time);
    session->setup.serve = false;
    head->serve = 0;
    return atomic_load(&head->server) != 0 && served == GONE;
}

static void tidy_up(struct fw_session *session)
{
    struct fw_pids own = { 0 };

    if (session->process)
        fw_vec_push(&own, session->process);
    session->left_behind += fw_leftover_kill(session->setup.leftover, &own);
    fw_vec_release(&own);
}

uint32_t fw_patience_ms(double away)
{
    double seconds = LEAST + LONGER * away;

    return (uint32_t)((seconds < MOST ? seconds : MOST) * 1000);
}

int fw_session_run(struct fw_session *session, const struct fw_run_order *order,
                   struct fw_run_result *result, struct fw_error *err)
{
    double start = fw_session_now(), left = fw_session_left(session);
    int status = 0, done = 1;
    bool in_time = true;
    struct fw_escort escort;

    memset(result, 0, sizeof *result);
    session->moves = false;
    session->granted = 0;
    session->seen_deadlock = 0;
    session->limit = left < session->setup.limit ? left : session->setup.limit;
    if (check_order(session, order, err) < 0)
        return -1;
    if (left <= 0) {
        result->end = FW_RUN_OVER;
        return 0;
    }
    give_order(session, order);
    if (ftruncate(session->output, 0) < 0 || lseek(session->output, 0, SEEK_SET) < 0)
        return fw_error_errno(err, "cannot empty the output");
    if (fw_escort_prepare(&session->setup.escort, session->setup.limit, session->output, err) < 0 ||
        fw_escort_start(&escort, &session->setup.escort, &session->head->claimed, session->output,
                        err) < 0)
        return -1;
    if (session->setup.serve)
        done = run_served(session, &status, &in_time, err);
    if (done > 0)
        done = run_alone(session, &status, &in_time, err);
    if (done < 0) {
        fw_escort_end(&escort, &in_time);
        return -1;
    }
    judge(session, status, in_time, result);
    judge_escort(session, &escort, result);
    if (session->setup.leftover)
        tidy_up(session);
    keep_output(session);
    result->seconds = fw_session_now() - start;
    return 0;
}
