/*
 * cmd_learn.c - foreweave learn: runs a program again and again, and keeps what passing runs teach
 * as constraints for 'foreweave guard'.
 */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/inputs.h"
#include "cmd/interrupt.h"
#include "cmd/judge.h"
#include "cmd/learn_lifetx.h"
#include "cmd/learning.h"
#include "cmd/places.h"
#include "cmd/trialrun.h"
#include "learn/learner.h"
#include "learn/traced.h"
#include "learn/violations.h"
#include "record/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct learn {
    const char *constraints, *ok, *inputs, *noise, *output;
    bool anew, show, quiet;
    uint64_t runs, idle, limit, seed, trips;
    bool system_calls;
    struct fw_words modules, accept, traces, checked;
    int format, kind, strategy;
};

enum { PSETS, CUTPOINTS, BOTH };

static const char *const kinds[] = { "pset", "lifetx", "both", NULL };

static const struct learn defaults = { .runs = 100, .idle = 10, .limit = 60, .seed = 1 };

static const struct fw_option options[] = {
    { "kind", 0, "KIND", "what is learnt: pset (default), lifetx, both",
      FW_OPTION(CHOICE, struct learn, kind), .choices = kinds,
      .detail = "pset: which access may immediately depend on which, from runs in parallel. "
                "lifetx: which stretches of code were atomic in all runs, from runs that are "
                "recorded; docs/lifetx.md. both: runs of the one kind, then of the other." },
    { "strategy", 's', "NAME", "free (default), random, pct, pctlarge, delay, pos",
      FW_OPTION(CHOICE, struct learn, strategy), .choices = fw_learn_strategies,
      .detail = "Who runs when. free: as it comes. Otherwise runs are recorded, one thread at a "
                "time, and the strategy of 'foreweave explore' with this name decides: fewer runs "
                "show more, but each takes longer." },
    { "traces", 0, "FILE,...", "lifetx: learn from these recordings of passing runs first",
      FW_OPTION(LIST, struct learn, traces), .rare = true,
      .detail = "Recorded with --repeats. With --runs=0 nothing is run." },
    { "check-traces", 0, "FILE,...", "lifetx: tell how often these recordings break what is known",
      FW_OPTION(LIST, struct learn, checked), .rare = true,
      .detail = "Exactly, by serialisability, after all learning; nothing is learnt from them." },
    { "trips", 0, "N", "lifetx: loops that go round N times are cut at each iteration",
      FW_OPTION(COUNT, struct learn, trips), .rare = true },
    { "system-calls", 0, NULL, "lifetx: cut before calls by which threads reach each other",
      FW_OPTION(FLAG, struct learn, system_calls), .rare = true },
    { "constraints", 'c', "FILE", "add to FILE (PROGRAM.constraints)",
      FW_OPTION(FILE, struct learn, constraints),
      .detail = "What is there already is kept, so that learning can go on where it ended, with "
                "other inputs or another build." },
    { "anew", 0, NULL, "do not keep what FILE has", FW_OPTION(FLAG, struct learn, anew) },
    { "runs", 'n', "N", "end after N runs in any case (100)",
      FW_OPTION(COUNT, struct learn, runs) },
    { "idle", 0, "N", "end when N passing runs brought no pair (10)",
      FW_OPTION(COUNT, struct learn, idle),
      .detail = "In a row, of each input. 0: all runs are made." },
    { "ok", 0, "COMMAND", "a command that says whether a run was right",
      FW_OPTION(TEXT, struct learn, ok),
      .detail = FW_JUDGE_DETAIL " Runs that were wrong teach nothing." },
    { "inputs", 0, "FILE", "run with the arguments in each line of FILE, in turn",
      FW_OPTION(FILE, struct learn, inputs) },
    { "noise", 0, "PERMILLE[:USEC]", "let threads dwell at accesses, now and then",
      FW_OPTION(TEXT, struct learn, noise),
      .detail = "Of so many in a thousand, for so long at most (100). More interleavings are "
                "passed in fewer runs; what goes wrong by it teaches nothing." },
    { "seed", 0, "N", "of the first run (1)", FW_OPTION(COUNT, struct learn, seed), .rare = true,
      .detail = "Of its noise, or of what its strategy draws." },
    { "limit", 0, "SECONDS", "a run that takes longer is killed, and was wrong (60)",
      FW_OPTION(COUNT, struct learn, limit), .detail = "0: none, for servers under load." },
    { "accept", 0, "LOG,...", "add what 'foreweave guard' logged, and was tested since",
      FW_OPTION(LIST, struct learn, accept),
      .detail = "Before the runs; with --runs=0 nothing is run. Logs of transactions add "
                "cutpoints, where waits were in vain and the run went well." },
    { "show", 0, NULL, "the program reads and prints as usual", FW_OPTION(FLAG, struct learn, show),
      .detail = "Then --ok has no FOREWEAVE_OUTPUT." },
    { "module", 0, "FILE,...", "learn of this library of the program, too",
      FW_OPTION(LIST, struct learn, modules) },
    FW_FORMAT_OPTION(struct learn, format),
    { "output", 'o', "FILE", "write the table of runs to FILE",
      FW_OPTION(FILE, struct learn, output) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct learn, quiet) },
    { 0 },
};

struct taught {
    struct fw_learnt_news news;
    bool passed;
    size_t pairs; /* altogether, afterwards */
};

struct work {
    const struct learn *options;
    char **argv;
    char *path, *program, *shown;
    struct fw_places places;
    struct fw_inputs inputs;
    struct fw_guard_wish wish;
    struct fw_learn_program *sites;
    struct fw_constraints *constraints;
    uint64_t passed_before, failed_before; /* runs that the file had */
    struct fw_learner *learner;
    FW_VEC(struct taught) runs;
    struct fw_lifetx_taught cuts;
    struct fw_learn_runs recorded; /* runs that are */
    struct fw_traced *traced;      /* learns from them; NULL: from runs in parallel */
    char *trace;
    const atomic_int *stop;
};

/* --- runs ------------------------------------------------------------------------------------ */

static int run_once(struct work *work, char *const *argv)
{
    struct fw_guard_file *file = fw_learner_file(work->learner);
    char *text = fw_xasprintf("mode=guard:guard=%s", file->path);
    struct fw_trialrun run = { .argv = argv,
                               .runtime = work->places.guard,
                               .options = text,
                               .output = work->options->show ? NULL : work->shown,
                               .limit = work->options->limit,
                               .stop = work->stop };
    struct taught taught = { 0 };
    struct fw_error err;
    int status = 0, exit_status = 0;

    file->head->seed = work->options->seed + work->runs.len;
    file->head->started = 0;
    if (fw_trialrun(&run, &exit_status, &err) < 0) {
        status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    } else if (!file->head->started) {
        fw_cmd_error("'%s' did not take part: was it built with 'foreweave cc'?", argv[0]);
        status = FW_EXIT_INPUT;
    } else if (!atomic_load(work->stop) || work->options->show) {
        taught.passed = fw_judge(work->options->ok, exit_status, work->shown);
        if (fw_learner_take(work->learner, taught.passed, &taught.news, &err) < 0)
            status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
        taught.pairs = fw_constraints_pair_count(work->constraints);
        fw_vec_push(&work->runs, taught);
    }
    free(text);
    return status;
}

static int teach(void *context, const char *trace)
{
    struct work *work = context;
    struct fw_learnt_news news, *sum = &fw_vec_last(&work->runs).news;
    struct fw_error err;

    if (fw_traced_learn(work->traced, trace, &news, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    sum->sites += news.sites;
    sum->shared += news.shared;
    sum->pairs += news.pairs;
    sum->also += news.also;
    return 0;
}

/* The same from a recording, under a strategy. */
static int record_once(struct work *work, uint64_t number)
{
    struct taught *taught;
    bool passed;
    int status;

    fw_vec_push(&work->runs, (struct taught) { 0 });
    status = fw_learn_run(&work->recorded, number, teach, work, &passed);
    taught = &fw_vec_last(&work->runs);
    taught->passed = passed;
    taught->pairs = fw_constraints_pair_count(work->constraints);
    if (atomic_load(work->stop))
        work->runs.len--;
    else
        fw_constraints_add_runs(work->constraints, passed, !passed);
    return status;
}

/* Anything that is allowed now and was not before. */
static size_t brought(const struct taught *run)
{
    return run->news.pairs + run->news.also;
}

static int run_all(struct work *work)
{
    uint64_t idle = 0, enough = work->options->idle * work->inputs.at.len;
    struct fw_machine_use before;
    int status = 0;

    fw_machine_look(&before);

    for (uint64_t i = 0; i < work->options->runs && !status && !atomic_load(work->stop); i++) {
        status = work->traced ? record_once(work, i)
                              : run_once(work, work->inputs.at.at[i % work->inputs.at.len]);
        if (status || atomic_load(work->stop))
            break;
        if (fw_vec_last(&work->runs).passed)
            idle = brought(&fw_vec_last(&work->runs)) ? 0 : idle + 1;
        if (enough && idle >= enough)
            break;
    }
    /* Recorded runs do not depend on others: somebody decides who runs. */
    if (!status && !work->traced && !work->options->quiet)
        fw_learning_tell_others(&before);
    return status;
}

/* Transactions are learnt from recordings. */
static int learn_cuts(struct work *work)
{
    struct fw_lifetx_wish wish = { .runs = &work->recorded,
                                   .traces = &work->options->traces,
                                   .checked = &work->options->checked,
                                   .most = work->options->runs,
                                   .idle = work->options->idle,
                                   .trips = work->options->trips,
                                   .system_calls = work->options->system_calls };

    return fw_learn_lifetx(&wish, work->constraints, &work->cuts);
}

/* --- the result ------------------------------------------------------------------------------ */

static size_t last_news(const struct work *work)
{
    size_t last = 0;

    for (size_t i = 0; i < work->runs.len; i++)
        if (brought(&work->runs.at[i]))
            last = i + 1;
    return last;
}

static void print_text(const struct work *work, struct fw_output *out)
{
    struct fw_learnt_sizes sizes = fw_learnt_sizes(work->constraints);

    if (work->options->kind != PSETS)
        fw_lifetx_print_text(&work->cuts, out);
    if (work->options->kind == CUTPOINTS)
        return;
    fw_output_text(out, "  run  result   new pairs  new also new shared  new sites    pairs\n");
    for (size_t i = 0; i < work->runs.len; i++) {
        const struct taught *run = &work->runs.at[i];

        fw_output_printf(out, "%5zu  %-7s  %9zu  %7zu  %10zu  %9zu  %7zu\n", i + 1,
                         run->passed ? "passed" : "failed", run->news.pairs, run->news.also,
                         run->news.shared, run->news.sites, run->pairs);
    }
    fw_output_printf(out, "%zu sites, %zu of them shared; sets of", sizes.sites, sizes.shared);
    for (size_t i = 0; i < FW_LEARN_SIZES; i++)
        fw_output_printf(out, "%s %zu%s: %zu", i ? "," : "", i,
                         i + 1 < FW_LEARN_SIZES ? "" : " and more", sizes.of_size[i]);
    fw_output_printf(out, "; the largest has %zu\n", sizes.largest);
}

static void print_json(const struct work *work, struct fw_output *out)
{
    struct fw_learnt_sizes sizes = fw_learnt_sizes(work->constraints);
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "version", 1);
    fw_json_text(&json, "constraints", work->path);
    if (work->options->kind != PSETS) {
        fw_json_object(&json, "lifetx");
        fw_lifetx_print_json(&work->cuts, &json);
        fw_json_end(&json);
    }
    fw_json_array(&json, "runs");
    for (size_t i = 0; i < work->runs.len; i++) {
        const struct taught *run = &work->runs.at[i];

        fw_json_object(&json, NULL);
        fw_json_bool(&json, "passed", run->passed);
        fw_json_number(&json, "new_pairs", run->news.pairs);
        fw_json_number(&json, "new_also", run->news.also);
        fw_json_number(&json, "new_shared", run->news.shared);
        fw_json_number(&json, "new_sites", run->news.sites);
        fw_json_number(&json, "pairs", run->pairs);
        fw_json_end(&json);
    }
    fw_json_end(&json);
    fw_json_number(&json, "last_news", last_news(work));
    fw_json_number(&json, "sites", sizes.sites);
    fw_json_number(&json, "shared", sizes.shared);
    fw_json_array(&json, "sizes");
    for (size_t i = 0; i < FW_LEARN_SIZES; i++)
        fw_json_next_number(&json, sizes.of_size[i]);
    fw_json_end(&json);
    fw_json_number(&json, "largest", sizes.largest);
    fw_json_number(&json, "nameless_hooks", fw_learn_program_nameless(work->sites));
    fw_json_end(&json);
}

static uint64_t count_passed(const struct work *work)
{
    uint64_t passed = 0;

    for (size_t i = 0; i < work->runs.len; i++)
        passed += work->runs.at[i].passed;
    return passed;
}

static int report(struct work *work)
{
    struct fw_output out;
    int status = 0;

    if (work->options->quiet && !work->options->output)
        return 0;
    status = fw_cmd_output(&out, work->options->output);
    if (status)
        return status;
    if (work->options->format == FW_FORMAT_JSON)
        print_json(work, &out);
    else
        print_text(work, &out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static void say_cuts(const struct work *work)
{
    const struct fw_lifetx_taught *taught = &work->cuts;

    fw_cmd_error("%zu cutpoints in '%s' after %" PRIu64 " passing and %" PRIu64
                 " failing runs and %zu traces; run %zu was the last that brought any",
                 fw_lifetx_cut_count(work->constraints), work->path, taught->passed,
                 (uint64_t)(taught->runs.len - work->options->traces.len) - taught->passed,
                 work->options->traces.len, fw_lifetx_last_news(taught));
}

static void say_pairs(const struct work *work, uint64_t passed)
{
    fw_cmd_error("%zu pairs in '%s' after %" PRIu64 " passing and %" PRIu64
                 " failing runs; run %zu was the last that brought any",
                 fw_constraints_pair_count(work->constraints), work->path, passed,
                 (uint64_t)work->runs.len - passed, last_news(work));
}

/* Runs that were only recorded teach of the same program. */
static void count_recorded(struct work *work)
{
    uint64_t made = work->cuts.runs.len - work->options->traces.len;

    if (work->options->kind == PSETS && !work->traced)
        return;
    if (work->options->kind != PSETS)
        fw_constraints_add_runs(work->constraints, work->cuts.passed, made - work->cuts.passed);
    for (size_t i = 0; i < fw_learn_program_module_count(work->sites); i++) {
        const struct fw_learn_module *module = fw_learn_program_module(work->sites, i);

        fw_constraints_add_module(work->constraints, module->name, module->build_id);
    }
}

static int finish(struct work *work)
{
    uint64_t passed = count_passed(work), lost = 0;
    bool cuts = work->options->kind != PSETS, pairs = work->options->kind != CUTPOINTS;
    struct fw_error err;

    if (pairs)
        lost = fw_learner_file(work->learner)->head->counts[FW_GUARD_LOST];
    if (lost)
        fw_cmd_warning("%" PRIu64 " pairs found no room and were not learnt", lost);
    if (!passed && !work->cuts.passed && work->options->runs) {
        fw_cmd_error("no run of '%s' passed: nothing was learnt", work->argv[0]);
        return FW_EXIT_INPUT;
    }
    count_recorded(work);
    if ((work->options->anew ? fw_constraints_write(work->constraints, work->path, &err)
                             : fw_constraints_update(work->constraints, work->path,
                                                     work->passed_before, work->failed_before,
                                                     &err)) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (pairs && !work->options->quiet)
        say_pairs(work, passed);
    if (cuts && !work->options->quiet)
        say_cuts(work);
    return report(work);
}

/* --- the command ----------------------------------------------------------------------------- */

/* What was learnt of another program stays apart; a file that knows of none is anybody's. */
static bool is_own(const struct work *work, struct fw_error *err)
{
    const char *name = fw_learn_program_module(work->sites, 0)->name;

    return !fw_constraints_module_count(work->constraints) ||
           fw_constraints_are_of(work->constraints, name, work->path, err) == 0;
}

static int read_constraints(struct work *work)
{
    const char *name = strrchr(work->program, '/');
    struct fw_error err;

    work->path = work->options->constraints
                     ? fw_xstrdup(work->options->constraints)
                     : fw_xasprintf("%s.constraints", name ? name + 1 : work->program);
    if (!work->options->anew && access(work->path, F_OK) == 0) {
        work->constraints = fw_constraints_read(work->path, &err);
        if (work->constraints) {
            work->passed_before = fw_constraints_passed(work->constraints);
            work->failed_before = fw_constraints_failed(work->constraints);
        }
        return work->constraints && is_own(work, &err) ? 0 : fw_cmd_fail(FW_EXIT_INPUT, &err);
    }
    work->constraints = fw_constraints_create();
    return 0;
}

static int accept(struct work *work)
{
    struct fw_error err;

    for (size_t i = 0; i < work->options->accept.len; i++) {
        const char *path = work->options->accept.at[i];
        struct fw_accepted others;
        int64_t added = fw_violations_accept(work->constraints, path, &others, &err);

        if (added < 0)
            return fw_cmd_fail(FW_EXIT_INPUT, &err);
        if (!work->options->quiet)
            fw_cmd_error("'%s' adds %" PRId64 " pairs", path, added);
        if (others.lines && !work->options->quiet)
            fw_cmd_error("%" PRIu64 " violations in '%s' are of transactions: they add %" PRIu64
                         " cutpoints, where waits were in vain; other tests are learnt from "
                         "recordings, --kind=lifetx --traces",
                         others.lines, path, others.cuts);
    }
    return 0;
}

static int prepare_recorded(struct work *work)
{
    const struct learn *wanted = work->options;
    struct fw_error err;

    work->recorded = (struct fw_learn_runs) { .inputs = &work->inputs,
                                              .runtime = work->places.runtime,
                                              .ok = wanted->ok,
                                              .output = wanted->show ? NULL : work->shown,
                                              .trace = work->trace,
                                              .limit = wanted->limit,
                                              .seed = wanted->seed,
                                              .stop = work->stop };
    fw_learn_runs_direct(&work->recorded, wanted->strategy);
    if (work->recorded.directed)
        work->traced = fw_traced_create(work->sites, work->constraints, &err);
    if (work->recorded.directed && !work->traced)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    return 0;
}

static int prepare(struct work *work)
{
    FW_VEC(const char *) files = { 0 };
    struct fw_error err;
    int status = 0;

    fw_vec_push(&files, work->program);
    for (size_t i = 0; i < work->options->modules.len; i++)
        fw_vec_push(&files, work->options->modules.at[i]);
    work->sites = fw_learn_program_open(files.at, files.len, &err);
    fw_vec_release(&files);
    if (!work->sites || fw_inputs_read(&work->inputs, work->options->inputs, work->argv, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (!work->inputs.at.len) {
        fw_cmd_error("'%s' has no lines with arguments", work->options->inputs);
        return FW_EXIT_INPUT;
    }
    status = read_constraints(work);
    if (!status)
        status = accept(work);
    if (status)
        return status;
    if (fw_places_find(&work->places, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    work->learner = fw_learner_create(work->sites, work->constraints, &work->wish, &err);
    if (!work->learner)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    work->shown = fw_xasprintf("%s.output-%d", work->path, (int)getpid());
    work->trace = fw_xasprintf("%s.trace-%d.fwt", work->path, (int)getpid());
    work->stop = fw_interrupt_watch();
    return prepare_recorded(work);
}

static void release(struct work *work)
{
    if (work->shown)
        unlink(work->shown);
    fw_learner_destroy(work->learner);
    fw_traced_destroy(work->traced);
    fw_learn_runs_release(&work->recorded);
    fw_constraints_destroy(work->constraints);
    fw_learn_program_close(work->sites);
    fw_inputs_release(&work->inputs);
    fw_places_release(&work->places);
    fw_vec_release(&work->runs);
    fw_lifetx_taught_release(&work->cuts);
    free(work->path);
    free(work->program);
    free(work->shown);
    free(work->trace);
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .options = values, .argv = argv };
    struct fw_error err;
    int status;

    (void)argc;
    if ((work.options->traces.len || work.options->checked.len) && work.options->kind == PSETS)
        return fw_cmd_usage("--traces and --check-traces: with --kind=lifetx or both");
    if (work.options->strategy && work.options->noise)
        return fw_cmd_usage("--noise: with --strategy=free");
    if (work.options->trips > UINT32_MAX)
        return fw_cmd_usage("--trips: at most %" PRIu32, UINT32_MAX);
    if (work.options->runs < 1 && !work.options->accept.len && !work.options->traces.len &&
        !work.options->checked.len)
        return fw_cmd_usage("--runs: at least 1, unless --accept or recordings are given");
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    work.program = fw_launch_path(argv[0]);
    status = fw_learning_noise(work.options->noise, &work.wish);
    if (!status)
        status = prepare(&work);
    if (!status && work.options->kind != CUTPOINTS)
        status = run_all(&work);
    if (!status && work.options->kind != PSETS)
        status = learn_cuts(&work);
    if (!status && (work.runs.len || work.cuts.runs.len || !work.options->runs))
        status = finish(&work);
    if (!status)
        status = fw_interrupt_status();
    release(&work);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave learn -- ./till", "what do passing runs teach?" },
    { "foreweave learn --noise=50 --runs=200 --ok='grep 6000 $FOREWEAVE_OUTPUT' -- ./till",
      "more interleavings, and what is right" },
    { "foreweave learn --strategy=pos --kind=both -- ./till", "more of them by a strategy" },
    { "foreweave learn --limit=0 --runs=1 --show -- ./till", "of a server, until it ends" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { 0, "constraints were written" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run or no run passed, or a file cannot be read" },
    { FW_EXIT_FAILURE, "Foreweave could not do its work" },
    { 0, NULL },
};

const struct fw_command fw_cmd_learn = {
    .name = "learn",
    .summary = "learn from passing runs which interleavings are tested",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, which was built with 'foreweave cc' or 'foreweave c++', again and again, in "
        "parallel and near the speed of its hooks, and notes for each access in the code on which "
        "accesses of other threads it immediately depended: its predecessor set. Runs that are "
        "wrong teach nothing. What was learnt is a file of constraints, by places of the source "
        "that survive a rebuild; 'foreweave guard' keeps production runs to it.\n\n"
        "The table tells what each run brought. When runs bring nothing new any more, learning has "
        "seen what these inputs show.",
    .options = options,
    .options_size = sizeof(struct learn),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
