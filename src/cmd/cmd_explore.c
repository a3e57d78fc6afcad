/*
 * cmd_explore.c - foreweave explore: runs a program under many schedules.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/explore.h"
#include "cmd/explore_watch.h"
#include "cmd/hunted.h"
#include "cmd/inputs.h"
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
    const char *preemptions, *time, *limit, *ok, *output, *folder, *inputs;
    struct fw_escort_commands escort;
    struct fw_hunted_options iroots;
    bool until_first, quiet, virtual_time;
};

#define NOT_GIVEN UINT64_MAX

enum { NEVER, SHORT, ANY };

static const struct explore defaults = { .strategy = FW_EXPLORE_PCT,
                                         .timeouts = SHORT,
                                         .depth = 3,
                                         .seed = 1,
                                         .jobs = 1,
                                         .iroots = { .attempts = FW_HUNTED_ATTEMPTS,
                                                     .quiet = FW_PROFILING_QUIET,
                                                     .window = FW_IROOT_WINDOW,
                                                     .delay = 10 },
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
    [FW_EXPLORE_IROOT] = "iroot",
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
#define IROOTS  .group = "iRoots"
#define HOW     .group = "How to explore"

static const struct fw_option options[] = {
    { "strategy", 's', "NAME",
      "random, pct (default), pctlarge, delay, pos, chess, predict, iroot, none",
      FW_OPTION(CHOICE, struct explore, strategy), .choices = strategies, HOW,
      .detail = "random: at every point each thread that can go on is as likely as any other. pct: "
                "random priorities, which change at a few random points. pctlarge: the same, but "
                "priorities are weights. delay: all threads run at the same speed, with random "
                "delays. pos: partial order sampling. chess: all schedules, those with fewest "
                "preemptions first. predict: a run is recorded, what it could have shown otherwise "
                "is tried first, then pct. iroot: some runs are recorded, and what two threads "
                "could do to each other that no run has shown is tried, one after the other. none: "
                "nobody is preempted and all runs are the same, "
                "unless something else than the schedule decides." },
    { "depth", 'd', "D", "pct: bugs of this depth (3)", FW_OPTION(COUNT, struct explore, depth),
      .rare = true, HOW,
      .detail = "A bug of depth D needs D orderings of two events to show itself. Larger values "
                "find deeper bugs, with a smaller chance in each run." },
    { "preemptions", 0, "K", "chess: at most K preemptions, or all (2)",
      FW_OPTION(TEXT, struct explore, preemptions), .rare = true, HOW,
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
      FW_OPTION(CHOICE, struct explore, timeouts), .choices = timeouts, .rare = true, HOW,
      .detail = "Threads that wait with a time limit, or sleep, may find that it has passed at any "
                "point of the others, and the clocks go forward then. short: limits of at most a "
                "second. any: all, also those that never pass in practice. never: limits pass as "
                "time does." },
    { "jobs", 'j', "N", "runs at the same time (1)", FW_OPTION(COUNT, struct explore, jobs), HOW,
      .detail = "The result does not depend on it." },
    { "runs", 'n', "N", "end after N runs (1000 without another budget)",
      FW_OPTION(COUNT, struct explore, runs), BUDGETS,
      .detail = "Runs that are recorded first, with iroot and predict, are among them. Not counted "
                "are those that repeat a failing run to make its schedule." },
    { "time", 0, "SECONDS", "end within SECONDS", FW_OPTION(TEXT, struct explore, time), BUDGETS },
    { "until-first", 0, NULL, "end with the first failing run",
      FW_OPTION(FLAG, struct explore, until_first), BUDGETS },
    { "idle", 0, "N", "end after N runs without anything new",
      FW_OPTION(COUNT, struct explore, idle), .rare = true, BUDGETS,
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
    { "inputs", 0, "FILE", "one campaign for each line of FILE, which has arguments",
      FW_OPTION(FILE, struct explore, inputs), .rare = true,
      .detail = "They come behind those of the command line. Budgets are for each. With the memo "
                "database (--db, --strategy=iroot) what one input has exposed is not tried again "
                "with the next." },
    { "setup", 0, "COMMAND", "a command to run before each run",
      FW_OPTION(TEXT, struct explore, escort.setup), .rare = true, SERVERS,
      .detail = "It is run by the shell and must exit with 0." },
    { "drive", 0, "COMMAND", "a command that has the program do its work",
      FW_OPTION(TEXT, struct explore, escort.drive), .rare = true, SERVERS,
      .detail = "For servers: it is run by the shell when the program has started, with its "
                "process in FOREWEAVE_PID; connecting may take some tries. When it exits, the "
                "program is told to end. If it exits with another status than 0, also "
                "after the program has ended, the run has failed; behind --limit seconds more it "
                "is killed, which counts as status 124." },
    { "teardown", 0, "COMMAND", "a command that makes the program end (SIGTERM)",
      FW_OPTION(TEXT, struct explore, escort.teardown), .rare = true, SERVERS,
      .detail = "Without it a program that is driven is sent SIGTERM, and may end by it." },
    { "db", 0, "WHERE", "the memo database: a file, or postgresql://...",
      FW_OPTION(TEXT, struct explore, iroots.db), IROOTS,
      .detail = "What has been exposed, predicted and tried is kept there, for later campaigns, "
                "other inputs and other machines; what was exposed is not tried again. For "
                "--strategy=iroot it is .foreweave/memo.db unless said otherwise; other strategies "
                "write what their runs expose if it is given. See foreweave coverage." },
    { "profile", 0, "N", "iroot: record until N runs bring nothing new (3)",
      FW_OPTION(COUNT, struct explore, iroots.quiet), .rare = true, IROOTS },
    { "foresee", 0, NULL, "iroot: with --time too, profiles come first",
      FW_OPTION(FLAG, struct explore, iroots.foresee), .rare = true, IROOTS,
      .detail = "For a fifth of the time, or until N bring nothing new; then what has a witness." },
    { "attempts", 0, "K", "iroot: try each one K times at most (2)",
      FW_OPTION(COUNT, struct explore, iroots.attempts), .rare = true, IROOTS },
    { "idioms", 0, "LIST", "iroot: only these, as 1,2,5",
      FW_OPTION(LIST, struct explore, iroots.idioms), .rare = true, IROOTS },
    { "window", 0, "N", "accesses of a thread that an idiom may span (100)",
      FW_OPTION(COUNT, struct explore, iroots.window), .rare = true, IROOTS },
    { "delay", 0, "MS", "iroot: wait so long for threads in the kernel (10)",
      FW_OPTION(COUNT, struct explore, iroots.delay), .rare = true, IROOTS,
      .detail = "A thread that is held at a place of the iRoot goes on without the one it waits "
                "for if nobody else can run. Threads that wait for a file, a socket, a child or "
                "the time may come back and bring it: they have so many milliseconds. 0: none." },
    { "predictor", 0, "WHICH", "iroot: both (default), guess or proof",
      FW_OPTION(CHOICE, struct explore, iroots.predictor), .choices = fw_hunted_predictors,
      .rare = true, IROOTS,
      .detail = "guess: what the order of locks alone seems to allow; threads are held at the "
                "places in question. proof: what is proved to be possible, with a schedule." },
    { "thin", 0, "WHEN", "iroot: auto (default), always or never",
      FW_OPTION(CHOICE, struct explore, iroots.thin), .choices = fw_hunted_thin, .rare = true,
      IROOTS,
      .detail = "An attempt that holds threads at places sees these places, what shares memory in "
                "their functions, and synchronisation; all other hooks become nothing, so that it "
                "costs a small multiple of the program alone. If it seems to show what is sought, "
                "or fails, it is made again with everything seen, and that is what counts. auto: "
                "where a run enters a million basic blocks." },
    { "infeasible", 0, NULL, "iroot: also try what is proved not to happen",
      FW_OPTION(FLAG, struct explore, iroots.infeasible), .rare = true, IROOTS,
      .detail = "It is proved for reorderings of the recorded runs; others may differ." },
    { "own", 0, NULL, "iroot: only the program's own code",
      FW_OPTION(FLAG, struct explore, iroots.own), .rare = true, IROOTS },
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
    if (explore->inputs && explore->folder && setup->strategy != FW_EXPLORE_IROOT)
        return fw_cmd_usage("--inputs and --folder: a journal is about one input");
    setup->session.limit = LIMIT;
    setup->depth = (uint32_t)explore->depth;
    setup->jobs = (uint32_t)explore->jobs;
    status = parse_seconds("time", explore->time, &setup->seconds);
    if (!status)
        status = parse_seconds("limit", explore->limit, &setup->session.limit);
    if (!status)
        status = parse_preemptions(explore->preemptions, &setup->preemptions);
    if (!setup->runs && !setup->idle && setup->seconds <= 0 && !setup->until_first &&
        setup->strategy != FW_EXPLORE_CHESS && setup->strategy != FW_EXPLORE_IROOT)
        setup->runs = 1000;
    return status;
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

/* A hunt leaves out what was exposed before, also by runs that failed: then they count. */
static int exit_status(const struct fw_explored *explored)
{
    const struct fw_campaign_state *state = explored->state;

    if (state->failing ||
        (explored->setup->hunt && fw_hunted_knows_failures(explored->hunted, state)))
        return FW_EXIT_FINDINGS;
    return state->end == FW_CAMPAIGN_TIME || state->end == FW_CAMPAIGN_STOPPED || state->cut
               ? FW_EXIT_BUDGET
               : FW_EXIT_OK;
}

/* Names of points may be misspelt. */
static void warn_of_names(const struct fw_campaign_setup *setup, const struct fw_campaign *campaign)
{
    for (size_t i = 0; setup->names && setup->names[i]; i++)
        if (!fw_campaign_has_met(campaign, i))
            fw_cmd_warning("--points: no run came by a point in '%s'", setup->names[i]);
}

/* The campaign cannot go on: what it has found is told nevertheless. */
static int give_up(struct fw_explore_watch *watch, struct fw_explored_document *document,
                   const struct fw_error *err)
{
    fw_progress_clear(&watch->line);
    if (watch->explored.state->failing) {
        fw_explored_add(document, &watch->explored);
        fw_output_flush(&document->out);
    }
    return fw_cmd_fail(FW_EXIT_FAILURE, err);
}

static int explore_program(struct fw_campaign_setup *setup, struct fw_explore_watch *watch,
                           struct fw_explored_document *document)
{
    struct fw_error err = { "" };
    struct fw_campaign *campaign = fw_campaign_create(setup, &err);
    int status;

    if (!campaign)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    watch->explored.state = fw_campaign_state(campaign);
    if (fw_campaign_run(campaign, &err) < 0) {
        status = give_up(watch, document, &err);
    } else if (fw_campaign_is_uncontrolled(campaign)) {
        fw_cmd_error("'%s' cannot be controlled: it is linked statically, or starts a program that "
                     "was not built with 'foreweave cc'",
                     setup->session.argv[0]);
        status = FW_EXIT_INPUT;
    } else {
        fw_progress_clear(&watch->line);
        warn_of_names(setup, campaign);
        fw_explored_add(document, &watch->explored);
        status = exit_status(&watch->explored);
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
    if (setup->strategy == FW_EXPLORE_IROOT)
        return 0; /* the memo database knows what was done */
    setup->journal = fw_xasprintf("%s/journal", explore->folder);
    setup->about = about(explore, argv);
    return 0;
}

/* Records one run and foresees others, which come first.  Of a limited time recording may take what
 * a run may, and predicting half of the rest; the campaign has what is left. */
static int predict(const struct explore *explore, struct fw_explore_watch *watch,
                   struct fw_predicted *predicted, struct fw_campaign_setup *setup, char **argv)
{
    const char *folder = explore->folder ? explore->folder : fw_explore_watch_folder(watch);
    char *trace = folder ? fw_xasprintf("%s/trace.fwt", folder) : NULL;
    double start = fw_session_now(), all = setup->seconds, limit = setup->session.limit, left;
    double most = all > A_START ? all : A_START;
    struct fw_predicted_setup recording = { .argv = argv,
                                            .runtime = setup->session.runtime,
                                            .trace = trace,
                                            .seed = explore->seed,
                                            .limit = all > 0 && most < limit ? most : limit,
                                            .end_stuck = 1,
                                            .until = all > 0 ? start + all : 0,
                                            .stop = setup->session.stop,
                                            .hide = true,
                                            .quiet = explore->quiet };
    int status = trace ? fw_predicted_make(predicted, &recording) : FW_EXIT_FAILURE;

    free(trace);
    setup->recorded++;
    if (!status)
        setup->proposals = fw_predicted_propose(predicted);
    left = start + all - fw_session_now();
    if (all > 0)
        setup->seconds = left > NO_TIME ? left : NO_TIME;
    return status;
}

/* iRoots: what runs have exposed, and what is to be tried. */
static int begin_iroots(const struct explore *explore, struct fw_explore_watch *watch,
                        struct fw_hunted *hunted, struct fw_campaign_setup *setup)
{
    bool hunts = setup->strategy == FW_EXPLORE_IROOT;
    const char *folder = !hunts            ? NULL
                         : explore->folder ? explore->folder
                                           : fw_explore_watch_folder(watch);

    if (hunts && !folder)
        return FW_EXIT_FAILURE;
    hunted->quiet = explore->quiet;
    watch->explored.hunted = hunted;
    return fw_hunted_begin(hunted, setup, strategies[explore->strategy], folder);
}

/* One input: a campaign of its own. */
static int explore_input(const struct explore *explore, const struct fw_campaign_setup *common,
                         char **argv, struct fw_explored_document *document)
{
    struct fw_campaign_setup setup = *common;
    struct fw_explored explored = { &setup, NULL, strategies[explore->strategy], NULL };
    struct fw_predicted predicted = { 0 };
    struct fw_explore_watch watch;
    struct fw_hunted hunted;
    int status = fw_hunted_check(&hunted, &explore->iroots,
                                 explore->strategy == FW_EXPLORE_IROOT);

    setup.session.argv = argv;
    setup.context = &watch;
    fw_explore_watch_init(&watch, &explored, explore->quiet);
    if (!status)
        status = prepare_folder(explore, &setup, argv);
    if (!status && setup.strategy == FW_EXPLORE_PREDICT && setup.runs != 1)
        status = predict(explore, &watch, &predicted, &setup, argv);
    if (!status)
        status = begin_iroots(explore, &watch, &hunted, &setup);
    if (!status)
        status = explore_program(&setup, &watch, document);
    fw_hunted_release(&hunted);
    fw_predicted_release(&predicted, status);
    fw_explore_watch_release(&watch);
    free((char *)setup.journal);
    free((char *)setup.about);
    return status;
}

/* Of two inputs' statuses the one that says more. */
static int worse(int a, int b)
{
    static const int order[] = { FW_EXIT_FAILURE, FW_EXIT_USAGE, FW_EXIT_INPUT, FW_EXIT_FINDINGS,
                                 FW_EXIT_BUDGET };

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

static int explore_inputs(const struct explore *explore, struct fw_campaign_setup *setup,
                          const struct fw_inputs *inputs)
{
    struct fw_explored_document document = { .inputs = explore->inputs != NULL,
                                             .json = explore->format == FW_FORMAT_JSON };
    bool list = document.inputs && document.json, goes_on = true;
    struct fw_output *out = &document.out;
    int status = fw_cmd_output(out, explore->output);

    if (status)
        return status;
    fw_output_text(out, list ? "{\"schema\":1,\"inputs\":[" : "");
    for (size_t i = 0; i < inputs->at.len && goes_on && (!i || !*setup->session.stop); i++) {
        int own = explore_input(explore, setup, inputs->at.at[i], &document);

        goes_on = own == FW_EXIT_OK || own == FW_EXIT_FINDINGS || own == FW_EXIT_BUDGET;
        status = worse(status, own);
        fw_output_flush(out);
    }
    if (!goes_on && !document.count) {
        fw_output_abandon(out);
        return status;
    }
    fw_output_text(out, list ? "]}\n" : "");
    return fw_cmd_output_close(out, status);
}

static int run(const void *values, int argc, char **argv)
{
    const struct explore *explore = values;
    struct fw_campaign_setup setup = { .session = { .serve = true } };
    struct fw_places places = { 0 };
    struct fw_inputs inputs;
    struct fw_error err;
    int status = parse(explore, &setup);

    (void)argc;
    if (status)
        return status;
    if (fw_inputs_read(&inputs, explore->inputs, argv, &err) < 0 ||
        fw_launch_check(argv[0], &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else if (fw_places_find(&places, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    setup.session.runtime = places.runtime;
    setup.session.virtual_time = explore->virtual_time;
    setup.session.escort = explore->escort;
    setup.session.timeouts = longest[explore->timeouts];
    setup.session.stop = fw_interrupt_watch();
    setup.progress = fw_explore_watch_progress;
    setup.place = fw_explore_watch_folder;
    setup.folder = explore->folder;
    if (!status)
        status = explore_inputs(explore, &setup, &inputs);
    free((void *)setup.names);
    fw_inputs_release(&inputs);
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
    { FW_EXIT_FINDINGS, "a run has failed; with --strategy=iroot also one of an earlier campaign "
                        "with the same build, as the memo database says" },
    { FW_EXIT_BUDGET,
      "no run failed, but the time was over, runs were cut short, or the command interrupted" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work, also if failures were found and reported "
                       "before that" },
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
