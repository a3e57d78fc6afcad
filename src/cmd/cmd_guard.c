/*
 * cmd_guard.c - foreweave guard: runs a program and keeps its threads to interleavings that were
 * tested, or away from those of confirmed findings.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/guard.h"
#include "cmd/learning.h"
#include "cmd/places.h"
#include "cmd/trialrun.h"
#include "record/launch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct guard {
    const char *constraints, *from, *log, *off_file, *prepare, *state, *noise, *bare_list;
    int unseen, also, turn, kind;
    bool dry, strict, keep_calls, quiet;
    uint64_t stall, budget, hot, seed, force;
    const char *rollback;
    struct fw_words modules;
};

static const struct guard defaults = { .stall = 50, .budget = 5, .hot = 100000, .seed = 1 };

#define ROLLBACK 3 /* times */

enum {
    PSETS,
    TRANSACTIONS
};

static const char *const kinds[] = { "pset", "lifetx", NULL };
static const char *const unseens[] = { "ignore", "watch", NULL };
static const char *const alsos[] = { "watch", "ignore", NULL };
static const char *const turns[] = { "no", "on", "off", NULL };

static const struct fw_option options[] = {
    { "constraints", 'c', "FILE", "what passing runs taught ('foreweave learn')",
      FW_OPTION(FILE, struct guard, constraints) },
    { "kind", 0, "KIND", "what is kept: pset (default), lifetx",
      FW_OPTION(CHOICE, struct guard, kind), .choices = kinds,
      .detail = "pset: accesses depend only on those that they depended on in learning. lifetx: "
                "stretches of code that were atomic in all runs stay so; docs/lifetx.md. The "
                "constraints have what was learnt of either kind." },
    { "from", 0, "RESULT", "forbid the orders of confirmed findings only",
      FW_OPTION(FILE, struct guard, from),
      .detail = "RESULT is written by 'foreweave run --format=json'. Of two accesses the one that "
                "came later in the recorded run waits until the other has been made once; of three "
                "the other thread's must not come right behind the first. Everything else is "
                "allowed." },
    { "dry", 0, NULL, "only log what would be done", FW_OPTION(FLAG, struct guard, dry) },
    { "stall", 0, "MS", "an access waits so long at most (50)",
      FW_OPTION(COUNT, struct guard, stall),
      .detail = "Then it is made all the same, and what it depends on is allowed for the rest of "
                "the run." },
    { "rollback", 0, "N|off", "run a region again at most N times (3)",
      FW_OPTION(TEXT, struct guard, rollback),
      .detail =
          "Where waiting cannot help, or has not, the thread goes back to where the stretch "
          "of its function began that can be undone, and runs it again: accesses that are "
          "watched, mutexes taken, nothing else that others could see. Who gives mutexes back, "
          "so that others come first, may do so more often, until --stall is over." },
    { "unseen", 0, "HOW", "places that were never passed: ignore (default), watch",
      FW_OPTION(CHOICE, struct guard, unseen), .choices = unseens,
      .detail = "watch: they may depend on no access of another thread." },
    { "also", 0, "HOW", "accesses that come too early: watch (default), ignore",
      FW_OPTION(CHOICE, struct guard, also), .choices = alsos,
      .detail = "watch: an access that in learning always depended on another thread's waits for "
                "that if it finds memory untouched, or as its own thread left it; so does a read "
                "that never came behind another thread's read, if it does now. ignore: only what "
                "depends on other threads is looked at, as in the source of predecessor sets." },
    { "budget", 0, "PERCENT", "switch off when threads wait longer (5)",
      FW_OPTION(COUNT, struct guard, budget),
      .detail = "Of the time of the threads that take part, in the last ten seconds; a program "
                "that has begun later is taken to have run for ten. Also when in more than half of "
                "them some thread waited, whatever the others did. 100: never." },
    { "hot", 0, "N", "retire places that are passed N times in a second (100000)",
      FW_OPTION(COUNT, struct guard, hot), .rare = true,
      .detail = "Or a quarter as often in a sixteenth of one. For the rest of the run they are not "
                "looked at, and places that depend on them are not judged. 0: none, whatever it "
                "costs." },
    { "bare-list", 0, "FILE", "write the functions that builds may leave unhooked",
      FW_OPTION(FILE, struct guard, bare_list), .rare = true,
      .detail = "Those all of whose watched places were retired in this run, for clang's "
                "-fsanitize-ignorelist=FILE: in numeric code calls of hooks cost even where they "
                "are made nothing. Such a build is to be learnt from itself. Not with --prepare or "
                "--state." },
    { "log", 0, "FILE", "append violations to FILE, a line of JSON each",
      FW_OPTION(FILE, struct guard, log),
      .detail = "'foreweave learn --accept=FILE' adds what was tested since." },
    { "off-file", 0, "FILE", "switch off while FILE is there",
      FW_OPTION(FILE, struct guard, off_file),
      .detail = "SIGUSR1 to this command switches off, SIGUSR2 on." },
    { "strict", 0, NULL, "do not run the program unguarded", FW_OPTION(FLAG, struct guard, strict),
      .detail = "Otherwise a program whose constraints cannot be used is run as it is, after an "
                "error. A program that cannot take part, or a service whose FILE is damaged, ends "
                "with status 3." },
    { "prepare", 0, "FILE", "write what a service needs, and do not run it",
      FW_OPTION(FILE, struct guard, prepare),
      .detail = "The variables of the environment that guard PROGRAM are printed; whoever starts "
                "it with them needs nothing else. FILE holds the log and the switch." },
    { "state", 0, "FILE", "tell what was done, of a FILE of --prepare",
      FW_OPTION(FILE, struct guard, state),
      .detail = "With --log what FILE has is appended; then PROGRAM must be the one that it was "
                "prepared for. Otherwise another one is only warned of, so that what a service "
                "still runs can be switched when its file was replaced." },
    { "switch", 0, "HOW", "with --state: on or off", FW_OPTION(CHOICE, struct guard, turn),
      .choices = turns },
    { "noise", 0, "PERMILLE[:USEC]", "make failures likely, as in 'learn'",
      FW_OPTION(TEXT, struct guard, noise), .rare = true },
    { "seed", 0, "N", "of the noise (1)", FW_OPTION(COUNT, struct guard, seed), .rare = true },
    { "force-rollback", 0, "PERMILLE", "run regions again for no reason, by the seed",
      FW_OPTION(COUNT, struct guard, force), .rare = true,
      .detail = "For testing: whatever is run again, the program must not notice." },
    { "keep-calls", 0, NULL, "do not change the calls of hooks",
      FW_OPTION(FLAG, struct guard, keep_calls), .rare = true,
      .detail = "For measuring what they cost, and where code must stay as it is." },
    { "module", 0, "FILE,...", "guard this library of the program, too",
      FW_OPTION(LIST, struct guard, modules) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct guard, quiet) },
    { 0 },
};

struct work {
    const struct guard *options;
    char **argv;
    char *program;
    struct fw_places places;
    struct fw_guard_plan plan;
    struct fw_guard_file file;
    struct fw_guard_log log;
    bool by_file; /* it is off because the file is there */
};

/* --- what was done --------------------------------------------------------------------------- */

static uint64_t count_of(const struct fw_guard_head *head, enum fw_guard_count what)
{
    return atomic_load(&head->counts[what]);
}

static void tell_counts(const struct fw_guard_head *head, uint64_t lost)
{
    uint32_t off = atomic_load(&head->off);

    fw_cmd_error("%" PRIu64 " violations: %" PRIu64 " avoided by waiting, %" PRIu64
                 " by rolling back, %" PRIu64 " %s; waited %.3f s; %" PRIu64
                 " hooks watched, %" PRIu64 " made nothing, %" PRIu64 " places retired%s",
                 count_of(head, FW_GUARD_VIOLATIONS), count_of(head, FW_GUARD_STALLED),
                 count_of(head, FW_GUARD_AGAIN), count_of(head, FW_GUARD_PASSED),
                 head->dry ? "only logged" : "not avoided",
                 (double)count_of(head, FW_GUARD_NS) / 1e9, count_of(head, FW_GUARD_PLACED),
                 count_of(head, FW_GUARD_PATCHED), count_of(head, FW_GUARD_RETIRED),
                 off == FW_GUARD_OFF_BUDGET  ? "; it switched itself off (--budget)"
                 : off == FW_GUARD_OFF_ASKED ? "; it is off"
                                             : "");
    if (head->force)
        fw_cmd_error("%" PRIu64 " regions were run again for no reason",
                     count_of(head, FW_GUARD_FORCED));
    if (lost)
        fw_cmd_warning("%" PRIu64 " violations were not logged: they came too fast", lost);
}

/* --- switches -------------------------------------------------------------------------------- */

static void switch_off(struct fw_guard_head *head, struct fw_guard_log *log, const char *why)
{
    uint32_t on = FW_GUARD_ON;

    if (atomic_compare_exchange_strong(&head->off, &on, FW_GUARD_OFF_ASKED))
        fw_guard_log_say(log, why);
}

/* What words say is of the time before. */
static void switch_on(struct fw_guard_head *head, struct fw_guard_log *log, const char *why)
{
    if (atomic_load(&head->off) == FW_GUARD_ON)
        return;
    atomic_fetch_add(&head->generation, 1);
    atomic_store(&head->off, FW_GUARD_ON);
    fw_guard_log_say(log, why);
}

static void look_for_file(struct work *work)
{
    bool there = work->options->off_file && access(work->options->off_file, F_OK) == 0;

    if (there && !work->by_file)
        switch_off(work->file.head, &work->log, "the file is there: the guard is off");
    if (!there && work->by_file)
        switch_on(work->file.head, &work->log, "the file is gone: the guard is on");
    work->by_file = there;
}

static void on_tick(void *context)
{
    struct work *work = context;

    fw_guard_log_drain(&work->log, &work->file);
    look_for_file(work);
}

static bool on_signal(int signal, void *context)
{
    struct work *work = context;

    if (signal == SIGUSR1)
        switch_off(work->file.head, &work->log, "a signal came: the guard is off");
    if (signal == SIGUSR2)
        switch_on(work->file.head, &work->log, "a signal came: the guard is on");
    return signal == SIGUSR1 || signal == SIGUSR2;
}

/* --- running --------------------------------------------------------------------------------- */

/* As a shell would say it. */
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell_run(const struct work *work)
{
    const struct fw_guard_head *head = work->file.head;
    const char *list = work->options->bare_list;
    struct fw_error err;

    if (!head->started) {
        fw_cmd_error("'%s' did not take part%s", work->argv[0],
                     work->options->strict ? "" : ": it ran unguarded");
        return;
    }
    if (list && fw_guard_bare_write(work->plan.program, head, list, &err) < 0)
        fw_cmd_error("%s", err.message);
    if (!work->options->quiet)
        tell_counts(head, work->log.reader.lost);
}

/* For the environment of the program; the caller's. */
static char *options_text(const struct work *work, const char *path)
{
    return fw_xasprintf("mode=guard:guard=%s%s", path, work->options->strict ? ":strict=1" : "");
}

static int run_guarded(struct work *work)
{
    char *text = options_text(work, work->file.path);
    struct fw_trialrun run = { .argv = work->argv,
                               .runtime = work->places.guard,
                               .options = text,
                               .tick = on_tick,
                               .takes = on_signal,
                               .context = work };
    struct fw_error err;
    int status = 0, got;

    look_for_file(work);
    got = fw_trialrun(&run, &status, &err);
    free(text);
    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    tell_run(work);
    return exit_status(status);
}

/* There is nothing to be switched, and who does it means the command. */
static bool is_switch(int signal, void *context)
{
    (void)context;
    return signal == SIGUSR1 || signal == SIGUSR2;
}

/* Nothing of ours is in the program. */
static int run_unguarded(const struct work *work)
{
    struct fw_trialrun run = { .argv = work->argv, .takes = is_switch };
    struct fw_error err;
    int status = 0;

    fw_cmd_error("'%s' runs unguarded", work->argv[0]);
    if (fw_trialrun(&run, &status, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    return exit_status(status);
}

static int print_environment(const struct work *work)
{
    struct fw_output out;
    char *path = realpath(work->file.path, NULL);
    char *text = path ? options_text(work, path) : NULL;
    int status = fw_cmd_output(&out, NULL);

    if (!status && text) {
        fw_output_printf(&out, "LD_PRELOAD=%s\n", work->places.guard);
        fw_output_printf(&out, "FOREWEAVE_OPTIONS=%s\n", text);
    }
    if (!status)
        status = fw_cmd_output_close(&out, FW_EXIT_OK);
    free(text);
    free(path);
    return status;
}

static int prepare(struct work *work, struct fw_error *err)
{
    const struct guard *given = work->options;
    FW_VEC(const char *) files = { 0 };
    size_t skipped = 0;
    int status;

    fw_vec_push(&files, work->program);
    for (size_t i = 0; i < given->modules.len; i++)
        fw_vec_push(&files, given->modules.at[i]);
    work->plan.program = fw_learn_program_open(files.at, files.len, err);
    fw_vec_release(&files);
    if (!work->plan.program)
        return -1;
    work->plan.lifetx = given->kind == TRANSACTIONS;
    status = given->from ? fw_guard_plan_result(&work->plan, given->from, &skipped, err)
                         : fw_guard_plan_constraints(&work->plan, given->constraints,
                                                     given->unseen == 1, err);
    if (status < 0)
        return -1;
    if (skipped && !given->quiet)
        fw_cmd_warning("%zu confirmed findings are no orders of accesses: they are not avoided",
                       skipped);
    if (work->plan.uncut && !given->quiet)
        fw_cmd_warning("'%s' has no cutpoints: all that a thread does is one transaction; "
                       "'foreweave learn --kind=lifetx' learns them",
                       given->constraints);
    if (work->plan.lost && !given->quiet)
        fw_cmd_warning("%zu cutpoints of the constraints are not in this build of '%s': more is "
                       "kept together than was learnt",
                       work->plan.lost, work->argv[0]);
    if (work->plan.missing && !given->quiet)
        fw_cmd_warning("%zu of %zu shared places of the constraints are not in this build of '%s'",
                       work->plan.missing, work->plan.sites, work->argv[0]);
    return fw_places_find(&work->places, err) < 0 ||
                   fw_guard_plan_write(&work->plan, &work->file, given->prepare, err) < 0
               ? -1
               : 0;
}

static int run_program(struct work *work)
{
    struct fw_error err;

    if (prepare(work, &err) < 0)
        return work->options->strict || work->options->prepare
                   ? fw_cmd_fail(FW_EXIT_INPUT, &err)
                   : (fw_cmd_fail(FW_EXIT_INPUT, &err), run_unguarded(work));
    if (work->options->prepare)
        return print_environment(work);
    if (fw_guard_log_open(&work->log, work->options->log, work->plan.program, &err) < 0) {
        fw_cmd_fail(FW_EXIT_INPUT, &err);
        if (work->options->strict)
            return FW_EXIT_INPUT;
    }
    return run_guarded(work);
}

/* --- the file of a service ------------------------------------------------------------------- */

/* Is the file of the program as it is now?  -1: err. */
static int check_program(const struct work *work, struct fw_error *err)
{
    const struct fw_guard_module *first = fw_guard_modules(work->file.head);
    struct stat about;

    if (stat(work->program, &about) < 0)
        return fw_error_errno(err, "cannot look at '%s'", work->program);
    if (work->file.head->module_count && first->device == about.st_dev &&
        first->inode == about.st_ino)
        return 0;
    return fw_error_set(err, "'%s' was prepared for another program than '%s', or another build",
                        work->options->state, work->argv[0]);
}

/* What the file says of places are numbers, which the program must tell. */
static int append_log(struct work *work, struct fw_error *err)
{
    const char *files[] = { work->program };

    if (check_program(work, err) < 0)
        return -1;
    work->plan.program = fw_learn_program_open(files, 1, err);
    if (!work->plan.program ||
        fw_guard_log_open(&work->log, work->options->log, work->plan.program, err) < 0)
        return -1;
    fw_guard_log_drain(&work->log, &work->file);
    return 0;
}

static int tell_state(struct work *work)
{
    struct fw_error err;

    if (fw_guard_file_open(&work->file, work->options->state, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (work->options->log && append_log(work, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (!work->options->log && check_program(work, &err) < 0)
        fw_cmd_warning("%s", err.message); /* a service may go on with a build that was replaced */
    if (work->options->turn == 1)
        switch_on(work->file.head, &work->log, "the guard is on");
    if (work->options->turn == 2)
        switch_off(work->file.head, &work->log, "the guard is off");
    tell_counts(work->file.head, work->log.reader.lost);
    return FW_EXIT_OK;
}

/* --- the command ----------------------------------------------------------------------------- */

/* -1: it is no number of the right size. */
static int64_t times_of(const char *text)
{
    char *end;
    unsigned long times;

    if (!text)
        return ROLLBACK;
    if (strcmp(text, "off") == 0)
        return 0;
    times = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && times <= 100 ? (int64_t)times : -1;
}

static int check_options(const struct guard *given)
{
    if (given->turn && !given->state)
        return fw_cmd_usage("--switch needs --state");
    if (given->constraints && given->from)
        return fw_cmd_usage("--constraints and --from exclude each other: either what was learnt "
                            "is allowed, or what was found is forbidden");
    if (!given->state && !given->constraints && !given->from)
        return fw_cmd_usage("--constraints or --from is needed: 'foreweave learn' makes "
                            "constraints");
    if (given->stall < 1 || given->stall > 10000)
        return fw_cmd_usage("--stall: 1 to 10000 milliseconds");
    if (given->budget < 1 || given->budget > 100)
        return fw_cmd_usage("--budget: 1 to 100 percent");
    if (given->bare_list && (given->prepare || given->state))
        return fw_cmd_usage("--bare-list tells of a run: it does not go with --prepare or --state");
    if (given->hot > 1000000000)
        return fw_cmd_usage("--hot: at most 1000000000");
    if (times_of(given->rollback) < 0)
        return fw_cmd_usage("--rollback: 0 to 100 times, or off");
    if (given->force > 1000)
        return fw_cmd_usage("--force-rollback: 0 to 1000");
    if (given->prepare && strchr(given->prepare, ':'))
        return fw_cmd_usage("--prepare: a file without ':' in its name");
    return 0;
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .options = values, .argv = argv, .file.fd = -1 };
    struct fw_error err;
    int status = check_options(values);

    (void)argc;
    if (status)
        return status;
    fw_signals_hold(SIGUSR1); /* the switches, from the beginning */
    fw_signals_hold(SIGUSR2);
    fw_signals_hold(SIGXFSZ); /* a file that may not grow is one that cannot be written */
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    work.program = fw_launch_path(argv[0]);
    work.plan.wish =
        (struct fw_guard_wish) { .also = work.options->also == 0,
                                 .dry = work.options->dry,
                                 .keep_calls = work.options->keep_calls,
                                 .stall = work.options->stall * 1000000u,
                                 .budget = (uint32_t)work.options->budget,
                                 .hot = (uint32_t)work.options->hot,
                                 .rollback = (uint32_t)times_of(work.options->rollback),
                                 .force = (uint32_t)work.options->force,
                                 .seed = work.options->seed };
    status = fw_learning_noise(work.options->noise, &work.plan.wish);
    if (!status)
        status = work.options->state ? tell_state(&work) : run_program(&work);
    if (fw_guard_log_close(&work.log, &err) < 0)
        fw_cmd_error("%s", err.message);
    fw_guard_file_release(&work.file);
    fw_guard_plan_release(&work.plan);
    fw_learn_program_close(work.plan.program);
    fw_places_release(&work.places);
    free(work.program);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave guard -c till.constraints --dry -- ./till", "what would be done?" },
    { "foreweave guard -c till.constraints --log=guard.log -- ./till", "do it, and tell" },
    { "foreweave guard --from=result.json -- ./till", "away from what is known to be wrong" },
    { "foreweave guard -c till.constraints --prepare=till.guard -- ./till",
      "for a service that others start" },
    { "foreweave guard --state=till.guard --switch=off -- ./till", "switch it off" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { 0, "to 255: the program's own status" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run; with --strict, --prepare or --state: a file "
                     "cannot be used" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0, NULL },
};

const struct fw_command fw_cmd_guard = {
    .name = "guard",
    .summary = "run a program and keep it to tested interleavings",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, which was built with 'foreweave cc' or 'foreweave c++', in parallel. Where "
        "threads were seen to share memory in learning, an access that would immediately depend on "
        "another thread's access in a way that no passing run has shown waits until that has "
        "changed, or its time is over. All other hooks are made nothing when the program is "
        "loaded. Every violation is logged with places, stack, what was done and how long that "
        "took.\n\n"
        "Nothing is waited for without a limit. SIGUSR1 and SIGUSR2 to this command, or the file "
        "of --off-file, switch the guard off and on while the program runs, and it switches itself "
        "off when it costs more than --budget. A program whose constraints cannot be used is run "
        "unguarded, after an error, unless --strict is given.",
    .options = options,
    .options_size = sizeof(struct guard),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
