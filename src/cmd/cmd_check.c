/*
 * cmd_check.c - foreweave check: analyses a trace and reports.
 */
#include "cmd/avoided.h"
#include "cmd/check_job.h"
#include "cmd/cmd.h"
#include "cmd/reading.h"
#include "cmd/selection.h"
#include "iroot/iroot.h"
#include "report/report.h"
#include "report/reproducer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
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
    struct fw_words order;
    struct fw_words idioms;
    const char *avoided;
    int pairs, cp, atomic;
    bool values, final_reads, two_variables, third_thread;
    uint64_t cap, window;
    const char *time;
    uint64_t memory, budget;
    uint64_t jobs; /* 0: as many as are useful here */
    bool repair;
    bool no_symbols;
    int from;
    int format;
    const char *output;
    uint64_t steps;
    bool stats;
};

#define NOT_GIVEN UINT64_MAX /* then it is what each analysis has */

static const struct check defaults = { .cp = CP_BY_PAIRS, .from = FW_FROM_UNKNOWN, .steps = 12,
                                       .cap = NOT_GIVEN, .window = NOT_GIVEN };

#define WHAT   "what is looked for"
#define LIMITS "limits"

static const struct fw_option options[] = {
    { "analysis", 'a', "NAME[,NAME...]", "which analyses to run (see foreweave list)",
      FW_OPTION(LIST, struct check, analyses), WHAT,
      .detail = "Several analyses run over one reading of the trace. By default the sound ones "
                "run: race, deadlock, atomicity and nondet. They hold the whole trace in memory." },
    { "order", 0, "I,J,...", "can these events come in this order?",
      FW_OPTION(LIST, struct check, order), WHAT,
      .detail = "Asks one question instead of looking for bugs. The events are named by their "
                "indices. If a correct reordering has them in this order it is printed as the "
                "witness (status 66); else the order is infeasible (status 0), or the budget was "
                "spent (status 124)." },
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
                "unordered pair of the relation is reported, as --pairs=all implies.",
      .rare = true },
    { "atomic", 0, "WHAT", "blocks (default) or functions must be atomic",
      FW_OPTION(CHOICE, struct check, atomic), WHAT, .choices = atomic_choices,
      .detail = "For sidetrack and velodrome: the blocks marked in the trace by begin and end, or "
                "every function call." },
    { "values", 0, NULL, "another write of the same value is no change",
      FW_OPTION(FLAG, struct check, values), WHAT,
      .detail = "For the sound analyses, where the trace has values: a read that sees another "
                "write of the value that it got counts as unchanged." },
    { "window", 0, "N", "atomicity, iroot: at most N own events apart (100)",
      FW_OPTION(COUNT, struct check, window), WHAT,
      .detail = "In traces without blocks two accesses of one function activation are meant to be "
                "atomic if no more events of their thread lie between them. Two accesses that an "
                "interleaving idiom has of one thread are at most so many of its accesses apart.",
      .rare = true },
    { "idioms", 0, "N[,N...]", "iroot: only these idioms (1 to 6)",
      FW_OPTION(LIST, struct check, idioms), WHAT, .rare = true },
    { "avoided", 0, "LOG", "can what guarded programs avoided happen?",
      FW_OPTION(TEXT, struct check, avoided), WHAT,
      .detail = "LOG is of 'foreweave guard --log'. Of each interleaving that was avoided in "
                "production it is asked whether this trace, or another order of it, has it: what "
                "can happen is a finding of iroot, with its witness; it is worth a test.",
      .rare = true },
    { "two-variables", 0, NULL, "atomicity: also patterns over two variables",
      FW_OPTION(FLAG, struct check, two_variables), WHAT, .rare = true },
    { "third-thread", 0, NULL, "atomicity: also reads by a third thread",
      FW_OPTION(FLAG, struct check, third_thread), WHAT, .rare = true },
    { "final-reads", 0, NULL, "nondet: also the values at the end",
      FW_OPTION(FLAG, struct check, final_reads), WHAT,
      .detail = "As if every variable were read once more at the end of the trace: can the final "
                "state differ?",
      .rare = true },
    { "time", 0, "SECONDS", "end within SECONDS", FW_OPTION(TEXT, struct check, time), LIMITS,
      .detail = "The report says what was proved until then, and counts what was not looked at. "
                "Reading gets at most two fifths of it (of a longer trace the beginning is "
                "analysed), and the analyses share the rest." },
    { "mem-limit", 0, "SIZE", "use at most SIZE of memory (K, M, G)",
      FW_OPTION(SIZE, struct check, memory), LIMITS,
      .detail = "As much of the beginning of the trace is analysed as fits; a good third is kept "
                "for what is found. At least 48M where an analysis holds the trace in memory, "
                "else 4M." },
    { "budget", 0, "STEPS", "work for one question (20000000)",
      FW_OPTION(COUNT, struct check, budget), LIMITS,
      .detail = "A step is about one event looked at. Questions that take more are given up and "
                "counted as undecided." },
    { "cap", 0, "N", "look at N event pairs of a pair of sites (64)",
      FW_OPTION(COUNT, struct check, cap), LIMITS,
      .detail = "Once a pair of sites is proved on a variable, other events of it are not looked "
                "at. What the cap leaves is counted. --pairs=all has no cap." },
    FW_REPAIR_OPTION(struct check, repair),
    FW_SYMBOLS_OPTION(struct check, no_symbols),
    FW_FROM_OPTION(struct check, from),
    { "jobs", 'j', "N", "use N threads (default: as many as help)",
      FW_OPTION(COUNT, struct check, jobs), .detail = "The report is the same for any number." },
    FW_FORMAT_OPTION(struct check, format),
    FW_OUTPUT_OPTION(struct check, output),
    { "steps", 0, "N", "show N steps of a witness (12; 0: all)",
      FW_OPTION(COUNT, struct check, steps),
      .detail = "The last ones, in text; JSON always has all.", .rare = true },
    { "stats", 0, NULL, "add times and memory to the report", FW_OPTION(FLAG, struct check, stats),
      .detail = "Without it equal traces give equal reports, byte for byte." },
    { 0 },
};

static int select_analyses(const struct check *check, struct fw_selection *selection)
{
    bool iroot = false;
    int status;

    if (check->order.len && check->analyses.len)
        return fw_cmd_usage("--order is a question of its own: it takes no --analysis");
    if (check->avoided && (check->order.len || check->analyses.len || check->idioms.len))
        return fw_cmd_usage("--avoided is a question of its own: it takes no --order, --analysis "
                            "or --idioms");
    if (check->order.len)
        fw_vec_push(selection, &fw_analysis_order);
    if (check->avoided)
        fw_vec_push(selection, &fw_analysis_iroot);
    status = selection->len ? 0 : fw_selection_make(selection, &check->analyses);
    for (size_t i = 0; i < selection->len; i++)
        iroot |= strcmp(selection->at[i]->name, "iroot") == 0;
    if (!status && check->idioms.len && !iroot)
        return fw_cmd_usage("--idioms is for --analysis=iroot");
    return status;
}

static uint64_t peak_kilobytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss : 0;
}

/* What another command needs to read this trace in the same way. */
static void reading_options(const struct check *check, char *text, size_t size)
{
    const char *from = fw_format_name(check->from);

    snprintf(text, size, "%s%s%s%s%s", check->repair ? "--repair " : "",
             check->no_symbols ? "--no-symbols " : "", from ? "--from=" : "", from ? from : "",
             from ? " " : "");
}

/* Where a witness was rejected: leaves what is needed to find out why. */
static int report_our_bug(const struct fw_check_job *job, const struct fw_rejection *rejection)
{
    struct fw_reproducer files;
    struct fw_error err;

    fw_cmd_error("our mistake: the verifier rejects a witness of ours: %s", rejection->reason);
    if (fw_reproducer_write(&files, job->trace, rejection, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    fw_cmd_error("please report it with '%s' and '%s'; to see it: foreweave trace verify %s %s",
                 files.trace, files.result, files.trace, files.result);
    return FW_EXIT_FAILURE;
}

static int exit_status(const struct fw_report *report)
{
    if (fw_report_findings(report))
        return FW_EXIT_FINDINGS;
    return fw_report_spent(report) ? FW_EXIT_BUDGET : FW_EXIT_OK;
}

static int report(const struct check *check, const struct fw_check_job *job)
{
    struct fw_report_stats stats = { job->seconds, peak_kilobytes() };
    char again[64];
    struct fw_report report = {
        .name = fw_reader_name(job->reader),
        .path = strcmp(job->path, "-") == 0 ? NULL : job->path,
        .format = fw_reader_format(job->reader),
        .reading_options = again,
        .status = fw_reader_status(job->reader),
        .symbols = job->setup.symbols,
        .has_branches = job->has_branches,
        .engine = job->engine,
        .index = job->forecast ? fw_forecast_index(job->forecast) : NULL,
        .order = job->order_indices.at,
        .order_count = job->order_indices.len,
        .values = check->values,
        .window = job->options.window,
        .cut = job->cut,
        .steps = check->steps,
        .recording = &job->recording,
        .stats = check->stats ? &stats : NULL,
    };
    struct fw_output out;
    int status = fw_cmd_output(&out, check->output);

    if (status)
        return status;
    reading_options(check, again, sizeof again);
    fw_cmd_read_warnings(job->reader, "analysed");
    if (job->cut[0])
        fw_cmd_warning("'%s': %s", report.name, job->cut);
    if (check->format == FW_FORMAT_JSON)
        fw_report_json(&report, &out);
    else
        fw_report_text(&report, !check->output && fw_cmd_colour(STDOUT_FILENO), &out);
    return fw_cmd_output_close(&out, exit_status(&report));
}

/* Seconds, perhaps with a fraction. */
static int parse_time(const char *text, double *seconds)
{
    char *end;

    if (!text)
        return 0;
    *seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(*seconds) || *seconds <= 0)
        return fw_cmd_usage("--time: '%s' is not a number of seconds", text);
    return 0;
}

#define LEAST_WHOLE  48u /* MiB: less could not be kept, with the trace in memory ... */
#define LEAST_STREAM 4u  /* ... and without */

static int check_memory(const struct fw_check_job *job)
{
    bool whole = fw_check_predicts(job);
    unsigned least = whole ? LEAST_WHOLE : LEAST_STREAM;

    if (!job->limits.bytes || job->limits.bytes >= (uint64_t)least << 20)
        return 0;
    return fw_cmd_usage("--mem-limit: %s at least %uM",
                        whole ? "analyses that hold the trace in memory need" : "check needs",
                        least);
}

/* As bits. */
static int parse_idioms(const struct fw_words *words, uint32_t *idioms)
{
    for (size_t i = 0; i < words->len; i++) {
        const char *word = words->at[i];

        if (strlen(word) != 1 || *word < '1' || *word > '0' + (int)FW_IDIOMS)
            return fw_cmd_usage("--idioms: '%s' is no idiom; they are numbered from 1 to %u", word,
                                FW_IDIOMS);
        *idioms |= 1u << (*word - '0');
    }
    return 0;
}

static uint32_t at_most(uint64_t number)
{
    return number == NOT_GIVEN ? 0 : number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static int parse_options(const struct check *check, struct fw_check_job *job)
{
    bool pairs_all = check->pairs == PAIRS_ALL;
    int status;

    job->setup = (struct fw_analysis_setup) {
        .pairs_all = pairs_all,
        .cp_relation = check->cp == CP_BY_PAIRS ? pairs_all : check->cp == CP_RELATION,
        .atomic_functions = check->atomic == ATOMIC_FUNCTIONS,
    };
    job->options = (struct fw_predict_options) {
        .pairs_all = pairs_all,
        .cap = at_most(check->cap),
        .window = at_most(check->window),
        .two_variables = check->two_variables,
        .third_thread = check->third_thread,
        .final_reads = check->final_reads,
        .values = check->values,
    };
    job->order = check->order;
    job->limits.bytes = check->memory;
    job->limits.steps = check->budget;
    job->limits.all_steps = check->format == FW_FORMAT_JSON || check->steps == 0;
    job->limits.jobs = check->jobs < 4096 ? (size_t)check->jobs : 4096;
    if (!check->cap || !check->window)
        return fw_cmd_usage("--cap and --window must be at least 1");
    status = parse_idioms(&check->idioms, &job->options.idioms);
    return status ? status : parse_time(check->time, &job->limits.seconds);
}

/* Questions instead of all iRoots. */
static int read_avoided(const struct check *check, struct fw_check_job *job,
                        struct fw_avoided **avoided)
{
    struct fw_error err;

    if (!check->avoided)
        return 0;
    *avoided = fw_avoided_read(check->avoided, &err);
    if (!*avoided)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    job->options.iroots = fw_avoided_source(*avoided);
    job->options.idioms = 1u << 1;
    return 0;
}

static void tell_avoided(const struct check *check, const struct fw_avoided *avoided)
{
    struct fw_avoided_counts counts = fw_avoided_count(avoided);

    fprintf(stderr,
            "foreweave: %zu interleavings were avoided according to '%s': %zu are in this trace, "
            "%zu others can happen, %zu were not found\n",
            counts.all, check->avoided, counts.happened, counts.possible,
            counts.all - counts.happened - counts.possible);
    if (counts.transactions)
        fprintf(stderr,
                "foreweave: %" PRIu64 " violations in '%s' are of transactions: 'foreweave learn "
                "--check-traces' tells whether a trace breaks any\n",
                counts.transactions, check->avoided);
}

static int analyse(const struct check *check, struct fw_check_job *job)
{
    struct fw_read_options reading = { .repair = check->repair,
                                       .symbols = !check->no_symbols,
                                       .format = fw_format_name(check->from) };
    const struct fw_rejection *rejection = NULL;
    int status = fw_cmd_open_trace(&job->reader, job->path, &reading);

    if (!status)
        status = fw_check_run(job);
    if (!status && job->forecast)
        rejection = fw_forecast_rejection(job->forecast);
    if (rejection)
        return report_our_bug(job, rejection);
    return status ? status : report(check, job);
}

static int run(const void *values, int argc, char **argv)
{
    const struct check *check = values;
    struct fw_selection selection = { 0 };
    struct fw_avoided *avoided = NULL;
    struct fw_check_job job = { .path = argv[0],
                                .selection = &selection,
                                .limits.start = fw_check_now() };
    int status = fw_cmd_check_output(check->output, argc, argv);

    if (!status)
        status = parse_options(check, &job);
    if (!status)
        status = select_analyses(check, &selection);
    if (!status)
        status = check_memory(&job);
    if (!status)
        status = read_avoided(check, &job, &avoided);
    if (!status)
        status = analyse(check, &job);
    if (avoided && (status == FW_EXIT_OK || status == FW_EXIT_FINDINGS ||
                    status == FW_EXIT_BUDGET))
        tell_avoided(check, avoided);
    if (job.abandoned) { /* its thread uses all of this */
        fflush(NULL);
        _exit(status);
    }
    fw_check_release(&job);
    fw_reader_close(job.reader);
    fw_avoided_destroy(avoided);
    fw_vec_release(&selection);
    return status;
}

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "nothing found" },
    { FW_EXIT_FINDINGS, "something was found" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the trace is missing or malformed" },
    { FW_EXIT_BUDGET, "a limit was reached, and nothing found until then" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work, for example write its report" },
    { 0, NULL },
};

static const struct fw_example examples[] = {
    { "foreweave check a.std", "bugs of other runs, each with its proof" },
    { "foreweave check --time=60 --mem-limit=4G a.fwt", "as much of it as that allows" },
    { "foreweave check --order=10,1 a.std", "can event 10 come before event 1?" },
    { "foreweave check -a cp,hb --format=json -o report.json a.fwt", "a report for programs" },
    { "gzip -dc a.std.gz | foreweave check -a null -", "a stream: is it well-formed?" },
    { 0 },
};

const struct fw_command fw_cmd_check = {
    .name = "check",
    .summary = "analyse a trace",
    .operands = "TRACE",
    .description =
        "Reads TRACE (.fwt, .std or .tid; - is standard input) once, checks that it is "
        "well-formed, runs the analyses over it and prints their report. By default these are the "
        "sound ones: whatever they find comes with a witness, another order of the same events "
        "that the program surely can run, which a verifier of its own has checked. A malformed "
        "trace gets "
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
