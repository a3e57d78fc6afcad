/*
 * cmd_check.c - foreweave check: streams a trace through analyses and reports.
 */
#include "analysis/engine.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

struct check {
    struct fw_words analyses;
    bool repair;
    int from;
    int format;
    const char *output;
    bool stats;
};

static const struct check defaults = { .from = FW_FROM_UNKNOWN };

static const struct fw_option options[] = {
    { "analysis", 'a', "NAME[,NAME...]", "which analyses to run (see foreweave list)",
      FW_OPTION(LIST, struct check, analyses) },
    FW_REPAIR_OPTION(struct check, repair),
    FW_FROM_OPTION(struct check, from),
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
                            "built in this version: name others with --analysis; "
                            "'foreweave list' names them");
    return 0;
}

static uint64_t total_findings(const struct fw_engine *engine)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < fw_engine_count(engine); i++)
        sum += fw_engine_outcome(engine, i)->findings;
    return sum;
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

static void json_analyses(struct fw_json *json, const struct fw_engine *engine)
{
    fw_json_array(json, "analyses");
    for (size_t i = 0; i < fw_engine_count(engine); i++) {
        const struct fw_outcome *outcome = fw_engine_outcome(engine, i);

        fw_json_object(json, NULL);
        fw_json_text(json, "name", fw_engine_analysis(engine, i)->name);
        fw_json_number(json, "findings", outcome->findings);
        fw_json_bool(json, "complete", outcome->complete);
        if (!outcome->complete)
            fw_json_text(json, "why", outcome->why);
        if (outcome->note[0])
            fw_json_text(json, "note", outcome->note);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void report_json(const struct job *job, struct fw_output *out)
{
    const struct fw_read_status *status = fw_reader_status(job->reader);
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_object(&json, "trace");
    fw_json_text(&json, "name", fw_reader_name(job->reader));
    fw_json_text(&json, "format", fw_reader_format(job->reader));
    fw_json_number(&json, "events", status->events);
    fw_json_number(&json, "threads",
                   fw_symbols_count(fw_reader_symbols(job->reader), FW_SPACE_THREAD));
    fw_json_bool(&json, "branches", job->has_branches);
    fw_cmd_json_status(&json, status);
    fw_json_end(&json);
    fw_json_array(&json, "findings");
    fw_json_end(&json);
    json_analyses(&json, job->engine);
    if (job->check->stats) {
        fw_json_object(&json, "stats");
        fw_json_real(&json, "seconds", job->seconds);
        fw_json_number(&json, "peak_kilobytes", peak_kilobytes());
        fw_json_end(&json);
    }
    fw_json_end(&json);
}

static void report_text(const struct job *job, struct fw_output *out)
{
    const struct fw_read_status *status = fw_reader_status(job->reader);
    uint32_t threads = fw_symbols_count(fw_reader_symbols(job->reader), FW_SPACE_THREAD);
    uint64_t findings = total_findings(job->engine);

    for (size_t i = 0; i < fw_engine_count(job->engine); i++) {
        const struct fw_outcome *outcome = fw_engine_outcome(job->engine, i);

        fw_output_printf(out, "%s: %" PRIu64 " finding%s, %s%s",
                         fw_engine_analysis(job->engine, i)->name, outcome->findings,
                         outcome->findings == 1 ? "" : "s",
                         outcome->complete ? "complete" : "not complete: ", outcome->why);
        fw_output_printf(out, "%s%s%s\n", outcome->note[0] ? " (" : "", outcome->note,
                         outcome->note[0] ? ")" : "");
    }
    if (job->check->stats)
        fw_output_printf(out, "stats: %.3f s, %.0f events/s, peak memory %" PRIu64 " KiB\n",
                         job->seconds, job->seconds > 0 ? (double)status->events / job->seconds : 0,
                         peak_kilobytes());
    fw_output_printf(out,
                     "foreweave: %" PRIu64 " finding%s in %" PRIu64 " event%s of %u thread%s\n",
                     findings, findings == 1 ? "" : "s", status->events,
                     status->events == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

/* Reads to the end; 0 or the exit status. */
static int analyse(struct job *job, const struct selection *selection)
{
    struct fw_analysis_setup setup = { .symbols = fw_reader_symbols(job->reader) };
    double start = now();
    struct fw_batch batch;
    struct fw_error err;
    int got = fw_reader_has_branches(job->reader, &err);

    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    setup.has_branches = job->has_branches = got;
    job->engine = fw_engine_create(selection->at, selection->len, &setup);
    while ((got = fw_reader_next(job->reader, &batch, &err)) > 0)
        fw_engine_batch(job->engine, &batch);
    if (got < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    fw_engine_finish(job->engine);
    job->seconds = now() - start;
    return 0;
}

static int report(const struct job *job)
{
    struct fw_output out;
    int status = fw_cmd_output(&out, job->check->output);

    if (status)
        return status;
    fw_cmd_read_warnings(job->reader, "analysed");
    (job->check->format == FW_FORMAT_JSON ? report_json : report_text)(job, &out);
    return fw_cmd_output_close(&out, total_findings(job->engine) ? FW_EXIT_FINDINGS : FW_EXIT_OK);
}

static int run(const void *values, int argc, char **argv)
{
    const struct check *check = values;
    struct fw_read_options reading = { .repair = check->repair,
                                       .format = fw_format_name(check->from) };
    struct selection selection = { 0 };
    struct job job = { .check = check };
    int status;

    (void)argc;
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
    { "foreweave check --analysis=null a.std", "reads and checks the whole trace" },
    { "foreweave check -a null --format=json -o report.json a.fwt", "a report for programs" },
    { "gzip -dc a.std.gz | foreweave check -a null -", "from a pipe" },
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
