/*
 * cmd_sections_find.c - foreweave sections find: sections that a program probably means, from
 * traces of its runs.
 */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/places.h"
#include "record/launch.h"
#include "record/places.h"
#include "record/recorder.h"
#include "sections/find.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct find {
    struct fw_words from;
    const char *output;
    uint64_t seed, runs;
    bool quiet;
};

static const struct find defaults = { .seed = 1, .runs = 1 };

/* As users name them: several. */
static const char *const kinds[] = { "annotations", "load-and-store", "test-and-use", "invariants",
                                     NULL };
static const enum fw_section_origin origins[] = { FW_ORIGIN_ANNOTATION, FW_ORIGIN_LOAD_AND_STORE,
                                                  FW_ORIGIN_TEST_AND_USE, FW_ORIGIN_INVARIANT };

static const struct fw_option options[] = {
    { "from", 0, "KIND,...", "what to look for (all of it)", FW_OPTION(LIST, struct find, from),
      .choices = kinds,
      .detail =
          "annotations: between the first and the last access of a variable in a block that the "
          "program has annotated (FOREWEAVE_ATOMIC_BEGIN). load-and-store: loads and a store in "
          "one line, as 'n = n + 1'. test-and-use: a load, a branch and further loads, as "
          "'if (p) p->n'. invariants: each two accesses that follow each other; most of these are "
          "not meant to be atomic, and those that a good run breaks should be left out." },
    { "output", 'o', "FILE", "write the sections to FILE", FW_OPTION(FILE, struct find, output),
      .detail = "Without it they are printed; those of a PROGRAM, which prints itself, are written "
                "to .foreweave/last/sections." },
    { "runs", 0, "N", "run PROGRAM so often (1)", FW_OPTION(COUNT, struct find, runs),
      .detail = "Each run has the next seed, another interleaving, which may lead into other "
                "code." },
    { "seed", 0, "N", "the first seed (1)", FW_OPTION(COUNT, struct find, seed) },
    { "quiet", 'q', NULL, "say nothing but errors", FW_OPTION(FLAG, struct find, quiet) },
    { 0 },
};

struct work {
    const struct find *options;
    struct fw_finder *finder;
    char *folder; /* of the runs; NULL: traces were given */
};

/* --- what is looked into --------------------------------------------------------------------- */

static int add_trace(struct work *work, const char *path)
{
    struct fw_error err;

    if (fw_finder_add(work->finder, path, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    return 0;
}

static int add_recorded(struct work *work, const struct fw_recorded *recorded, const char *program)
{
    const char *why, *path;
    bool any = false;
    int status = 0;

    for (size_t i = 0; i < recorded->traces.len && !status; i++) {
        const struct fw_recorded_trace *trace = &recorded->traces.at[i];

        if (!trace->connected || !trace->result.accesses)
            continue;
        any = true;
        if (!work->options->quiet && (trace->failed[0] || trace->problem[0]))
            fw_cmd_warning("'%s' is cut: %s", trace->path,
                           trace->failed[0] ? trace->failed : trace->problem);
        status = add_trace(work, trace->path);
    }
    if (status || any)
        return status;
    why = fw_recorded_cut(recorded, &path);
    if (why) {
        fw_cmd_error("nothing was found in '%s': '%s' is cut: %s", program, path, why);
        return FW_EXIT_FAILURE;
    }
    fw_cmd_error("nothing can be found in '%s': it was not built with 'foreweave cc'", program);
    return FW_EXIT_INPUT;
}

static int run_once(struct work *work, const struct fw_places *places, char **argv, uint64_t number)
{
    char *path = work->options->runs == 1
                     ? fw_xasprintf("%s/trace.fwt", work->folder)
                     : fw_xasprintf("%s/run%" PRIu64 ".fwt", work->folder, number);
    struct fw_record_setup setup = { .argv = argv,
                                     .path = path,
                                     .runtime = places->runtime,
                                     .seed = work->options->seed + number - 1,
                                     .repeats = true };
    struct fw_recorded recorded;
    struct fw_error err;
    enum fw_record_end end = fw_record(&setup, &recorded, &err);
    int status;

    if (end == FW_RECORD_DONE)
        status = add_recorded(work, &recorded, argv[0]);
    else
        status = fw_cmd_fail(end == FW_RECORD_NO_PROGRAM ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    fw_recorded_release(&recorded);
    free(path);
    return status;
}

static int run_program(struct work *work, char **argv)
{
    struct fw_places places;
    struct fw_error err;
    char *path, *slash;
    int status = fw_cmd_try_output(work->options->output);

    if (status)
        return status;
    if (fw_launch_check(argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    if (fw_places_find(&places, &err) < 0 || fw_place_default(&path, &err) < 0) {
        fw_places_release(&places);
        return fw_cmd_fail(FW_EXIT_FAILURE, &err);
    }
    slash = strrchr(path, '/');
    work->folder = fw_xstrndup(path, slash ? (size_t)(slash - path) : 0);
    for (uint64_t i = 1; i <= work->options->runs && !status; i++)
        status = run_once(work, &places, argv, i);
    fw_places_release(&places);
    free(path);
    return status;
}

/* --- what comes of it ------------------------------------------------------------------------ */

static unsigned wanted_origins(const struct find *find)
{
    unsigned wanted = 0;

    for (size_t i = 0; kinds[i]; i++) {
        for (size_t j = 0; j < find->from.len; j++)
            if (strcmp(find->from.at[j], kinds[i]) == 0)
                wanted |= 1u << origins[i];
        if (!find->from.len)
            wanted |= 1u << origins[i];
    }
    return wanted;
}

static void warn(const struct fw_finder_facts *facts)
{
    if (facts->lacking)
        fw_cmd_warning("%" PRIu64 " trace%s without repeated accesses: most pairs are missing; "
                       "'foreweave record --repeats' keeps them",
                       facts->lacking, facts->lacking == 1 ? " was recorded" : "s were recorded");
    if (facts->unknown)
        fw_cmd_warning("%" PRIu64 " access%s of shared variables %s no hook or no line of the "
                       "program's (built without -g?), and %s left out",
                       facts->unknown, facts->unknown == 1 ? "" : "es",
                       facts->unknown == 1 ? "has" : "have", facts->unknown == 1 ? "is" : "are");
    if (facts->spread)
        fw_cmd_warning("%" PRIu64 " time%s an annotated block had its first and last access of a "
                       "variable in different functions: such are left out",
                       facts->spread, facts->spread == 1 ? "" : "s");
}

static void say(const struct fw_sections *sections, const char *path,
                const struct fw_finder_facts *facts)
{
    size_t counts[FW_ORIGIN_COUNT] = { 0 };
    struct fw_output text;

    for (size_t i = 0; i < sections->at.len; i++)
        counts[sections->at.at[i].origin]++;
    fw_output_open_memory(&text);
    for (size_t i = 0, any = 0; kinds[i]; i++)
        if (counts[origins[i]])
            fw_output_printf(&text, "%s%zu %s", any++ ? ", " : ": ", counts[origins[i]],
                             fw_section_origins[origins[i]]);
    fw_output_bytes(&text, "", 1);
    fw_cmd_error("%zu section%s of %" PRIu64 " shared variable%s%s%s%s", sections->at.len,
                 sections->at.len == 1 ? "" : "s", facts->variables,
                 facts->variables == 1 ? "" : "s", text.buffer, path ? "; in " : "",
                 path ? path : "");
    fw_output_abandon(&text);
}

static int write_sections(struct work *work, const struct fw_sections *sections)
{
    char *own =
        work->options->output || !work->folder ? NULL : fw_xasprintf("%s/sections", work->folder);
    const char *path = own ? own : work->options->output;
    struct fw_output out;
    int status = fw_cmd_output(&out, path);

    if (!status) {
        fw_sections_print(sections, &out);
        status = fw_cmd_output_close(&out, FW_EXIT_OK);
    }
    if (!status && !work->options->quiet) {
        warn(fw_finder_facts(work->finder));
        say(sections, path && strcmp(path, "-") != 0 ? path : NULL, fw_finder_facts(work->finder));
    }
    free(own);
    return status;
}

/* --- the command ----------------------------------------------------------------------------- */

/* A program can be executed, and is no trace. */
static bool is_program(const char *operand)
{
    static const char magic[] = "FWTRACE\n";
    char *path = fw_launch_path(operand), begin[8] = "";
    FILE *in = path ? fopen(path, "re") : NULL;
    bool is = in && (fread(begin, 1, sizeof begin, in) < sizeof begin ||
                     memcmp(begin, magic, sizeof begin) != 0);

    if (in)
        fclose(in);
    else
        is = path != NULL; /* it may be executed without being read */
    free(path);
    return is;
}

/* As a program or as a trace; - is the standard input. */
static bool is_there(const char *operand)
{
    char *path = fw_launch_path(operand);
    bool is = path || strcmp(operand, "-") == 0 || access(operand, F_OK) == 0 || errno != ENOENT;

    free(path);
    return is;
}

static int run(const void *values, int argc, char **argv)
{
    const struct find *find = values;
    struct work work = { .options = find };
    struct fw_sections sections;
    int status = 0;

    if (find->runs == 0)
        return fw_cmd_usage("--runs: at least one run is needed");
    if (!is_there(argv[0])) {
        fw_cmd_error("cannot find '%s': there is no such program, and no such trace", argv[0]);
        return FW_EXIT_INPUT;
    }
    work.finder = fw_finder_create(wanted_origins(find));
    if (is_program(argv[0]))
        status = run_program(&work, argv);
    else
        status = fw_cmd_check_output(find->output, argc, argv);
    for (int i = 0; i < argc && !status && !work.folder; i++)
        status = add_trace(&work, argv[i]);
    if (!status) {
        fw_finder_finish(work.finder, &sections);
        status = write_sections(&work, &sections);
        fw_sections_release(&sections);
    }
    fw_finder_destroy(work.finder);
    free(work.folder);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave sections find -o till.sections -- ./till", "in a run that is recorded for it" },
    { "foreweave sections find --from=load-and-store --runs=3 -- ./till", "only that, in three" },
    { "foreweave record --repeats -o r.fwt -- ./till && foreweave sections find r.fwt",
      "in a recording" },
    { 0 },
};

const struct fw_command fw_cmd_sections_find = {
    .name = "find",
    .summary = "find sections in runs of a program",
    .operands = "TRACE... | [--] PROGRAM [ARGUMENT...]",
    .description =
        "Looks at what threads do to variables that two of them access and one of them writes, and "
        "writes down which pieces of the program are probably meant to be atomic. PROGRAM is run "
        "under 'foreweave record', with all repeated accesses; traces should have been recorded "
        "with 'record --repeats', and the program must still be the one that was recorded.\n\n"
        "What is found are candidates. They are what 'foreweave sections show' shows, and can be "
        "edited as any text.",
    .options = options,
    .options_size = sizeof(struct find),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = INT_MAX,
    .examples = examples,
    .run = run,
    .stop_at_operand = true,
};
