/* atomrace_caught.c - see atomrace.h. */
#include "cmd/atomrace.h"

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fw_caught_init(struct fw_caught *caught)
{
    memset(caught, 0, sizeof *caught);
    fw_vec_push(&caught->selection, &fw_analysis_overlap);
    fw_vec_push(&caught->selection, &fw_analysis_between);
}

static void release_trace(struct fw_caught_trace *trace)
{
    fw_check_release(&trace->job);
    fw_reader_close(trace->job.reader);
    free(trace->path);
    free(trace);
}

void fw_caught_release(struct fw_caught *caught)
{
    for (size_t i = 0; i < caught->traces.len; i++)
        release_trace(caught->traces.at[i]);
    fw_noise_learnt_release(&caught->learnt);
    fw_vec_release(&caught->traces);
    fw_vec_release(&caught->findings);
    fw_vec_release(&caught->selection);
}

/* --- runs ------------------------------------------------------------------------------------ */

void fw_caught_begin_run(struct fw_caught *caught)
{
    caught->runs++;
}

/* False: it is known from before. */
static bool add_finding(struct fw_caught *caught, const struct fw_caught_trace *trace,
                        const struct fw_analysis *analysis, const struct fw_finding *finding)
{
    for (size_t i = 0; i < caught->findings.len; i++) {
        struct fw_caught_finding *known = &caught->findings.at[i];

        if (strcmp(known->finding->id, finding->id) != 0)
            continue;
        known->runs += known->last != trace->run;
        known->last = trace->run;
        return false;
    }
    fw_vec_push(&caught->findings,
                ((struct fw_caught_finding) { trace, analysis, finding, 1, trace->run }));
    return true;
}

/* The program says in the end how many there were.  If it did not come to that, a signal has ended
 * it, there are those in the trace: the first few of each two places. */
static void count_overlaps(struct fw_caught *caught, const struct fw_caught_trace *trace)
{
    static const char key[] = "overlaps=";
    const struct fw_lines *notes = &trace->job.recording.notes;
    const struct fw_findings *findings = fw_engine_findings(trace->job.engine, 0);

    for (size_t i = 0; i < notes->len; i++)
        if (strncmp(notes->at[i], key, sizeof key - 1) == 0) {
            caught->overlaps += strtoull(notes->at[i] + sizeof key - 1, NULL, 10);
            return;
        }
    for (uint64_t i = 0; i < fw_findings_count(findings); i++)
        caught->overlaps += fw_findings_get(findings, i)->count;
    caught->more_overlaps |= fw_findings_count(findings) > 0;
}

/* Is there anything in the trace that was not known? */
static bool take(struct fw_caught *caught, struct fw_caught_trace *trace)
{
    uint64_t count = 0;
    bool news = false;

    for (size_t a = 0; a < caught->selection.len; a++) {
        const struct fw_findings *findings = fw_engine_findings(trace->job.engine, a);

        count += fw_findings_count(findings);
        for (uint64_t i = 0; i < fw_findings_count(findings); i++)
            news |= add_finding(caught, trace, caught->selection.at[a],
                                fw_findings_get(findings, i));
    }
    if (count) {
        caught->with_findings += caught->latest != trace->run;
        caught->latest = trace->run;
    }
    count_overlaps(caught, trace);
    for (size_t i = 0; i < trace->job.recording.shared.len; i++)
        fw_noise_learn(&caught->learnt, trace->job.recording.shared.at[i]);
    return news;
}

static struct fw_caught_trace *trace_of(const struct fw_caught *caught, const char *path)
{
    struct fw_caught_trace *trace = fw_xcalloc(1, sizeof *trace);

    trace->path = fw_xstrdup(path);
    trace->run = caught->runs;
    trace->job = (struct fw_check_job) { .path = trace->path,
                                         .selection = &caught->selection,
                                         .limits = { .start = fw_check_now(), .jobs = 1 } };
    return trace;
}

static int examine(struct fw_caught_trace *trace, bool symbols)
{
    struct fw_read_options reading = { .symbols = symbols };
    int status = fw_cmd_open_trace(&trace->job.reader, trace->path, &reading);

    return status ? status : fw_check_run(&trace->job);
}

static bool has_findings(const struct fw_caught_trace *trace)
{
    for (size_t a = 0; a < trace->job.selection->len; a++)
        if (fw_findings_count(fw_engine_findings(trace->job.engine, a)))
            return true;
    return false;
}

/*
 * Source lines cost far more than all else (the libraries' debugging data is large and may be
 * compressed), and most runs show nothing: only traces with findings are read with them.
 */
static int examine_as_needed(const struct fw_caught *caught, const char *path,
                             struct fw_caught_trace **trace)
{
    int status = examine(*trace, false);

    if (status || !has_findings(*trace))
        return status;
    release_trace(*trace);
    *trace = trace_of(caught, path);
    return examine(*trace, true);
}

int fw_caught_add(struct fw_caught *caught, const char *path)
{
    struct fw_caught_trace *trace = trace_of(caught, path);
    int status = examine_as_needed(caught, path, &trace);

    if (!status && (take(caught, trace) || !caught->traces.len)) {
        fw_vec_push(&caught->traces, trace);
        return 0;
    }
    if (!status)
        unlink(path);
    release_trace(trace);
    return status;
}

/* --- the report ------------------------------------------------------------------------------ */

static struct fw_report report_of(const struct fw_caught_trace *trace)
{
    const struct fw_check_job *job = &trace->job;

    return (struct fw_report) {
        .name = fw_reader_name(job->reader),
        .path = job->path,
        .format = fw_reader_format(job->reader),
        .reading_options = "",
        .status = fw_reader_status(job->reader),
        .symbols = job->setup.symbols,
        .has_branches = job->has_branches,
        .engine = job->engine,
        .cut = job->cut,
        .recording = &job->recording,
    };
}

static void write_runs(struct fw_json *json, const struct fw_caught *caught)
{
    fw_json_object(json, "runs");
    fw_json_number(json, "count", caught->runs);
    fw_json_number(json, "with_findings", caught->with_findings);
    fw_json_number(json, "overlaps", caught->overlaps);
    if (caught->more_overlaps)
        fw_json_bool(json, "more_overlaps", true);
    fw_json_array(json, "seen");
    for (size_t i = 0; i < caught->findings.len; i++) {
        const struct fw_caught_finding *one = &caught->findings.at[i];

        fw_json_object(json, NULL);
        fw_json_text(json, "id", one->finding->id);
        fw_json_number(json, "runs", one->runs);
        fw_json_number(json, "run", one->trace->run);
        fw_json_text(json, "trace", one->trace->path);
        fw_json_end(json);
    }
    fw_json_end(json);
    fw_json_end(json);
}

static uint64_t count_of(const struct fw_caught *caught, const struct fw_analysis *analysis)
{
    uint64_t count = 0;

    for (size_t i = 0; i < caught->findings.len; i++)
        count += caught->findings.at[i].analysis == analysis;
    return count;
}

static void write_analyses(struct fw_json *json, const struct fw_caught *caught)
{
    fw_json_array(json, "analyses");
    for (size_t i = 0; i < caught->selection.len; i++) {
        fw_json_object(json, NULL);
        fw_json_text(json, "name", caught->selection.at[i]->name);
        fw_json_number(json, "findings", count_of(caught, caught->selection.at[i]));
        fw_json_bool(json, "complete", !caught->incomplete);
        if (caught->incomplete)
            fw_json_text(json, "why", caught->incomplete);
        fw_json_end(json);
    }
    fw_json_end(json);
}

static void write_json(const struct fw_caught *caught, struct fw_output *out)
{
    struct fw_report report = report_of(caught->traces.at[0]);
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_report_json_trace(&json, &report);
    fw_json_array(&json, "findings");
    for (size_t i = 0; i < caught->findings.len; i++) {
        const struct fw_caught_finding *one = &caught->findings.at[i];

        report = report_of(one->trace);
        report.one_of_several = true;
        fw_report_json_finding(&json, &report, one->analysis, one->finding);
    }
    fw_json_end(&json);
    write_analyses(&json, caught);
    write_runs(&json, caught);
    fw_json_end(&json);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void put_end(const struct fw_caught *caught, struct fw_output *out)
{
    struct fw_report first = report_of(caught->traces.at[0]);
    uint64_t findings = caught->findings.len;

    fw_report_text_notes(&first, out);
    if (caught->incomplete)
        fw_output_printf(out, "Not everything was looked at: %s\n", caught->incomplete);
    fw_output_printf(out, "foreweave: %" PRIu64 " finding%s in %" PRIu64 " run%s", findings,
                     plural(findings), caught->runs, plural(caught->runs));
    if (caught->runs > 1)
        fw_output_printf(out, ", %" PRIu64 " of which caught something", caught->with_findings);
    fw_output_printf(out, "; accesses overlapped %s%" PRIu64 " time%s\n",
                     caught->more_overlaps ? "at least " : "", caught->overlaps,
                     plural(caught->overlaps));
}

static void write_text(const struct fw_caught *caught, bool colour, bool quiet,
                       struct fw_output *out)
{
    for (size_t i = 0; i < caught->findings.len; i++) {
        const struct fw_caught_finding *one = &caught->findings.at[i];
        struct fw_report report = report_of(one->trace);

        fw_report_text_finding(&report, one->analysis, one->finding, colour, out);
        if (caught->runs > 1)
            fw_output_printf(out, "Finding %s: in %" PRIu64 " of %" PRIu64 " runs, run %" PRIu64
                                  " was the first: %s\n",
                             one->finding->id, one->runs, caught->runs, one->trace->run,
                             one->trace->path);
    }
    if (!quiet)
        put_end(caught, out);
}

int fw_caught_report(const struct fw_caught *caught, int format, const char *output, bool quiet)
{
    struct fw_output out;
    int status = fw_cmd_output(&out, output);

    if (status)
        return status;
    if (format == FW_FORMAT_JSON)
        write_json(caught, &out);
    else
        write_text(caught, !output && fw_cmd_colour(STDOUT_FILENO), quiet, &out);
    return fw_cmd_output_close(&out, caught->findings.len ? FW_EXIT_FINDINGS : 0);
}
