/* session.c - see session.h. */
#include "explore/session.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define SITES     16384u
#define STEPS     65536u
#define PATHS     4096u
#define CHOICES   65536u
#define THREADS   4096u
#define TURNS     (1u << 18)
#define DECISIONS (64u << 20)
#define TRAIL     (1u << 20)
#define OUTPUT    (1u << 20) /* bytes that are kept */

struct fw_session {
    struct fw_session_setup setup;
    int memory, output; /* descriptors */
    char file[64];      /* the memory's name for the program */
    char output_file[64];
    struct fw_control_head *head;
    char *text;
    size_t text_bytes;
    uint64_t text_hash;
    fw_classify classify;
    void *context;
};

/* --- memory ---------------------------------------------------------------------------------- */

static uint64_t lay_out(struct fw_control_head *head)
{
    uint64_t at = (sizeof *head + 4095) & ~UINT64_C(4095);

#define AREA(name, type, count)                                                                    \
    head->name##_at = at;                                                                          \
    at = (at + (uint64_t)(count) * sizeof(type) + 63) & ~UINT64_C(63)
    AREA(modules, struct fw_control_module, FW_CONTROL_MODULES);
    AREA(pairs, struct fw_control_pairs, 1);
    AREA(sites, struct fw_control_site, SITES);
    AREA(steps, struct fw_control_step, STEPS);
    AREA(paths, struct fw_control_path, PATHS);
    AREA(choices, uint32_t, CHOICES);
    AREA(threads, struct fw_control_thread, THREADS);
    AREA(turns, struct fw_control_turn, TURNS);
    AREA(decisions, char, DECISIONS);
    AREA(trail, struct fw_control_trail, TRAIL);
#undef AREA
    head->sites_room = SITES;
    head->steps_room = STEPS;
    head->paths_room = PATHS;
    head->choices_room = CHOICES;
    head->threads_room = THREADS;
    head->turns_room = TURNS;
    head->decisions_room = DECISIONS;
    head->trail_room = TRAIL;
    return at;
}

static int map_memory(struct fw_session *session, struct fw_error *err)
{
    struct fw_control_head head = { .magic = FW_CONTROL_MAGIC, .version = FW_CONTROL_VERSION };

    head.bytes = lay_out(&head);
    session->memory = memfd_create("foreweave-control", MFD_CLOEXEC);
    session->output = memfd_create("foreweave-output", MFD_CLOEXEC);
    if (session->memory < 0 || session->output < 0 ||
        ftruncate(session->memory, (off_t)head.bytes) < 0)
        return fw_error_errno(err, "cannot make shared memory");
    session->head = mmap(NULL, head.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, session->memory, 0);
    if (session->head == MAP_FAILED) {
        session->head = NULL;
        return fw_error_errno(err, "cannot map shared memory");
    }
    *session->head = head;
    snprintf(session->file, sizeof session->file, "/proc/%d/fd/%d", (int)getpid(),
             session->memory);
    snprintf(session->output_file, sizeof session->output_file, "/proc/%d/fd/%d", (int)getpid(),
             session->output);
    return 0;
}

struct fw_session *fw_session_create(const struct fw_session_setup *setup, struct fw_error *err)
{
    struct fw_session *session = fw_xcalloc(1, sizeof *session);
    char *path;

    session->setup = *setup;
    if (session->setup.limit <= 0)
        session->setup.limit = 10;
    session->memory = session->output = -1;
    if (map_memory(session, err) < 0) {
        fw_session_destroy(session);
        return NULL;
    }
    path = realpath(setup->argv[0], NULL);
    if (path)
        snprintf(session->head->program, sizeof session->head->program, "%s", path);
    free(path);
    session->text = fw_xmalloc(OUTPUT);
    return session;
}

void fw_session_destroy(struct fw_session *session)
{
    if (!session)
        return;
    if (session->head)
        munmap(session->head, session->head->bytes);
    if (session->memory >= 0)
        close(session->memory);
    if (session->output >= 0)
        close(session->output);
    free(session->text);
    free(session);
}

void fw_session_limit(struct fw_session *session, double seconds)
{
    session->setup.limit = seconds;
}

void fw_session_classify(struct fw_session *session, fw_classify classify, void *context)
{
    session->classify = classify;
    session->context = context;
}

/* --- orders ---------------------------------------------------------------------------------- */

static void *area(const struct fw_session *session, uint64_t at)
{
    return (char *)session->head + at;
}

static int check_order(const struct fw_run_order *order, struct fw_error *err)
{
    if (order->step_count > STEPS || order->path_count > PATHS ||
        order->choice_count + order->sleep_count > CHOICES)
        return fw_error_set(err, "a schedule of %u steps and %u threads is too long",
                            order->step_count, order->path_count);
    return 0;
}

static void give_order(struct fw_session *session, const struct fw_run_order *order)
{
    struct fw_control_head *head = session->head;

    head->strategy = order->strategy;
    head->flags = order->flags;
    head->seed = order->seed;
    head->depth = order->depth;
    head->length = order->length;
    head->most_points = order->most_points;
    head->step_count = order->step_count;
    head->path_count = order->path_count ? order->path_count : 1;
    head->choice_count = order->choice_count;
    head->sleep_count = order->sleep_count;
    if (order->step_count)
        memcpy(area(session, head->steps_at), order->steps,
               order->step_count * sizeof *order->steps);
    if (order->path_count)
        memcpy(area(session, head->paths_at), order->paths,
               order->path_count * sizeof *order->paths);
    if (order->choice_count + order->sleep_count)
        memcpy(area(session, head->choices_at), order->choices,
               (order->choice_count + order->sleep_count) * sizeof *order->choices);
    memset(&head->claimed, 0,
           offsetof(struct fw_control_head, asked) - offsetof(struct fw_control_head, claimed));
}

/* --- the program ----------------------------------------------------------------------------- */

static void redirect(const struct fw_session *session)
{
    int nothing = open("/dev/null", O_RDONLY);

    if (nothing >= 0)
        dup2(nothing, 0);
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
        redirect(session);
    }
    setenv("LD_PRELOAD", preload, 1);
    setenv("FOREWEAVE_OPTIONS", options, 1);
    execvp(session->setup.argv[0], session->setup.argv);
    _exit(127);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
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

/* Waits for the process at most `seconds`; true: it has ended. */
static bool await_end(struct fw_session *session, int pidfd, double seconds)
{
    struct pollfd end = { .fd = pidfd, .events = POLLIN };
    double until = now() + seconds;

    if (!(session->head->flags & FW_CONTROL_ASK)) {
        int got;

        do
            got = poll(&end, 1, (int)((until - now()) * 1000) + 1);
        while (got < 0 && errno == EINTR && now() < until);
        return got > 0;
    }
    while (poll(&end, 1, 0) <= 0) {
        struct timespec pause = { 0, session->setup.gdb ? 100000000 : 1000000 };

        if (now() > until)
            return false;
        syscall(SYS_futex, &session->head->asked, FUTEX_WAIT,
                atomic_load(&session->head->answered), &pause, NULL, 0);
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

static void judge(const struct fw_session *session, int status, bool in_time,
                  struct fw_run_result *result)
{
    static const enum fw_run_end found[] = { [FW_OUTCOME_DEADLOCK] = FW_RUN_DEADLOCK,
                                             [FW_OUTCOME_STUCK] = FW_RUN_STUCK,
                                             [FW_OUTCOME_ENDLESS] = FW_RUN_ENDLESS };
    uint32_t outcome = session->head->outcome;

    result->controlled = session->head->claimed != 0;
    result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (outcome >= FW_OUTCOME_DEADLOCK && outcome <= FW_OUTCOME_ENDLESS)
        result->end = found[outcome];
    else if (!in_time)
        result->end = FW_RUN_TIMEOUT;
    else
        result->end = WIFSIGNALED(status) ? FW_RUN_SIGNAL : FW_RUN_EXITED;
}

const char *fw_session_file(const struct fw_session *session)
{
    return session->file;
}

void fw_session_options(const struct fw_session *session, char options[128])
{
    snprintf(options, 128, "mode=control:control=%s", session->file);
}

int fw_session_run(struct fw_session *session, const struct fw_run_order *order,
                   struct fw_run_result *result, struct fw_error *err)
{
    char options[128];
    double start = now();
    int pidfd, status = 0;
    bool in_time;
    pid_t pid;

    memset(result, 0, sizeof *result);
    if (check_order(order, err) < 0)
        return -1;
    give_order(session, order);
    fw_session_options(session, options);
    if (ftruncate(session->output, 0) < 0 || lseek(session->output, 0, SEEK_SET) < 0)
        return fw_error_errno(err, "cannot empty the output");
    pid = fork();
    if (pid == 0)
        execute(session, options);
    if (pid < 0)
        return fw_error_errno(err, "cannot start '%s'", session->setup.argv[0]);
    pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    in_time = await_end(session, pidfd, session->setup.limit);
    if (!in_time)
        kill(session->setup.show ? pid : -pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pidfd >= 0)
        close(pidfd);
    if (!session->setup.show)
        kill(-pid, SIGKILL); /* what it has left behind */
    keep_output(session);
    judge(session, status, in_time, result);
    result->seconds = now() - start;
    return 0;
}

/* --- after a run ----------------------------------------------------------------------------- */

const struct fw_control_head *fw_session_head(const struct fw_session *session)
{
    return session->head;
}

const struct fw_control_turn *fw_session_turns(const struct fw_session *session)
{
    return area(session, session->head->turns_at);
}

const struct fw_control_step *fw_session_steps(const struct fw_session *session)
{
    return area(session, session->head->steps_at);
}

const struct fw_control_trail *fw_session_trail(const struct fw_session *session)
{
    return area(session, session->head->trail_at);
}

const struct fw_control_thread *fw_session_threads(const struct fw_session *session)
{
    return area(session, session->head->threads_at);
}

struct fw_control_site *fw_session_site(const struct fw_session *session, uint32_t site)
{
    return (struct fw_control_site *)area(session, session->head->sites_at) + site;
}

const char *fw_session_module(const struct fw_session *session, uint32_t module)
{
    return ((struct fw_control_module *)area(session, session->head->modules_at))[module].path;
}

const uint64_t *fw_session_new_pairs(const struct fw_session *session)
{
    const struct fw_control_pairs *pairs = area(session, session->head->pairs_at);

    return pairs->added;
}

const char *fw_session_decisions(const struct fw_session *session)
{
    return area(session, session->head->decisions_at);
}

static uint32_t add_module(struct fw_session *session, const char *path)
{
    struct fw_control_module *modules = area(session, session->head->modules_at);
    uint32_t count = session->head->module_count;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(modules[i].path, path) == 0)
            return i;
    if (count == FW_CONTROL_MODULES)
        return count - 1;
    snprintf(modules[count].path, sizeof modules[count].path, "%s", path);
    session->head->module_count = count + 1;
    return count;
}

uint32_t fw_session_add_site(struct fw_session *session, const char *module, uint64_t offset,
                             const char *operation)
{
    uint32_t at = add_module(session, module), count = session->head->site_count;
    struct fw_control_site *site;

    for (uint32_t i = 0; i < count; i++) {
        site = fw_session_site(session, i);
        if (site->offset == offset && site->module == at &&
            strncmp(site->operation, operation, sizeof site->operation - 1) == 0)
            return i;
    }
    if (count == SITES)
        return FW_CONTROL_NONE;
    site = fw_session_site(session, count);
    site->offset = offset;
    site->module = at;
    snprintf(site->operation, sizeof site->operation, "%s", operation);
    session->head->site_count = count + 1;
    return count;
}

const char *fw_session_output(const struct fw_session *session, size_t *bytes)
{
    *bytes = session->text_bytes;
    return session->text;
}

const char *fw_session_output_file(const struct fw_session *session)
{
    return session->output_file;
}

uint64_t fw_session_output_hash(const struct fw_session *session)
{
    return session->text_hash;
}

const char *fw_run_text(const struct fw_run_result *result, char text[64])
{
    static const char *const words[] = {
        [FW_RUN_DEADLOCK] = "deadlock",
        [FW_RUN_STUCK] = "stuck: all threads wait",
        [FW_RUN_ENDLESS] = "endless",
        [FW_RUN_TIMEOUT] = "hang",
    };

    if (result->end == FW_RUN_EXITED)
        snprintf(text, 64, "exit %d", result->code);
    else if (result->end == FW_RUN_SIGNAL)
        snprintf(text, 64, "signal %d (%s)", result->code, strsignal(result->code));
    else
        snprintf(text, 64, "%s", words[result->end]);
    return text;
}
