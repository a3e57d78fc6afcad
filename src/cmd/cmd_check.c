/*
 * cmd_check.c - foreweave check: streams a trace through analyses and reports.
 */
#include "analysis/engine.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "report/report.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PAIRS_SITE,
    PAIRS_ALL,
};

enum {
    CP_BY_PAIRS = -1, /* not given: what --pairs implies */
    CP_FIRST_SOUND,
    CP_RELATION,
};

enum {
    ATOMIC_BLOCKS,
    ATOMIC_FUNCTIONS,
};

static const char *const pairs_choices[] = { "site", "all", NULL };
static const char *const cp_choices[] = { "first-sound", "relation", NULL };
static const char *const atomic_choices[] = { "blocks", "functions", NULL };

struct check {
    struct fw_words analyses;
    int pairs, cp, atomic;
    uint64_t jobs; /* 0: as many as are useful here */
    bool repair;
    int from;
    int format;
    const char *output;
    bool stats;
};

static const struct check defaults = { .cp = CP_BY_PAIRS, .from = FW_FROM_UNKNOWN };

#define WHAT "what is looked for"

static const struct fw_option options[] = {
    { "analysis", 'a', "NAME[,NAME...]", "which analyses to run (see foreweave list)",
      FW_OPTION(LIST, struct check, analyses), WHAT,
      .detail = "Several analyses run over one reading of the trace. In this version the option "
                "has to be given." },
    { "pairs", 0, "WHICH", "site (default): merge equal sites; all: every pair",
      FW_OPTION(CHOICE, struct check, pairs), WHAT, .choices = pairs_choices,
      .detail = "By default findings whose events have the same sites are one finding, with the "
                "number of times it was found and the variables it was found on; where the trace "
                "has no sites, findings are told apart by variable. With all, every pair of events "
                "is a finding of its own, whatever time and memory that takes." },
    { "cp", 0, "MODE", "first-sound (default) or relation", FW_OPTION(CHOICE, struct check, cp),
      WHAT, .choices = cp_choices,
      .detail = "For the analysis cp: whether the two events of a reported race count as ordered "
                "from then on, so that later reports do not rest on earlier ones, or every "
                "unordered pair of the relation is reported, as --pairs=all implies." },
    { "atomic", 0, "WHAT", "blocks (default) or functions must be atomic",
      FW_OPTION(CHOICE, struct check, atomic), WHAT, .choices = atomic_choices,
      .detail = "For sidetrack and velodrome: the blocks marked in the trace by begin and end, or "
                "every function call." },
    FW_REPAIR_OPTION(struct check, repair),
    FW_FROM_OPTION(struct check, from),
    { "jobs", 'j', "N", "use N threads (default: as many as help)",
      FW_OPTION(COUNT, struct check, jobs),
      .detail = "Reading and analyses can run side by side. The report is the same for any "
                "number." },
    FW_FORMAT_OPTION(struct check, format),
    FW_OUTPUT_OPTION(struct check, output),
    { "stats", 0, NULL, "add times and memory to the report", FW_OPTION(FLAG, struct check, stats),
      .detail = "Without it equal traces give equal reports, byte for byte." },
    { 0 },
};

FW_VEC_TYPE(selection, const struct fw_analysis *);

/* A job at work; what the reports are written from. */
struct job {
    const struct check *check;
    const char *path;
    struct fw_reader *reader;
    struct fw_engine *engine;
    bool has_branches;
    double seconds;
};

static int unknown_analysis(const char *name)
{
    struct fw_suggestion near = { .word = name };

    for (size_t i = 0; fw_analyses[i]; i++)
        fw_suggest(&near, fw_analyses[i]->name);
    if (near.best)
        return fw_cmd_usage("no analysis '%s' in this version: did you mean '%s'? "
                            "'foreweave list' names them",
                            name, near.best);
    return fw_cmd_usage("no analysis '%s' in this version: 'foreweave list' names them", name);
}

static bool selected(const struct selection *selection, const struct fw_analysis *analysis)
{
    for (size_t i = 0; i < selection->len; i++)
        if (selection->at[i] == analysis)
            return true;
    return false;
}

/* Naming an analysis twice runs it once. */
static int select_named(const struct fw_words *names, struct selection *selection)
{
    for (size_t i = 0; i < names->len; i++) {
        const struct fw_analysis *analysis = fw_analysis_find(names->at[i]);

        if (!analysis)
            return unknown_analysis(names->at[i]);
        if (!selected(selection, analysis))
            fw_vec_push(selection, analysis);
    }
    return 0;
}

static int select_default(struct selection *selection)
{
    for (size_t i = 0; fw_analyses[i]; i++)
        if (fw_analyses[i]->by_default)
            fw_vec_push(selection, fw_analyses[i]);
    if (selection->len == 0)
        return fw_cmd_usage("the default analyses (race, deadlock, atomicity, nondet) are not "
                            "built in this version: name others, for example --analysis=cp,hb; "
                            "'foreweave list' names them");
    return 0;
}

static uint64_t peak_kilobytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss : 0;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

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

static struct fw_engine *create_engine(const struct job *job, const struct selection *selection)
{
    const struct check *check = job->check;
    bool pairs_all = check->pairs == PAIRS_ALL;
    struct fw_analysis_setup setup = {
        .symbols = fw_reader_symbols(job->reader),
        .has_branches = job->has_branches,
        .pairs_all = pairs_all,
        .cp_relation = check->cp == CP_BY_PAIRS ? pairs_all : check->cp == CP_RELATION,
        .atomic_functions = check->atomic == ATOMIC_FUNCTIONS,
    };
    struct fw_engine *engine = fw_engine_create(selection->at, selection->len, &setup);

    fw_engine_use_jobs(engine, check->jobs ? (size_t)check->jobs : processors());
    return engine;
}

/* 0 or -1. */
static int feed(struct job *job, struct fw_error *err)
{
    const struct fw_read_status *status = fw_reader_status(job->reader);
    struct fw_progress progress;
    struct fw_batch batch;
    int got;

    fw_progress_init(&progress, STDERR_FILENO, size_of(job->path), now());
    while ((got = fw_reader_next(job->reader, &batch, err)) > 0) {
        fw_engine_batch(job->engine, &batch);
        if (progress.wanted)
            fw_progress_update(&progress, now(), status->events, status->bytes);
    }
    if (got == 0)
        fw_engine_finish(job->engine);
    fw_progress_clear(&progress);
    return got;
}

/* Reads to the end; 0 or the exit status. */
static int analyse(struct job *job, const struct selection *selection)
{
    double start = now();
    struct fw_error err;
    int got = fw_reader_has_branches(job->reader, &err);

    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    job->has_branches = got;
    job->engine = create_engine(job, selection);
    if (feed(job, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    job->seconds = now() - start;
    return 0;
}

/* What another command needs to read this trace in the same way. */
static void reading_options(const struct check *check, char *text, size_t size)
{
    const char *from = fw_format_name(check->from);

    snprintf(text, size, "%s%s%s%s", check->repair ? "--repair " : "", from ? "--from=" : "",
             from ? from : "", from ? " " : "");
}

static int report(const struct job *job)
{
    const struct check *check = job->check;
    struct fw_report_stats stats = { job->seconds, peak_kilobytes() };
    char again[64];
    struct fw_report report = {
        .name = fw_reader_name(job->reader),
        .path = strcmp(job->path, "-") == 0 ? NULL : job->path,
        .format = fw_reader_format(job->reader),
        .reading_options = again,
        .status = fw_reader_status(job->reader),
        .symbols = fw_reader_symbols(job->reader),
        .has_branches = job->has_branches,
        .engine = job->engine,
        .stats = check->stats ? &stats : NULL,
    };
    struct fw_output out;
    int status = fw_cmd_output(&out, check->output);

    if (status)
        return status;
    reading_options(check, again, sizeof again);
    fw_cmd_read_warnings(job->reader, "analysed");
    if (check->format == FW_FORMAT_JSON)
        fw_report_json(&report, &out);
    else
        fw_report_text(&report, !check->output && fw_cmd_colour(STDOUT_FILENO), &out);
    return fw_cmd_output_close(&out, fw_report_findings(&report) ? FW_EXIT_FINDINGS : FW_EXIT_OK);
}

static int run(const void *values, int argc, char **argv)
{
    const struct check *check = values;
    struct fw_read_options reading = { .repair = check->repair,
                                       .format = fw_format_name(check->from) };
    struct selection selection = { 0 };
    struct job job = { .check = check, .path = argv[0] };
    int status = fw_cmd_check_output(check->output, argc, argv);

    if (!status)
        status = check->analyses.len ? select_named(&check->analyses, &selection)
                                     : select_default(&selection);
    if (!status)
        status = fw_cmd_open_trace(&job.reader, argv[0], &reading);
    if (!status)
        status = analyse(&job, &selection);
    if (!status)
        status = report(&job);
    fw_engine_destroy(job.engine);
    fw_reader_close(job.reader);
    fw_vec_release(&selection);
    return status;
}

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "nothing found" },
    { FW_EXIT_FINDINGS, "something was found" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the trace is missing or malformed" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work, for example write its report" },
    { 0, NULL },
};

static const struct fw_example examples[] = {
    { "foreweave check --analysis=cp a.std", "races that the order of locks hid in this run" },
    { "foreweave check -a cp --format=json -o report.json a.fwt", "a report for programs" },
    { "gzip -dc a.std.gz | foreweave check -a null -", "a stream: is it well-formed?" },
    { 0 },
};

const struct fw_command fw_cmd_check = {
    .name = "check",
    .summary = "analyse a trace",
    .operands = "TRACE",
    .description =
        "Reads TRACE (.fwt, .std or .tid; - is standard input) once, checks that it is "
        "well-formed, runs the analyses over it and prints their report. A malformed trace gets "
        "one error with its position. A binary trace without its end mark is analysed to its last "
        "complete block, with a warning.",
    .options = options,
    .options_size = sizeof(struct check),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .examples = examples,
    .exits = exits,
    .run = run,
};
