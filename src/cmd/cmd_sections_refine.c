/*
 * cmd_sections_refine.c - foreweave sections refine: leaves out the sections of a repository that
 * good runs of the program violate (sections/refine.h).
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/handed.h"
#include "cmd/interrupt.h"
#include "cmd/loading.h"
#include "cmd/judge.h"
#include "cmd/noise.h"
#include "cmd/places.h"
#include "record/launch.h"
#include "record/places.h"
#include "record/recorder.h"
#include "sections/refine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_NOISE "random:200"
#define FEW           20u   /* bad runs for a good one are too many */
#define MOST_TARGETS  1000u /* the runtime has room for some more */

struct refine {
    const char *sections, *output, *noise, *ok;
    struct fw_words modules;
    uint64_t runs, max, seed, limit;
    bool quiet;
};

static const struct refine defaults = { .noise = DEFAULT_NOISE,
                                        .runs = 20,
                                        .max = 500,
                                        .seed = 1,
                                        .limit = 60 };

static const struct fw_option options[] = {
    { "sections", 0, "FILE", "the sections, as 'foreweave sections find' writes them",
      FW_OPTION(FILE, struct refine, sections) },
    { "output", 'o', "FILE", "write what is left to FILE (standard output)",
      FW_OPTION(FILE, struct refine, output) },
    { "runs", 'n', "N", "end after N good runs that change nothing (20)",
      FW_OPTION(COUNT, struct refine, runs) },
    { "max", 0, "N", "end after N runs in any case (500)", FW_OPTION(COUNT, struct refine, max) },
    { "ok", 0, "COMMAND", "a command that says whether a run was right",
      FW_OPTION(TEXT, struct refine, ok),
      .detail = FW_JUDGE_DETAIL },
    { "limit", 0, "SECONDS", "a run that takes longer is killed, and was wrong (60)",
      FW_OPTION(COUNT, struct refine, limit) },
    { "noise", 0, "KIND:STRENGTH[:USEC]", "where and how often threads dwell (" DEFAULT_NOISE ")",
      FW_OPTION(TEXT, struct refine, noise),
      .detail = "As of 'foreweave atomrace'. Random noise is made everywhere in every other run, "
                "and mostly inside the sections in the others." },
    { "module", 0, "FILE,...", "also look for sections, names and lines in FILE",
      FW_OPTION(LIST, struct refine, modules) },
    { "seed", 0, "N", "of the first run's noise (1)", FW_OPTION(COUNT, struct refine, seed) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct refine, quiet) },
    { 0 },
};

struct work {
    const struct refine *options;
    char **argv;
    struct fw_places places;
    struct fw_handed handed;
    struct fw_refinement *refinement;
    char *trace, *shown;     /* paths: of the run at hand */
    char *noise, *in_sections; /* for the runtime; the latter: in every other run, or NULL */
    const atomic_int *stop;
};

/* --- what was counted ------------------------------------------------------------------------ */

static struct fw_regions_entry *entries(const struct work *work)
{
    return (struct fw_regions_entry *)((char *)work->handed.file.head +
                                       work->handed.file.head->entries_at);
}

/* Only what certainly happened: that a good run could have gone wrong says nothing. */
static void take_counts(struct work *work)
{
    struct fw_regions_end *ends = fw_regions_file_ends(&work->handed.file);

    for (uint32_t i = 0; i < work->handed.file.head->end_count; i++)
        fw_refinement_count(work->refinement, entries(work)[ends[i].entry].section, ends[i].end,
                            atomic_exchange(&ends[i].seen, 0),
                            atomic_exchange(&ends[i].happened, 0));
}

/* What ends allow by now, for the next run. */
static void tell_runtime(struct work *work)
{
    struct fw_regions_end *ends = fw_regions_file_ends(&work->handed.file);

    for (uint32_t i = 0; i < work->handed.file.head->entry_count; i++) {
        struct fw_regions_entry *entry = &entries(work)[i];

        entry->allow = FW_REGIONS_ALL;
        for (uint32_t j = entry->first_end; j < entry->first_end + entry->ends; j++) {
            ends[j].allow = fw_refinement_allow(work->refinement, entry->section, ends[j].end);
            entry->allow &= ends[j].allow;
        }
    }
}

/* --- a run ----------------------------------------------------------------------------------- */

static void remove_traces(const struct fw_recorded *recorded)
{
    for (size_t i = 0; i < recorded->traces.len; i++)
        unlink(recorded->traces.at[i].path);
}

/* 0, or the exit status after printing an error. */
static int run_once(struct work *work, uint64_t number)
{
    struct fw_record_setup setup = { .argv = work->argv,
                                     .path = work->trace,
                                     .runtime = work->places.atomrace,
                                     .limit = (double)work->options->limit,
                                     .hide = true,
                                     .output = work->shown,
                                     .seed = work->options->seed + number,
                                     .noise = number & 1 && work->in_sections ? work->in_sections
                                                                              : work->noise,
                                     .stop = work->stop };
    struct fw_recorded recorded;
    struct fw_error err;
    enum fw_record_end end = fw_record(&setup, &recorded, &err);
    int status = 0;

    if (end != FW_RECORD_DONE) {
        status = fw_cmd_fail(end == FW_RECORD_NO_PROGRAM ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    } else if (!atomic_load(work->stop)) {
        take_counts(work);
        if (fw_refinement_run(work->refinement,
                              fw_judge(work->options->ok, recorded.status, work->shown)))
            tell_runtime(work);
    }
    remove_traces(&recorded);
    fw_recorded_release(&recorded);
    return status;
}

static int run_all(struct work *work)
{
    int status = 0;

    for (uint64_t i = 0; i < work->options->max && !status && !atomic_load(work->stop); i++) {
        status = run_once(work, i);
        if (fw_refinement_facts(work->refinement).unchanged >= work->options->runs)
            break;
    }
    return status;
}

/* --- the result ------------------------------------------------------------------------------ */

static void say_bad(const struct work *work)
{
    for (uint32_t i = 0; i < work->handed.sections.at.len; i++) {
        uint64_t bad = fw_refinement_bad(work->refinement, i);

        if (bad && !fw_refinement_goes(work->refinement, i))
            fw_cmd_error("section '%s' is kept, and was violated %" PRIu64 " time%s in bad runs",
                         work->handed.sections.at.at[i].name, bad, bad == 1 ? "" : "s");
    }
}

/* Nearly all runs were in vain. */
static void say_too_strong(const struct work *work, const struct fw_refine_facts *facts)
{
    if (facts->bad / FEW >= facts->good)
        fw_cmd_warning("%" PRIu64 " of %" PRIu64 " runs were good: with noise that is weaker than "
                       "%s more may be (--noise)",
                       facts->good, facts->good + facts->bad, work->options->noise);
}

static void say(const struct work *work)
{
    struct fw_refine_facts facts = fw_refinement_facts(work->refinement);
    uint64_t gone = facts.violated + facts.unseen;

    say_too_strong(work, &facts);
    if (facts.unchanged < work->options->runs)
        fw_cmd_warning("only the last %" PRIu64 " good run%s changed nothing: more runs (--max) may"
                       " leave out more",
                       facts.unchanged, facts.unchanged == 1 ? "" : "s");
    say_bad(work);
    fw_cmd_error("%" PRIu64 " of %" PRIu64 " section%s left after %" PRIu64 " good and %" PRIu64
                 " bad runs; good ones violate %" PRIu64 ", %" PRIu64 " %s never checked",
                 facts.before - gone, facts.before, facts.before == 1 ? " is" : "s are", facts.good,
                 facts.bad, facts.violated, facts.unseen, facts.unseen == 1 ? "was" : "were");
}

static int write_result(struct work *work)
{
    struct fw_refine_facts facts = fw_refinement_facts(work->refinement);
    struct fw_output out;
    int status;

    if (atomic_load(work->stop)) {
        fw_cmd_warning("interrupted after %" PRIu64 " good and %" PRIu64 " bad runs%s", facts.good,
                       facts.bad, facts.good ? "" : ": nothing is written");
        if (!facts.good)
            return FW_EXIT_BUDGET;
    }
    if (!facts.good) {
        fw_cmd_error("no run of '%s' was good: nothing can be said of its sections; with noise "
                     "that is weaker than %s some may be (--noise)",
                     work->argv[0], work->options->noise);
        return FW_EXIT_INPUT;
    }
    if (!work->options->quiet)
        say(work);
    fw_refinement_finish(work->refinement);
    status = fw_cmd_output(&out, work->options->output);
    if (status)
        return status;
    fw_sections_print(&work->handed.sections, &out);
    return fw_cmd_output_close(&out, atomic_load(work->stop) ? FW_EXIT_BUDGET : FW_EXIT_OK);
}

/* --- the command ----------------------------------------------------------------------------- */

/* Noise at entries and ends, as targets of the runtime (src/atomrace/targets.h). */
static char *noise_in_sections(const struct work *work)
{
    const struct fw_regions_head *head = work->handed.file.head;
    struct fw_regions_end *ends = fw_regions_file_ends(&work->handed.file);
    struct fw_output text;
    char *noise;

    fw_output_open_memory(&text);
    fw_output_printf(&text, "%s:prefer=1:targets=", work->noise);
    for (uint32_t i = 0; i < head->end_count && i < MOST_TARGETS; i++)
        fw_output_printf(&text, "%sc%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64, i ? "," : "",
                         ends[i].place.device, ends[i].place.inode, ends[i].place.offset - 1,
                         ends[i].place.offset);
    fw_output_bytes(&text, "", 1);
    noise = fw_xstrdup(text.buffer);
    fw_output_abandon(&text);
    return noise;
}

static int set_noise(struct work *work, const char *const *files, size_t count)
{
    struct fw_noise_wish wish;
    struct fw_error err;
    char *noise = NULL;
    int status = 0;

    if (fw_noise_wish(&wish, work->options->noise, &err) < 0)
        status = fw_cmd_usage("--noise: %s", err.message);
    else
        noise = fw_noise_options(&wish, files, count, &status);
    if (!status)
        status = fw_handed_make(&work->handed, work->options->sections, files, count,
                                work->options->quiet);
    if (!status) {
        work->noise = fw_xasprintf("%s:sections=%s", noise, work->handed.file.path);
        work->in_sections = wish.kind == FW_NOISE_RANDOM ? noise_in_sections(work) : NULL;
    }
    fw_noise_release(&wish);
    free(noise);
    return status;
}

static int prepare(struct work *work)
{
    struct fw_words files = { 0 };
    char *program = fw_launch_path(work->argv[0]), *slash;
    struct fw_error err;
    int status = fw_cmd_files(&files, program ? program : work->argv[0], &work->options->modules);

    if (!status)
        status = set_noise(work, files.at, files.len);
    if (!status && (fw_places_find(&work->places, &err) < 0 ||
                    fw_place_default(&work->trace, &err) < 0))
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (!status) {
        slash = strrchr(work->trace, '/');
        work->shown = fw_xasprintf("%.*s/output", slash ? (int)(slash - work->trace) : 1,
                                   slash ? work->trace : ".");
        work->refinement = fw_refinement_create(&work->handed.sections);
        work->stop = fw_interrupt_watch();
    }
    fw_vec_release(&files);
    free(program);
    return status;
}

static void release(struct work *work)
{
    if (work->refinement)
        fw_refinement_destroy(work->refinement);
    fw_handed_release(&work->handed);
    fw_places_release(&work->places);
    free(work->trace);
    free(work->shown);
    free(work->noise);
    free(work->in_sections);
}

static int run(const void *values, int argc, char **argv)
{
    struct work work = { .options = values, .argv = argv };
    struct fw_error err;
    int status;

    (void)argc;
    if (!work.options->sections)
        return fw_cmd_usage("--sections: which ones?");
    if (!work.options->runs || !work.options->max)
        return fw_cmd_usage("--%s: at least one run is needed",
                            work.options->runs ? "max" : "runs");
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    fw_handed_init(&work.handed);
    status = fw_cmd_try_output(work.options->output);
    if (!status)
        status = prepare(&work);
    if (!status)
        status = run_all(&work);
    if (!status)
        status = write_result(&work);
    release(&work);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave sections refine --sections=till.sections -o kept.sections -- ./till",
      "with noise, until 20 good runs change nothing" },
    { "foreweave sections refine --sections=till.sections -n 5 --ok='grep 6000 $FOREWEAVE_OUTPUT' "
      "-- ./till",
      "a good run prints what is wanted, and 5 are enough" },
    { 0 },
};

static const struct fw_exit_note exits[] = {
    { FW_EXIT_OK, "what is left is written" },
    { FW_EXIT_USAGE, "the command line is wrong" },
    { FW_EXIT_INPUT, "the program cannot be run, no section is in it, or no run was good" },
    { FW_EXIT_FAILURE, "a file cannot be written" },
    { FW_EXIT_BUDGET, "it was interrupted (INT, TERM): what was known by then is written" },
    { 0, NULL },
};

const struct fw_command fw_cmd_sections_refine = {
    .name = "refine",
    .summary = "leave out sections that good runs violate",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, which was built with 'foreweave cc', again and again with its threads in "
        "parallel and noise, and watches the sections as 'foreweave atomrace --sections' does. "
        "What is violated in a run that was right need not be atomic: that end of the section "
        "allows everything from then on. Runs that were wrong change nothing. When enough right "
        "runs have changed nothing, sections that can be violated no more and those that never "
        "were run to their end are left out, and the others are written.\n\n"
        "So it needs to be known whether a run was right: by its exit status (assertions), or by "
        "--ok. What the program prints is not shown.",
    .options = options,
    .options_size = sizeof(struct refine),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .exits = exits,
    .run = run,
    .stop_at_operand = true,
};
