/*
 * cmd_atomrace.c - foreweave atomrace: runs a program in parallel and catches races in the act.
 */
#include "base/alloc.h"
#include "cmd/atomrace.h"
#include "cmd/cmd.h"
#include "cmd/handed.h"
#include "cmd/interrupt.h"
#include "cmd/loading.h"
#include "cmd/noise.h"
#include "cmd/places.h"
#include "record/launch.h"
#include "record/places.h"
#include "record/recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct atomrace {
    const char *noise, *sections;
    struct fw_words modules;
    uint64_t seed, runs;
    int format;
    const char *output;
    bool quiet, until_first;
};

static const struct atomrace defaults = { .seed = 1, .runs = 1 };

static const struct fw_option options[] = {
    { "noise", 0, "KIND:STRENGTH[:USEC]", "where and how often threads dwell (nowhere)",
      FW_OPTION(TEXT, struct atomrace, noise),
      .detail =
          "At STRENGTH of 1000 accesses a thread sleeps for USEC microseconds (100) and yields, "
          "before the access, so that others come by. random:50 does so at any access; "
          "var:NAME[,NAME...]:500 at accesses to global variables, or parts of them "
          "('accounts[3].balance', 'bank::total'; scopes may be left out); "
          "site:FILE:LINE[,FILE:LINE...]:500 at lines of the source; "
          "finding:RESULT.json:ID[:STRENGTH[:USEC]] at the variables of a finding that any command "
          "has written with --format=json, or, if they are not global, at its lines." },
    { "sections", 0, "FILE", "also catch violations of the atomic sections in FILE",
      FW_OPTION(TEXT, struct atomrace, sections),
      .detail = "A repository of sections ('foreweave sections find' writes one, or you do). "
                "While a thread is between the entry and an end of a section, what other threads "
                "do to its variable is noted; what the end does not allow is a violation. Noise "
                "makes those more likely as well." },
    { "module", 0, "FILE,...", "also look for names and lines in FILE",
      FW_OPTION(LIST, struct atomrace, modules),
      .detail = "Libraries that the program loads, or the program itself where a script starts "
                "it." },
    { "runs", 0, "N", "run the program so often (1)", FW_OPTION(COUNT, struct atomrace, runs),
      .detail = "One report for all. Each run has the next seed. Random noise is made mostly "
                "where earlier runs have seen threads share memory, and everywhere in every "
                "eighth run. INT and TERM end the run and those that would follow, and what was "
                "caught until then is reported; with one run they are for the program." },
    { "until-first", 0, NULL, "stop when something was caught",
      FW_OPTION(FLAG, struct atomrace, until_first) },
    { "seed", 0, "N", "which accesses noise is made at (1)",
      FW_OPTION(COUNT, struct atomrace, seed),
      .detail = "Each thread makes the same decisions with the same seed; what they lead to is up "
                "to the system's scheduler." },
    FW_FORMAT_OPTION(struct atomrace, format),
    FW_OUTPUT_OPTION(struct atomrace, output),
    { "quiet", 'q', NULL, "say nothing but errors and findings",
      FW_OPTION(FLAG, struct atomrace, quiet) },
    { 0 },
};

struct work {
    const struct atomrace *options;
    char **argv;
    char *folder; /* of the traces */
    char *noise;  /* for the runtime */
    bool learns;  /* from one run to the next where noise is best */
    struct fw_places places;
    struct fw_caught caught;
    struct fw_handed handed;
    int status; /* of the program: the first that was not 0 */
    const atomic_int *stop; /* NULL: one run, whose program gets the signals */
};

static bool is_stopped(const struct work *work)
{
    return work->stop && atomic_load(work->stop);
}

/* --- one run --------------------------------------------------------------------------------- */

/* As a shell would say it. */
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int look(struct work *work, const struct fw_recorded *recorded)
{
    const char *why, *path;
    bool any = false;
    int status = 0;

    fw_caught_begin_run(&work->caught);
    for (size_t i = 0; i < recorded->traces.len && !status; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        if (!trace->connected)
            continue;
        any |= trace->result.accesses;
        if (trace->failed[0] && !work->options->quiet)
            fw_cmd_warning("'%s' is cut: %s", trace->path, trace->failed);
        if (trace->failed[0] || trace->problem[0])
            work->caught.incomplete = "a trace was cut";
        status = fw_caught_add(&work->caught, trace->path);
    }
    if (status || any || is_stopped(work))
        return status;
    why = fw_recorded_cut(recorded, &path);
    if (why) {
        fw_cmd_error("nothing was caught in '%s': '%s' is cut: %s", work->argv[0], path, why);
        return FW_EXIT_FAILURE;
    }
    fw_cmd_error("nothing can be caught in '%s': it was not built with 'foreweave cc'",
                 work->argv[0]);
    return FW_EXIT_INPUT;
}

static int run_once(struct work *work, uint64_t number)
{
    char *path = work->options->runs == 1
                     ? fw_xasprintf("%s/trace.fwt", work->folder)
                     : fw_xasprintf("%s/run%" PRIu64 ".fwt", work->folder, number);
    char *noise = work->learns ? fw_noise_with_learnt(work->noise, &work->caught.learnt, number)
                               : fw_xstrdup(work->noise);
    struct fw_record_setup setup = { .argv = work->argv,
                                     .path = path,
                                     .runtime = work->places.atomrace,
                                     .seed = work->options->seed + number - 1,
                                     .noise = noise,
                                     .stop = work->stop };
    struct fw_recorded recorded;
    struct fw_error err;
    enum fw_record_end end = fw_record(&setup, &recorded, &err);
    int status;

    if (end == FW_RECORD_DONE)
        status = look(work, &recorded);
    else
        status = fw_cmd_fail(end == FW_RECORD_NO_PROGRAM ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    if (!work->status && !is_stopped(work))
        work->status = exit_status(recorded.status);
    fw_recorded_release(&recorded);
    free(noise);
    free(path);
    return status;
}

/* --- all of them ----------------------------------------------------------------------------- */

static int report(struct work *work)
{
    int status = 0;

    if (is_stopped(work)) {
        work->caught.incomplete = "it was interrupted";
        if (!work->options->quiet || !work->caught.traces.len)
            fw_cmd_warning("interrupted: run %" PRIu64 " of %" PRIu64 " was the last",
                           work->caught.runs, work->options->runs);
    }
    if (work->caught.traces.len)
        status = fw_caught_report(&work->caught, work->options->format, work->options->output,
                                  work->options->quiet);
    if (status)
        return status;
    return is_stopped(work) ? FW_EXIT_BUDGET : work->status;
}

static int run_all(struct work *work)
{
    int status = 0;

    work->stop = work->options->runs > 1 ? fw_interrupt_watch() : NULL;
    for (uint64_t i = 1; i <= work->options->runs && !status && !is_stopped(work); i++) {
        status = run_once(work, i);
        if (work->options->until_first && work->caught.findings.len)
            break;
    }
    return status ? status : report(work);
}

/* What --sections says: the runtime's options follow those of noise. */
static int find_sections(struct work *work, const char *const *files, size_t count)
{
    int status = fw_handed_make(&work->handed, work->options->sections, files, count,
                                work->options->quiet);
    char *both;

    if (status)
        return status;
    both = fw_xasprintf("%s:sections=%s", work->noise, work->handed.file.path);
    free(work->noise);
    work->noise = both;
    return 0;
}

/* What --noise and --sections say, for the runtime. */
static int find_noise(struct work *work)
{
    struct fw_words files = { 0 };
    char *program = fw_launch_path(work->argv[0]);
    struct fw_noise_wish wish;
    struct fw_error err;
    int status = fw_cmd_files(&files, program ? program : work->argv[0], &work->options->modules);

    if (fw_noise_wish(&wish, work->options->noise, &err) < 0)
        status = fw_cmd_usage("--noise: %s", err.message);
    else if (!status)
        work->noise = fw_noise_options(&wish, files.at, files.len, &status);
    work->learns = wish.kind == FW_NOISE_RANDOM && wish.strength && work->options->runs > 1;
    if (!status && work->options->sections)
        status = find_sections(work, files.at, files.len);
    fw_noise_release(&wish);
    fw_vec_release(&files);
    free(program);
    return status;
}

static int find_places(struct work *work)
{
    struct fw_error err;
    char *slash;

    if (fw_places_find(&work->places, &err) < 0 || fw_place_default(&work->folder, &err) < 0)
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    slash = strrchr(work->folder, '/');
    if (slash)
        *slash = '\0';
    return 0;
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .options = values, .argv = argv };
    struct fw_error err;
    int status;

    (void)argc;
    if (work.options->runs == 0)
        return fw_cmd_usage("--runs: at least one run is needed");
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    fw_handed_init(&work.handed);
    fw_caught_init(&work.caught);
    status = fw_cmd_try_output(work.options->output);
    if (!status)
        status = find_noise(&work);
    if (!status)
        status = find_places(&work);
    if (!status)
        status = run_all(&work);
    fw_caught_release(&work.caught);
    fw_handed_release(&work.handed);
    fw_places_release(&work.places);
    free(work.folder);
    free(work.noise);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave atomrace -- ./till", "what runs in parallel anyway" },
    { "foreweave atomrace --noise=random:50 --runs=20 --until-first -- ./till",
      "at 5% of the accesses a thread dwells" },
    { "foreweave atomrace --noise=var:balance:500 -- ./till", "at one variable" },
    { "foreweave atomrace --noise=site:till.c:13:500 -- ./till", "at one line" },
    { "foreweave atomrace --sections=till.sections --noise=random:50 --runs=20 -- ./till",
      "atomic sections, too" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { 0, "to 255: nothing was caught; the program's own status, the first that is not 0" },
    { FW_EXIT_FINDINGS, "a race or a violation was caught" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run or has no hooks, or noise is wanted at nothing" },
    { FW_EXIT_BUDGET, "nothing was caught, but the command was interrupted" },
    { FW_EXIT_FAILURE, "the traces cannot be written" },
    { 0, NULL },
};

const struct fw_command fw_cmd_atomrace = {
    .name = "atomrace",
    .summary = "run a program and catch races in the act",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, which was built with 'foreweave cc' or 'foreweave c++', with its threads in "
        "parallel, and reports accesses that overlapped: two threads that were about to access the "
        "same memory at one and the same moment, one of them to write. That is a race by "
        "definition, whatever the program synchronises with, so nothing has to be known of its "
        "synchronisation and there are no false alarms. A race that did not show in any run is not "
        "reported: 'foreweave run' foresees those.\n\n"
        "Without --noise a thread dwells now and then for a moment only, and the program runs at "
        "nearly the speed that its hooks allow. Noise makes races far more likely to show. Atomic "
        "accesses are no races; races that the program says it expects "
        "(foreweave_expect_race) are left out, and accesses that it wants ignored are not looked "
        "at.\n\n"
        "Traces hold the overlaps and nothing else; they are in .foreweave/last.",
    .options = options,
    .options_size = sizeof(struct atomrace),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
