/*
 * cmd_explore.c - foreweave explore: runs a program under many schedules.
 */
#include "base/alloc.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/explore.h"
#include "cmd/interrupt.h"
#include "cmd/places.h"
#include "cmd/predicted.h"
#include "record/launch.h"
#include "record/places.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct explore {
    int strategy, format, timeouts;
    struct fw_words points;
    uint64_t depth, seed, runs, idle, jobs;
    const char *preemptions, *time, *limit, *ok, *output, *folder;
    struct fw_escort_commands escort;
    bool until_first, quiet, virtual_time;
};

#define NOT_GIVEN UINT64_MAX

enum { NEVER, SHORT, ANY };

static const struct explore defaults = { .strategy = FW_EXPLORE_PCT,
                                         .timeouts = SHORT,
                                         .depth = 3,
                                         .seed = 1,
                                         .jobs = 1,
                                         .runs = NOT_GIVEN,
                                         .idle = NOT_GIVEN };

static const char *const strategies[] = {
    [FW_EXPLORE_RANDOM] = "random",
    [FW_EXPLORE_PCT] = "pct",
    [FW_EXPLORE_PCT_LARGE] = "pctlarge",
    [FW_EXPLORE_DELAY] = "delay",
    [FW_EXPLORE_POS] = "pos",
    [FW_EXPLORE_CHESS] = "chess",
    [FW_EXPLORE_PREDICT] = "predict",
    [FW_EXPLORE_NONE] = "none",
    NULL,
};

static const char *const timeouts[] = { [NEVER] = "never", [SHORT] = "short", [ANY] = "any", NULL };
/* In ns. */
static const uint64_t longest[] = { [NEVER] = 0, [SHORT] = 1000000000, [ANY] = UINT64_MAX };

static const struct {
    const char *name;
    uint32_t flags;
} points[] = {
    { "shared", 0 },
    { "all", FW_CONTROL_ALL_POINTS },
    { "sync", FW_CONTROL_SYNC_ONLY },
};

#define LIMIT   10   /* seconds of a run, unless told otherwise */
#define NO_TIME 1e-9 /* seconds: 0 would be any number of them */
#define A_START 1    /* second that a recorded program has at least */

#define BUDGETS .group = "Budgets"
#define SERVERS .group = "Servers"
#define HOW     .group = "How to explore"

static const struct fw_option options[] = {
    { "strategy", 's', "NAME", "random, pct (default), pctlarge, delay, pos, chess, predict, none",
      FW_OPTION(CHOICE, struct explore, strategy), .choices = strategies, HOW,
      .detail = "random: at every point each thread that can go on is as likely as any other. pct: "
                "random priorities, which change at a few random points. pctlarge: the same, but "
                "priorities are weights. delay: all threads run at the same speed, with random "
                "delays. pos: partial order sampling. chess: all schedules, those with fewest "
                "preemptions first. predict: a run is recorded, what it could have shown otherwise "
                "is tried first, then pct. none: nobody is preempted and all runs are the same, "
                "unless something else than the schedule decides." },
    { "depth", 'd', "D", "pct: bugs of this depth (3)", FW_OPTION(COUNT, struct explore, depth),
      HOW,
      .detail = "A bug of depth D needs D orderings of two events to show itself. Larger values "
                "find deeper bugs, with a smaller chance in each run." },
    { "preemptions", 0, "K", "chess: at most K preemptions, or all (2)",
      FW_OPTION(TEXT, struct explore, preemptions), HOW,
      .detail = "With all, schedules are searched up to the order of operations that do not depend "
                "on each other." },
    { "points", 0, "WHICH", "shared (default), all, sync, or names",
      FW_OPTION(LIST, struct explore, points), HOW,
      .detail = "Where threads can be switched. shared: at calls that synchronise or that others "
                "see the effect of, and at accesses in places that were seen to touch memory that "
                "threads share. all: at all accesses. sync: only at calls. Otherwise functions and "
                "FILE:LINEs, with commas between them: only there, and where a thread waits." },
    { "seed", 0, "N", "of all random choices (1)", FW_OPTION(COUNT, struct explore, seed), HOW },
    { "virtual-time", 0, NULL, "sleeping takes no time",
      FW_OPTION(FLAG, struct explore, virtual_time), .rare = true, HOW,
      .detail = "When all threads sleep or wait until some time, the clocks go forward at once." },
    { "timeouts", 0, "WHICH", "waits that may time out: never, short (default), any",
      FW_OPTION(CHOICE, struct explore, timeouts), .choices = timeouts, HOW,
      .detail = "Threads that wait with a time limit, or sleep, may find that it has passed at any "
                "point of the others, and the clocks go forward then. short: limits of at most a "
                "second. any: all, also those that never pass in practice. never: limits pass as "
                "time does." },
    { "jobs", 'j', "N", "runs at the same time (1)", FW_OPTION(COUNT, struct explore, jobs), HOW,
      .detail = "The result does not depend on it." },
    { "runs", 'n', "N", "end after N runs (1000 without another budget)",
      FW_OPTION(COUNT, struct explore, runs), BUDGETS },
    { "time", 0, "SECONDS", "end within SECONDS", FW_OPTION(TEXT, struct explore, time), BUDGETS },
    { "until-first", 0, NULL, "end with the first failing run",
      FW_OPTION(FLAG, struct explore, until_first), BUDGETS },
    { "idle", 0, "N", "end after N runs without anything new",
      FW_OPTION(COUNT, struct explore, idle), BUDGETS,
      .detail = "New is a failure, a place that touches shared memory, or two places that touch "
                "the same object one after the other in different threads." },
    { "limit", 0, "SECONDS", "a longer run hangs, which is a failure (10)",
      FW_OPTION(TEXT, struct explore, limit), BUDGETS,
      .detail = "But one that still comes by points then, and by fewer so far than a run that came "
                "to its end, is cut short and no failure." },
    { "ok", 0, "COMMAND", "a command that says whether a run was right",
      FW_OPTION(TEXT, struct explore, ok),
      .detail = "Without it a run is right if it exits with status 0. The command is run by the "
                "shell after each run that came to its end and exits with 0 if it was right. In "
                "its environment FOREWEAVE_STATUS is the exit status (128 + N after signal N) and "
                "FOREWEAVE_OUTPUT a file with what was printed. Deadlocks and runs that hang are "
                "always failures." },
    { "setup", 0, "COMMAND", "a command to run before each run",
      FW_OPTION(TEXT, struct explore, escort.setup), .rare = true, SERVERS,
      .detail = "It is run by the shell and must exit with 0." },
    { "drive", 0, "COMMAND", "a command that has the program do its work",
      FW_OPTION(TEXT, struct explore, escort.drive), .rare = true, SERVERS,
      .detail = "For servers: it is run by the shell when the program has started, with its "
                "process in FOREWEAVE_PID; connecting may take some tries. When it exits, the "
                "program is told to end. If it exits with another status than 0 the run has "
                "failed." },
    { "teardown", 0, "COMMAND", "a command that makes the program end (SIGTERM)",
      FW_OPTION(TEXT, struct explore, escort.teardown), .rare = true, SERVERS,
      .detail = "Without it a program that is driven is sent SIGTERM, and may end by it." },
    { "folder", 0, "DIR", "keep runs and schedules in DIR, and go on there",
      FW_OPTION(DIR, struct explore, folder),
      .detail = "What the runs have shown is kept in DIR/journal. The same command again takes "
                "from there what was done before, also if it was killed. DIR is made if it is not "
                "there. Without this option only the schedules of failures are kept, in a folder "
                "of their own in .foreweave." },
    FW_FORMAT_OPTION(struct explore, format),
    FW_OUTPUT_OPTION(struct explore, output),
    { "quiet", 'q', NULL, "no progress", FW_OPTION(FLAG, struct explore, quiet) },
    { 0 },
};

/* --- options --------------------------------------------------------------------------------- */

static int parse_seconds(const char *name, const char *text, double *seconds)
{
    char *end;

    if (!text)
        return 0;
    *seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(*seconds) || *seconds <= 0)
        return fw_cmd_usage("--%s: '%s' is not a number of seconds", name, text);
    return 0;
}

static int parse_preemptions(const char *text, uint32_t *preemptions)
{
    uint64_t value = 2;

    if (text && strcmp(text, "all") == 0)
        value = FW_ANY_PREEMPTIONS;
    else if (text && (fw_parse_count(text, &value) < 0 || value >= 1000))
        return fw_cmd_usage("--preemptions: '%s' is neither a number below 1000 nor 'all'", text);
    *preemptions = (uint32_t)value;
    return 0;
}

static void parse_points(const struct explore *explore, struct fw_campaign_setup *setup)
{
    const struct fw_words *words = &explore->points;

    for (size_t i = 0; i < sizeof points / sizeof *points && words->len == 1; i++)
        if (strcmp(words->at[0], points[i].name) == 0) {
            setup->points = points[i].flags;
            return;
        }
    if (!words->len)
        return;
    setup->points = FW_CONTROL_NAMED_ONLY;
    setup->names = fw_xcalloc(words->len + 1, sizeof *setup->names);
    memcpy((const char **)setup->names, words->at, words->len * sizeof *setup->names);
}

static int parse(const struct explore *explore, struct fw_campaign_setup *setup)
{
    int status;

    setup->strategy = (enum fw_explore_strategy)explore->strategy;
    parse_points(explore, setup);
    setup->seed = explore->seed;
    setup->runs = explore->runs == NOT_GIVEN ? 0 : explore->runs;
    setup->idle = explore->idle == NOT_GIVEN ? 0 : explore->idle;
    setup->until_first = explore->until_first;
    setup->ok = explore->ok;
    if (!explore->runs || !explore->idle)
        return fw_cmd_usage("--runs and --idle must be at least 1");
    if (explore->depth < 1 || explore->depth > 64)
        return fw_cmd_usage("--depth: %" PRIu64 " is not between 1 and 64", explore->depth);
    if (explore->jobs < 1 || explore->jobs > 256)
        return fw_cmd_usage("--jobs: %" PRIu64 " is not between 1 and 256", explore->jobs);
    setup->session.limit = LIMIT;
    setup->depth = (uint32_t)explore->depth;
    setup->jobs = (uint32_t)explore->jobs;
    status = parse_seconds("time", explore->time, &setup->seconds);
    if (!status)
        status = parse_seconds("limit", explore->limit, &setup->session.limit);
    if (!status)
        status = parse_preemptions(explore->preemptions, &setup->preemptions);
    if (!setup->runs && !setup->idle && setup->seconds <= 0 && !setup->until_first &&
        setup->strategy != FW_EXPLORE_CHESS)
        setup->runs = 1000;
    return status;
}

/* --- progress -------------------------------------------------------------------------------- */

struct watch {
    struct fw_explored explored;
    char *folder; /* of schedules */
    struct fw_progress line;
    uint64_t next; /* runs at which the next line is due, where there is no terminal */
    bool quiet;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void say_line(struct watch *watch)
{
    struct fw_output out;

    if (watch->explored.state->runs < watch->next)
        return;
    while (watch->next <= watch->explored.state->runs)
        watch->next *= 10;
    fw_output_open_fd(&out, STDERR_FILENO, "standard error");
    fw_explored_line(&watch->explored, &out);
    fw_output_flush(&out);
    out.fd = -1; /* stays open */
    fw_output_abandon(&out);
}

static void watch_progress(void *context, const struct fw_campaign_state *state)
{
    struct watch *watch = context;
    char text[160];

    watch->explored.state = state;
    if (!watch->quiet && isatty(STDERR_FILENO)) {
        snprintf(text, sizeof text,
                 "%s: %" PRIu64 " runs, %.0f/s, %" PRIu64 " failed in %zu ways, %zu pairs",
                 watch->explored.strategy, state->runs,
                 (double)(state->runs - state->known) / (state->seconds + 1e-6), state->failing,
                 state->failures.len, state->pairs);
        fw_progress_line(&watch->line, now(), text);
    } else if (!watch->quiet) {
        say_line(watch);
    }
}

/* A folder of its own, when the first failure is found. */
static const char *make_folder(void *context)
{
    struct watch *watch = context;
    struct fw_error err;
    char *path, *slash;

    if (watch->folder)
        return watch->folder;
    if (fw_place_default(&path, &err) < 0) {
        fw_cmd_warning("no schedules are kept: %s", err.message);
        return NULL;
    }
    slash = strrchr(path, '/');
    watch->folder = fw_xstrndup(path, (size_t)(slash - path));
    free(path);
    return watch->folder;
}

/* --- the command ----------------------------------------------------------------------------- */

/* What two campaigns must have in common to share a journal. */
static char *about(const struct explore *explore, char **argv)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_output_printf(&out,
                     "strategy=%s depth=%" PRIu64 " preemptions=%s virtual-time=%d timeouts=%s "
                     "seed=%" PRIu64 " ok=%s points=",
                     strategies[explore->strategy], explore->depth,
                     explore->preemptions ? explore->preemptions : "2", explore->virtual_time,
                     timeouts[explore->timeouts], explore->seed, explore->ok ? explore->ok : "");
    for (size_t i = 0; i < explore->points.len; i++)
        fw_output_printf(&out, "%s,", explore->points.at[i]);
    for (char **word = argv; *word; word++)
        fw_output_printf(&out, " %s", *word);
    text = fw_xstrndup(out.buffer, out.used);
    for (char *at = text; *at; at++)
        if (*at == '\n')
            *at = ' ';
    fw_output_abandon(&out);
    return text;
}

static int exit_status(const struct fw_campaign_state *state)
{
    if (state->failing)
        return FW_EXIT_FINDINGS;
    return state->end == FW_CAMPAIGN_TIME || state->end == FW_CAMPAIGN_STOPPED || state->cut
               ? FW_EXIT_BUDGET
               : FW_EXIT_OK;
}

static int report(const struct explore *explore, const struct fw_explored *explored)
{
    struct fw_output out;
    int status = fw_cmd_output(&out, explore->output);

    if (status)
        return status;
    if (explored->state->blind)
        fw_cmd_warning("'%s' was not built with 'foreweave cc': threads were switched where they "
                       "synchronise, not where they access memory",
                       explored->setup->session.argv[0]);
    if (explore->format == FW_FORMAT_JSON)
        fw_explored_json(explored, &out);
    else
        fw_explored_text(explored, &out);
    return fw_cmd_output_close(&out, exit_status(explored->state));
}

/* Names of points may be misspelt. */
static void warn_of_names(const struct fw_campaign_setup *setup, const struct fw_campaign *campaign)
{
    for (size_t i = 0; setup->names && setup->names[i]; i++)
        if (!fw_campaign_has_met(campaign, i))
            fw_cmd_warning("--points: no run came by a point in '%s'", setup->names[i]);
}

static int explore_program(const struct explore *explore, struct fw_campaign_setup *setup,
                           struct watch *watch)
{
    struct fw_error err = { "" };
    struct fw_campaign *campaign = fw_campaign_create(setup, &err);
    int status;

    if (!campaign)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    watch->explored.state = fw_campaign_state(campaign);
    if (fw_campaign_run(campaign, &err) < 0) {
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    } else if (fw_campaign_is_uncontrolled(campaign)) {
        fw_cmd_error("'%s' cannot be controlled: it is linked statically, or starts a program that "
                     "was not built with 'foreweave cc'",
                     setup->session.argv[0]);
        status = FW_EXIT_INPUT;
    } else {
        fw_progress_clear(&watch->line);
        warn_of_names(setup, campaign);
        status = report(explore, &watch->explored);
    }
    fw_campaign_destroy(campaign);
    return status;
}

static int prepare_folder(const struct explore *explore, struct fw_campaign_setup *setup,
                          char **argv)
{
    struct fw_error err;

    if (!explore->folder)
        return 0;
    if (fw_folder_make(explore->folder, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    setup->journal = fw_xasprintf("%s/journal", explore->folder);
    setup->about = about(explore, argv);
    return 0;
}

/* Records one run and foresees others, which come first.  Of a limited time recording may take what
 * a run may, and predicting half of the rest; the campaign has what is left. */
static int predict(const struct explore *explore, struct watch *watch,
                   struct fw_predicted *predicted, struct fw_campaign_setup *setup, char **argv)
{
    const char *folder = explore->folder ? explore->folder : make_folder(watch);
    char *trace = folder ? fw_xasprintf("%s/trace.fwt", folder) : NULL;
    double start = now(), all = setup->seconds, limit = setup->session.limit, left;
    double most = all > A_START ? all : A_START;
    struct fw_predicted_setup recording = { .argv = argv,
                                            .runtime = setup->session.runtime,
                                            .trace = trace,
                                            .seed = explore->seed,
                                            .limit = all > 0 && most < limit ? most : limit,
                                            .until = all > 0 ? start + all : 0,
                                            .stop = setup->session.stop,
                                            .hide = true,
                                            .quiet = explore->quiet };
    int status = trace ? fw_predicted_make(predicted, &recording) : FW_EXIT_FAILURE;

    free(trace);
    if (!status)
        setup->proposals = fw_predicted_propose(predicted);
    left = start + all - now();
    if (all > 0)
        setup->seconds = left > NO_TIME ? left : NO_TIME;
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct explore *explore = values;
    struct fw_campaign_setup setup = { .session = { .argv = argv, .serve = true } };
    struct watch watch = { .next = 10, .quiet = explore->quiet };
    struct fw_predicted predicted = { 0 };
    struct fw_places places;
    struct fw_error err;
    int status = parse(explore, &setup);

    (void)argc;
    if (status)
        return status;
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (fw_places_find(&places, &err) < 0) {
        fw_places_release(&places);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    setup.session.runtime = places.runtime;
    setup.session.virtual_time = explore->virtual_time;
    setup.session.escort = explore->escort;
    setup.session.timeouts = longest[explore->timeouts];
    setup.session.stop = fw_interrupt_watch();
    setup.context = &watch;
    setup.progress = watch_progress;
    setup.place = make_folder;
    setup.folder = explore->folder;
    watch.explored = (struct fw_explored) { &setup, NULL, strategies[explore->strategy] };
    fw_progress_init(&watch.line, STDERR_FILENO, 0, now());
    status = prepare_folder(explore, &setup, argv);
    if (!status && setup.strategy == FW_EXPLORE_PREDICT)
        status = predict(explore, &watch, &predicted, &setup, argv);
    if (!status)
        status = explore_program(explore, &setup, &watch);
    fw_predicted_release(&predicted, status);
    free(watch.folder);
    free((void *)setup.names);
    free((char *)setup.journal);
    free((char *)setup.about);
    fw_places_release(&places);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave explore --until-first --runs=200 -- ./hidden", "until one makes it fail" },
    { "foreweave explore --strategy=chess -- ./hidden",
      "all schedules with at most 2 preemptions" },
    { "foreweave explore -j2 --time=60 --ok='grep -q done $FOREWEAVE_OUTPUT' -- ./hidden",
      "two at a time, judged by what they print" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "no run failed, and all runs were made or all schedules tried" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run or not be controlled, or the journal not be read" },
    { FW_EXIT_FINDINGS, "a run has failed" },
    { FW_EXIT_BUDGET,
      "no run failed, but the time was over, runs were cut short, or the command interrupted" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0, NULL },
};

const struct fw_command fw_cmd_explore = {
    .name = "explore",
    .summary = "run a program under many schedules",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM again and again. One thread runs at a time, and a strategy decides at every "
        "point which one goes on: before an access to memory that threads share, before a call "
        "that synchronises or whose effect others see (files, signals, the end of the process), "
        "when a thread starts or waits. Runs that exit with another status than "
        "0, are killed by a signal, deadlock or hang are failures, and are reported once for each "
        "way of failing. Each leaves a schedule, shortened, that 'foreweave replay' follows.\n\n"
        "The program should have been built with 'foreweave cc' or 'foreweave c++'. Its input is "
        "empty, what it prints is not shown.\n\n"
        "The same seed makes the same runs, with any number of jobs, if nothing but the schedule "
        "decides what the program does.",
    .options = options,
    .options_size = sizeof(struct explore),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
