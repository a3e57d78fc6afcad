/*
 * cmd_tiddle_extract.c - foreweave tiddle extract: a finding as a trace or program of its own.
 *
 * Reads a result and its trace, has the verifier judge the witness, takes out what it needs
 * (tiddle/extract.h), and asks the predictor whether it still finds it before anything is written.
 */
#include "base/alloc.h"
#include "cmd/chosen.h"
#include "cmd/cmd.h"
#include "cmd/extract_head.h"
#include "cmd/loading.h"
#include "predict/predict.h"
#include "tiddle/compile.h"

#include <inttypes.h>
#include <string.h>

struct extract {
    const char *output;
    const char *trace;
    bool free;
    bool values;
    int from;
    bool repair;
    bool quiet;
};

static const struct extract defaults = { .from = FW_FROM_UNKNOWN };

static const struct fw_option options[] = {
    { "output", 'o', "FILE", "write FILE.tid or, as a program, FILE.c",
      FW_OPTION(FILE, struct extract, output),
      .detail = "Without it the extract is printed, in Tiddle." },
    { "trace", 0, "TRACE", "the trace that was analysed", FW_OPTION(FILE, struct extract, trace),
      .detail = "By default the one that the result names, as it stands there or in the folder of "
                "the result." },
    { "free", 0, NULL, "the program's threads run free", FW_OPTION(FLAG, struct extract, free),
      .detail = "Without turn-taking the program need not show the bug in every run; a deadlock "
                "then really hangs." },
    { "values", 0, NULL, "reads of equal values are unchanged",
      FW_OPTION(FLAG, struct extract, values),
      .detail = "For a result that was made with check --values and does not say so." },
    FW_FROM_OPTION(struct extract, from),
    FW_REPAIR_OPTION(struct extract, repair),
    { "quiet", 'q', NULL, "no summary", FW_OPTION(FLAG, struct extract, quiet) },
    { 0 },
};

/* ---- is the extract the finding? ---- */

static bool is_claimed(const struct fw_prediction *prediction, const struct fw_witness *witness)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < prediction->event_count; i++)
        for (uint32_t k = 0; k < witness->event_count; k++)
            found += prediction->events[i] == witness->events[k];
    return prediction->claim == witness->claim && found == witness->event_count &&
           prediction->event_count == witness->event_count;
}

static const struct fw_predictor *predictor_of(const char *kind)
{
    static const struct {
        const char *kind;
        const struct fw_predictor *predictor;
    } rows[] = {
        { "race", &fw_predictor_race },
        { "deadlock", &fw_predictor_deadlock },
        { "atomicity", &fw_predictor_atomicity },
        { "nondeterminism", &fw_predictor_nondet },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            return rows[i].predictor;
    return &fw_predictor_order;
}

static bool run_predictor(const struct fw_extract *extract, const struct fw_predictor *predictor,
                          const struct fw_predict_options *how)
{
    struct fw_core_options core_options = { .values = how->values };
    struct fw_index *index = fw_index_create(extract->trace);
    struct fw_core *core = fw_core_create(index, &core_options);
    struct fw_team_setup setup = { .core = core, .options = how, .jobs = 1 };
    struct fw_team *team = fw_team_create(&setup);
    struct fw_predictions *predictions = fw_predictions_create();
    struct fw_prediction **list;
    bool found = false;
    size_t count;

    fw_team_run(team, predictor, predictions);
    count = fw_predictions_get(predictions, &list, NULL);
    for (size_t i = 0; i < count; i++)
        found |= is_claimed(list[i], &extract->witness);
    free(list);
    fw_predictions_destroy(predictions);
    fw_team_destroy(team);
    fw_core_destroy(core);
    fw_index_destroy(index);
    return found;
}

/* Patterns over two variables, or of three threads, are atomicity findings that show an order. */
static bool is_over_two(const struct fw_extract *extract)
{
    const struct fw_event *events = extract->trace->events;

    for (uint32_t i = 1; i < extract->witness.event_count; i++)
        if (events[extract->witness.events[i]].target != events[extract->witness.events[0]].target)
            return true;
    return false;
}

/* Is it found?  And by which options of check. */
static bool is_found(const struct fw_extract *extract, const char *kind, bool values,
                     char *check_options, size_t size)
{
    const struct fw_predictor *predictor = predictor_of(kind);
    struct fw_predict_options how = { .pairs_all = true,
                                      .values = values,
                                      .order = extract->witness.events,
                                      .order_count = extract->witness.event_count };
    bool pattern = extract->witness.claim == FW_CLAIM_ORDER && predictor != &fw_predictor_order;

    how.final_reads = extract->witness.claim == FW_CLAIM_FINAL;
    how.two_variables = pattern && is_over_two(extract);
    how.third_thread = pattern && !how.two_variables;
    snprintf(check_options, size, "%s%s%s%s", values ? "--values " : "",
             how.final_reads ? "--final-reads " : "", how.two_variables ? "--two-variables " : "",
             how.third_thread ? "--third-thread " : "");
    if (predictor == &fw_predictor_order)
        for (uint32_t i = 0, used = (uint32_t)strlen(check_options);
             i < how.order_count && used + 24 < size; i++)
            used += (uint32_t)snprintf(check_options + used, size - used, "%s%u%s",
                                       i ? "," : "--order=", how.order[i],
                                       i + 1 < how.order_count ? "" : " ");
    return run_predictor(extract, predictor, &how);
}

/* ---- writing ---- */

static bool is_program(const struct extract *how)
{
    size_t len = how->output ? strlen(how->output) : 0;

    return len > 2 && strcmp(how->output + len - 2, ".c") == 0;
}

static void put_tiddle(struct fw_output *out, const struct fw_extract *extract, const char *head)
{
    const char *events = extract->text;
    const char *first = extract->trace->has_branches ? strchr(events, '\n') + 1 : events;

    fw_output_bytes(out, events, (size_t)(first - events));
    for (const char *end; (end = strchr(head, '\n')); head = end + 1)
        fw_output_printf(out, "# %.*s\n", (int)(end - head), head);
    fw_output_bytes(out, first, extract->size - (size_t)(first - events));
}

static int write_extract(const struct extract *how, const struct fw_extract_head *head)
{
    char *about = fw_extract_head(head);
    struct fw_tiddle_options compile = { .free = how->free,
                                         .source = fw_cmd_base_name(head->trace_name),
                                         .about = about };
    struct fw_output out;
    struct fw_error err;
    int status = 0;

    fw_output_open_memory(&out);
    if (!head->program)
        put_tiddle(&out, head->extract, about);
    else if (fw_tiddle_compile(head->extract->trace, &compile, &out, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (status == 0)
        status = fw_cmd_write_result(&out, how->output);
    fw_output_abandon(&out);
    free(about);
    if (status == 0 && !how->quiet && head->output)
        status = fw_cmd_print("%" PRIu32 " of %" PRIu32 " events -> %s\n",
                              head->extract->trace->count, head->trace->count, how->output);
    return status;
}

/* ---- the command ---- */

static int extract_witness(const struct extract *how, struct fw_extract_head *head,
                           const struct fw_witness *witness, bool values)
{
    struct fw_index *index = fw_index_create(head->trace);
    struct fw_extract *extract;
    struct fw_error err;
    char check_options[256];
    int status;

    if (fw_extract_create(&extract, index, witness, values, &err) < 0) {
        fw_error_context(&err, "finding '%s' cannot be a trace of its own", head->id);
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    } else if (!is_found(extract, head->kind, values, check_options, sizeof check_options)) {
        fw_cmd_error("finding '%s' was not found again in what was taken out of '%s': this is a "
                     "mistake of ours",
                     head->id, head->trace_name);
        status = FW_EXIT_FAILURE;
    } else {
        head->extract = extract;
        head->options = check_options;
        status = write_extract(how, head);
    }
    fw_extract_destroy(extract);
    fw_index_destroy(index);
    return status;
}

static int extract_finding(const struct extract *how, const struct fw_trace *trace,
                           const struct fw_result_finding *finding, bool values)
{
    struct fw_extract_head head = { .trace = trace,
                                    .trace_name = trace->name,
                                    .id = finding->id,
                                    .kind = finding->kind,
                                    .program = is_program(how) };
    struct fw_result_match match;
    struct fw_witness witness;
    int status;

    if (how->output && strcmp(how->output, "-") != 0)
        head.output = how->output;
    fw_result_match_init(&match, trace);
    status = fw_chosen_witness(&match, finding, values, &witness);
    if (status == 0)
        status = extract_witness(how, &head, &witness, values);
    fw_result_match_release(&match);
    return status;
}

static int extract_from(const struct extract *how, const struct fw_result *result, char **argv)
{
    struct fw_read_options reading = { .repair = how->repair || (!how->trace && result->repaired),
                                       .symbols = true,
                                       .format = fw_format_name(how->from) };
    const struct fw_result_finding *finding;
    struct fw_trace *trace;
    char *path;
    int status;

    finding = fw_chosen_finding(result, argv[0], argv[1], "extract");
    path = finding ? fw_chosen_trace(result, argv[0], how->trace) : NULL;
    if (!path)
        return FW_EXIT_INPUT;
    if (finding->claim == FW_CLAIM_IROOT) {
        fw_cmd_error("'%s' is an interleaving, not a bug: there is nothing to extract",
                     finding->id);
        free(path);
        return FW_EXIT_USAGE;
    }
    status = fw_cmd_check_output(how->output, 1, &path);
    if (!status)
        status = fw_cmd_load_trace(&trace, path, &reading, "searched");
    if (!status) {
        status = extract_finding(how, trace, finding, how->values || result->values);
        fw_trace_destroy(trace);
    }
    free(path);
    return status;
}

static int check_names(const struct extract *how, char **argv)
{
    size_t len = how->output ? strlen(how->output) : 0;
    bool tiddle = len == 0 || strcmp(how->output, "-") == 0 ||
                  (len > 4 && strcmp(how->output + len - 4, ".tid") == 0);

    if (!tiddle && !is_program(how))
        return fw_cmd_usage("'%s' must end in .tid (Tiddle) or .c (a program)", how->output);
    if (how->free && !is_program(how))
        return fw_cmd_usage("--free is for programs: -o FILE.c");
    if (how->trace && strcmp(how->trace, "-") == 0 && strcmp(argv[0], "-") == 0)
        return fw_cmd_usage("only one of RESULT.json and the trace can be standard input");
    return fw_cmd_check_output(how->output, 1, argv);
}

static int run(const void *values, int argc, char **argv)
{
    const struct extract *how = values;
    struct fw_result *result;
    struct fw_error err;
    int status = check_names(how, argv);

    (void)argc;
    if (status)
        return status;
    if (fw_result_read(&result, argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    status = extract_from(how, result, argv);
    fw_result_destroy(result);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave check --format=json -o result.json a.fwt", "findings with their witnesses" },
    { "foreweave tiddle extract result.json bae8a1 -o bug.tid", "one of them as a small trace" },
    { "foreweave tiddle extract result.json bae8a1 -o bug.c", "the same as a program" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "the extract was written" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the result or the trace cannot be read, there is no such finding, it has no "
                     "witness, or no program can do it" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0 },
};

const struct fw_command fw_cmd_tiddle_extract = {
    .name = "extract",
    .summary = "take what a finding needs out of its trace",
    .operands = "RESULT.json ID",
    .description =
        "A witness holds all that its threads did before the bug. This command keeps what has to "
        "do with it: the finding's events and the locks held there, what the branches before "
        "them looked at (without it the program need not come there), and the synchronisation "
        "that orders all this. Everything else is dropped, as long as the verifier accepts what is "
        "left. ID is the finding's id in RESULT.json, or how it begins.\n\n"
        "The extract of a race or an atomicity violation is in the order of its witness and shows "
        "the bug as it happens. A trace cannot hold a deadlock, and a read is nondeterministic "
        "only beside what it saw: these are in the order of the trace, and the comment at the "
        "beginning shows the other one.\n\n"
        "'foreweave check' reports the same bug in the extract, and in a recording of the program, "
        "which needs nothing but a C11 compiler and POSIX threads.",
    .options = options,
    .options_size = sizeof(struct extract),
    .defaults = &defaults,
    .min_operands = 2,
    .max_operands = 2,
    .examples = examples,
    .exits = exits,
    .run = run,
};
