/*
 * cmd_trace_verify.c - foreweave trace verify: are the findings of a result proved?
 *
 * Reads a trace and a result, finds the result's events in the trace and has the verifier judge
 * each witness.
 */
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "report/result_match.h"
#include "trace/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct verify {
    bool repair;
    bool values;
    int from;
    int format;
    const char *output;
};

static const struct verify defaults = { .from = FW_FROM_UNKNOWN };

static const struct fw_option options[] = {
    { "values", 0, NULL, "reads of equal values are unchanged",
      FW_OPTION(FLAG, struct verify, values),
      .detail =
          "A read that sees another write of the value that it got in the trace counts as "
          "unchanged. A result that was made this way says so itself; this option does it for "
          "one that does not." },
    FW_REPAIR_OPTION(struct verify, repair),
    FW_FROM_OPTION(struct verify, from),
    FW_FORMAT_OPTION(struct verify, format),
    FW_OUTPUT_OPTION(struct verify, output),
    { 0 },
};

struct judge {
    struct fw_result_match match;
    struct fw_verifier *verifier;
    bool values; /* equal values are no change */
    const char *path; /* of the trace */
    uint64_t accepted, rejected, bare;
    uint64_t elsewhere; /* findings of other traces */
};

/* ---- judging ---- */

static struct fw_verdict judge_finding(struct judge *judge, const struct fw_result_finding *finding)
{
    struct fw_verdict verdict = { 0 };
    struct fw_witness witness;

    if (!fw_result_match(&judge->match, finding, &witness, &verdict))
        return verdict;
    fw_verifier_use_window(judge->verifier, finding->window);
    return fw_verify(judge->verifier, &witness);
}

/* A result of several runs has a trace for each. */
static bool is_elsewhere(const struct judge *judge, const struct fw_result_finding *finding)
{
    struct stat here, there;

    return finding->trace && strcmp(finding->trace, judge->path) != 0 &&
           (stat(judge->path, &here) != 0 || stat(finding->trace, &there) != 0 ||
            here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

static void judge_init(struct judge *judge, const struct fw_trace *trace, const char *path,
                       bool values)
{
    memset(judge, 0, sizeof *judge);
    judge->path = path;
    fw_result_match_init(&judge->match, trace);
    judge->values = values;
    judge->verifier = fw_verifier_create(trace);
    fw_verifier_use_values(judge->verifier, values);
}

static void judge_release(struct judge *judge)
{
    fw_verifier_destroy(judge->verifier);
    fw_result_match_release(&judge->match);
}

/* ---- reporting ---- */

/* Names come from files: nothing in them may move the cursor or look like another line. */
static void print_name(struct fw_output *out, const char *text)
{
    for (; *text; text++) {
        bool control = (unsigned char)*text < ' ' || *text == 0x7f;

        fw_output_bytes(out, control ? "?" : text, 1);
    }
}

static void text_rejected(struct fw_output *out, const struct fw_result_finding *finding,
                          const struct fw_verdict *verdict)
{
    fw_output_text(out, "rejected ");
    print_name(out, finding->id);
    fw_output_text(out, " ");
    print_name(out, finding->kind);
    fw_output_text(out, ": ");
    print_name(out, verdict->reason);
    fw_output_text(out, "\n");
}

static void json_finding(struct fw_json *json, const struct fw_result_finding *finding,
                         const struct fw_verdict *verdict)
{
    fw_json_object(json, NULL);
    fw_json_text(json, "id", finding->id);
    fw_json_text(json, "kind", finding->kind);
    if (!finding->has_witness) {
        fw_json_text(json, "verdict", "no-witness");
    } else if (verdict->accepted) {
        fw_json_text(json, "verdict", "accepted");
    } else {
        fw_json_text(json, "verdict", "rejected");
        if (verdict->step < finding->witness_count)
            fw_json_number(json, "step", verdict->step + 1);
        fw_json_text(json, "reason", verdict->reason);
    }
    fw_json_end(json);
}

static void judge_all(struct judge *judge, const struct fw_result *result, struct fw_output *out,
                      struct fw_json *json)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct fw_result_finding *finding = &result->findings[i];
        struct fw_verdict verdict = { 0 };

        if (is_elsewhere(judge, finding)) {
            judge->elsewhere++;
            continue;
        }
        if (finding->has_witness)
            verdict = judge_finding(judge, finding);
        if (!finding->has_witness)
            judge->bare++;
        else if (verdict.accepted)
            judge->accepted++;
        else
            judge->rejected++;
        if (json)
            json_finding(json, finding, &verdict);
        else if (finding->has_witness && !verdict.accepted)
            text_rejected(out, finding, &verdict);
    }
}

static void report_text(struct judge *judge, const struct fw_result *result, struct fw_output *out)
{
    judge_all(judge, result, out, NULL);
    fw_output_printf(out,
                     "foreweave: %" PRIu64 " witness%s accepted, %" PRIu64 " rejected; %" PRIu64
                     " finding%s no witness%s",
                     judge->accepted, judge->accepted == 1 ? "" : "es", judge->rejected,
                     judge->bare, judge->bare == 1 ? " carries" : "s carry",
                     judge->values ? "; equal values count as unchanged" : "");
    if (judge->elsewhere)
        fw_output_printf(out, "; %" PRIu64 " %s of other traces", judge->elsewhere,
                         judge->elsewhere == 1 ? "is" : "are");
    fw_output_text(out, "\n");
}

static void report_json(struct judge *judge, const struct fw_result *result, struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    if (judge->values)
        fw_json_bool(&json, "values", true);
    fw_json_array(&json, "findings");
    judge_all(judge, result, out, &json);
    fw_json_end(&json);
    fw_json_number(&json, "accepted", judge->accepted);
    fw_json_number(&json, "rejected", judge->rejected);
    fw_json_number(&json, "no_witness", judge->bare);
    if (judge->elsewhere)
        fw_json_number(&json, "other_traces", judge->elsewhere);
    fw_json_end(&json);
}

static int report(const struct verify *verify, const struct fw_trace *trace, const char *path,
                  const struct fw_result *result)
{
    struct judge judge;
    struct fw_output out;
    int status = fw_cmd_output(&out, verify->output);

    if (status)
        return status;
    judge_init(&judge, trace, path, verify->values || result->values);
    if (verify->format == FW_FORMAT_JSON)
        report_json(&judge, result, &out);
    else
        report_text(&judge, result, &out);
    status = judge.rejected ? FW_EXIT_FINDINGS : FW_EXIT_OK;
    judge_release(&judge);
    return fw_cmd_output_close(&out, status);
}

/* ---- the command ---- */

static int load_trace(const struct verify *verify, const char *path, struct fw_trace **trace)
{
    struct fw_read_options reading = { .repair = verify->repair,
                                       .symbols = true,
                                       .format = fw_format_name(verify->from) };
    struct fw_reader *reader;
    struct fw_error err;
    int status = fw_cmd_open_trace(&reader, path, &reading);

    if (status)
        return status;
    if (fw_trace_read(trace, reader, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    else
        fw_cmd_read_warnings(reader, "judged");
    fw_reader_close(reader);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct verify *verify = values;
    struct fw_trace *trace;
    struct fw_result *result;
    struct fw_error err;
    int status = fw_cmd_check_output(verify->output, argc, argv);

    if (status)
        return status;
    if (strcmp(argv[0], "-") == 0 && strcmp(argv[1], "-") == 0)
        return fw_cmd_usage("only one of TRACE and RESULT can be standard input");
    if (fw_result_read(&result, argv[1], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    status = load_trace(verify, argv[0], &trace);
    if (status == 0) {
        status = report(verify, trace, argv[0], result);
        fw_trace_destroy(trace);
    }
    fw_result_destroy(result);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave trace verify a.std result.json", "are the findings in result.json proved?" },
    { "foreweave trace verify --format=json a.fwt result.json", "a verdict for each finding" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "every witness was accepted" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the trace or the result cannot be read" },
    { FW_EXIT_FINDINGS, "a witness was rejected" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0 },
};

const struct fw_command fw_cmd_trace_verify = {
    .name = "verify",
    .summary = "check the witnesses of a result",
    .operands = "TRACE RESULT.json",
    .description =
        "A witness is a reordering of the trace that proves a finding. This command checks, by the "
        "definitions alone and without any code of the analyses, that each witness in RESULT.json "
        "is a correct reordering of TRACE and shows what its finding claims: a race, a deadlock, "
        "an order, an atomicity violation or a nondeterministic read.\n\n"
        "Each rejected finding is one line: its id, its kind, and the step that breaks a rule. "
        "Findings without witness (of analyses that give none) are only counted, and so are those "
        "that the result says are of another trace (of 'foreweave atomrace --runs'). The trace "
        "must be read as it was for the analysis: with --repair if the result was made with "
        "--repair.",
    .options = options,
    .options_size = sizeof(struct verify),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .exits = exits,
    .run = run,
};
