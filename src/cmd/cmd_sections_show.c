/*
 * cmd_sections_show.c - foreweave sections show: each section in words, and where it is in the
 * code.
 */
#include "base/alloc.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "record/launch.h"
#include "sections/assurance.h"
#include "sections/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct show {
    int format;
    const char *output;
    struct fw_words modules, traces;
};

static const struct fw_option options[] = {
    { "module", 0, "FILE,...", "also look for the sections in FILE",
      FW_OPTION(LIST, struct show, modules), .detail = "Libraries that the program loads." },
    { "trace", 0, "TRACE,...", "also say what synchronised in TRACE",
      FW_OPTION(LIST, struct show, traces),
      .detail =
          "Whether a section can be locked is told by its code, and may be told by recordings "
          "of this build as well." },
    FW_FORMAT_OPTION(struct show, format),
    FW_OUTPUT_OPTION(struct show, output),
    { 0 },
};

struct work {
    struct fw_sections sections;
    FW_VEC(struct fw_placement) placements; /* one for each file; none: no program was named */
    char **reasons; /* against locking, for each section; NULL: there is none */
    struct fw_output out;
};

/* --- words ----------------------------------------------------------------------------------- */

static const char *kind_of(const struct fw_spot *spot)
{
    return spot->write ? "write" : "read";
}

static const char *what_others_may(unsigned allow)
{
    static const char *const words[] = { "not touch it", "only read it", "only write it",
                                         "do anything" };

    return words[allow & FW_ALLOW_ALL];
}

static void print_spot(struct fw_output *out, const char *before, const struct fw_spot *spot)
{
    char *where = fw_spot_where(spot);

    fw_output_printf(out, "%s%s at %s", before, kind_of(spot), where);
    if (spot->text)
        fw_output_printf(out, "  %s", spot->text);
    fw_output_text(out, "\n");
    free(where);
}

static void print_section(struct work *work, const struct fw_atomic_section *section)
{
    struct fw_output *out = &work->out;

    fw_output_printf(out, "%s: %s in %s%s%s%s%s\n", section->name,
                     fw_section_origins[section->origin], section->function,
                     section->variable ? ", of " : "", section->variable ? section->variable : "",
                     section->circular ? ", circular" : "",
                     section->recursive ? ", recursive" : "");
    print_spot(out, "  from the ", &section->entry);
    for (size_t i = 0; i < section->ends.len; i++) {
        print_spot(out, "  to the ", &section->ends.at[i].at);
        fw_output_printf(out, "    others may %s\n", what_others_may(section->ends.at[i].allow));
    }
    for (size_t i = 0; i < section->exits.len; i++) {
        char *where = fw_spot_where(&section->exits.at[i]);

        fw_output_printf(out, "  over at %s\n", where);
        free(where);
    }
}

/* --- places ---------------------------------------------------------------------------------- */

static bool is_placed(const struct work *work, uint32_t section)
{
    for (size_t i = 0; i < work->placements.len; i++)
        if (fw_placement_has(&work->placements.at[i], section))
            return true;
    return false;
}

/* Of a section that is nowhere, what a file without its function says is worth nothing if another
 * one has it; of one that is somewhere, only what is missing there. */
static bool matters(const struct work *work, const struct fw_unplaced *unplaced, bool placed)
{
    bool elsewhere = false;

    if (placed)
        return !unplaced->whole;
    for (size_t i = 0; i < work->placements.len; i++)
        for (size_t j = 0; j < work->placements.at[i].unplaced.len; j++) {
            const struct fw_unplaced *other = &work->placements.at[i].unplaced.at[j];

            elsewhere |= other->section == unplaced->section && other->whole && !other->foreign;
        }
    return unplaced->whole ? !unplaced->foreign || !elsewhere : true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* One line for each copy of the function. */
static void print_copies(struct work *work, const struct fw_placement *placement, uint32_t section)
{
    static const char *const roles[] = { " entry", ", end", ", exit" };
    uint32_t copy = UINT32_MAX;

    for (size_t i = 0; i < placement->placed.len; i++) {
        const struct fw_placed *placed = &placement->placed.at[i];

        if (placed->section != section)
            continue;
        if (placed->copy != copy)
            fw_output_printf(&work->out, "%s  in %s:", copy == UINT32_MAX ? "" : "\n",
                             base_name(placement->path));
        copy = placed->copy;
        fw_output_printf(&work->out, "%s +0x%" PRIx64, roles[placed->role], placed->returns);
    }
    if (copy != UINT32_MAX)
        fw_output_text(&work->out, "\n");
}

static void print_reason(struct work *work, uint32_t section)
{
    if (work->reasons[section])
        fw_output_printf(&work->out, "  is never locked: %s\n", work->reasons[section]);
    else
        fw_output_text(&work->out, "  can be locked\n");
}

static void print_places(struct work *work, uint32_t section)
{
    bool placed = is_placed(work, section);

    if (!placed && work->placements.len)
        fw_output_text(&work->out, "  NOT PLACED\n");
    for (size_t i = 0; i < work->placements.len; i++) {
        const struct fw_placement *placement = &work->placements.at[i];

        print_copies(work, placement, section);
        for (size_t j = 0; j < placement->unplaced.len; j++) {
            const struct fw_unplaced *unplaced = &placement->unplaced.at[j];

            if (unplaced->section == section && matters(work, unplaced, placed))
                fw_output_printf(&work->out, "  missing in %s: %s\n", base_name(placement->path),
                                 unplaced->reason);
        }
    }
    if (placed)
        print_reason(work, section);
}

static void print_text(struct work *work)
{
    size_t placed = 0;

    for (uint32_t i = 0; i < work->sections.at.len; i++) {
        print_section(work, &work->sections.at.at[i]);
        print_places(work, i);
        placed += is_placed(work, i);
    }
    fw_output_printf(&work->out, "%zu section%s", work->sections.at.len,
                     work->sections.at.len == 1 ? "" : "s");
    if (work->placements.len)
        fw_output_printf(&work->out, ", %zu placed", placed);
    fw_output_text(&work->out, "\n");
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void json_spot(struct fw_json *json, const char *key, const struct fw_spot *spot,
                      const char *allow)
{
    fw_json_object(json, key);
    fw_json_text(json, "access", kind_of(spot));
    fw_json_text(json, "file", spot->file);
    fw_json_number(json, "line", spot->line);
    fw_json_number(json, "ordinal", spot->ordinal);
    if (spot->text)
        fw_json_text(json, "text", spot->text);
    if (allow)
        fw_json_text(json, "allow", allow);
    fw_json_end(json);
}

static void json_places(struct fw_json *json, const struct work *work, uint32_t section)
{
    static const char *const roles[] = { "entry", "end", "exit" };

    fw_json_array(json, "places");
    for (size_t i = 0; i < work->placements.len; i++)
        for (size_t j = 0; j < work->placements.at[i].placed.len; j++) {
            const struct fw_placed *placed = &work->placements.at[i].placed.at[j];

            if (placed->section != section)
                continue;
            fw_json_object(json, NULL);
            fw_json_text(json, "module", work->placements.at[i].path);
            fw_json_text(json, "role", roles[placed->role]);
            fw_json_number(json, "which", placed->which);
            fw_json_number(json, "copy", placed->copy);
            fw_json_number(json, "offset", placed->returns);
            fw_json_end(json);
        }
    fw_json_end(json);
    if (is_placed(work, section))
        fw_json_bool(json, "can_be_locked", !work->reasons[section]);
    if (work->reasons[section])
        fw_json_text(json, "never_locked", work->reasons[section]);
    fw_json_array(json, "missing");
    for (size_t i = 0; i < work->placements.len; i++)
        for (size_t j = 0; j < work->placements.at[i].unplaced.len; j++) {
            const struct fw_unplaced *unplaced = &work->placements.at[i].unplaced.at[j];

            if (unplaced->section == section && matters(work, unplaced, is_placed(work, section)))
                fw_json_text(json, NULL, unplaced->reason);
        }
    fw_json_end(json);
}

static void print_json(struct work *work)
{
    struct fw_json json = { .out = &work->out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_array(&json, "sections");
    for (uint32_t i = 0; i < work->sections.at.len; i++) {
        const struct fw_atomic_section *section = &work->sections.at.at[i];

        fw_json_object(&json, NULL);
        fw_json_text(&json, "name", section->name);
        fw_json_text(&json, "origin", fw_section_origins[section->origin]);
        fw_json_text(&json, "function", section->function);
        if (section->variable)
            fw_json_text(&json, "variable", section->variable);
        json_spot(&json, "entry", &section->entry, NULL);
        fw_json_array(&json, "ends");
        for (size_t j = 0; j < section->ends.len; j++)
            json_spot(&json, NULL, &section->ends.at[j].at,
                      fw_allow_text(section->ends.at[j].allow));
        fw_json_end(&json);
        fw_json_bool(&json, "circular", section->circular);
        fw_json_bool(&json, "recursive", section->recursive);
        if (work->placements.len)
            json_places(&json, work, i);
        fw_json_end(&json);
    }
    fw_json_end(&json);
    fw_json_end(&json);
}

/* --- the command ----------------------------------------------------------------------------- */

static int place_in(struct work *work, const char *path, const struct fw_words *traces)
{
    struct fw_assurance *assurance;
    struct fw_placement placement;
    struct fw_error err;
    int status = 0;

    if (fw_sections_place(&work->sections, path, &placement, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    fw_vec_push(&work->placements, placement);
    assurance = fw_assurance_open(path, &err);
    if (!assurance)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    fw_assurance_placed(assurance, &placement, work->reasons);
    fw_assurance_close(assurance);
    for (size_t i = 0; i < traces->len && !status; i++)
        if (fw_assurance_trace(traces->at[i], &placement, work->reasons, &err) < 0)
            status = fw_cmd_fail(FW_EXIT_INPUT, &err);
    return status;
}

static bool is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* The program is not run here but looked into: a file of that name comes before one on PATH. */
static int place_all(struct work *work, const char *program, const struct show *show)
{
    char *path = program && !is_file(program) ? fw_launch_path(program) : NULL;
    int status = 0;

    if (program)
        status = place_in(work, path ? path : program, &show->traces);
    for (size_t i = 0; i < show->modules.len && !status; i++)
        status = place_in(work, show->modules.at[i], &show->traces);
    free(path);
    return status;
}

static int run(const void *values, int argc, char **argv)
{
    const struct show *show = values;
    struct work work = { 0 };
    struct fw_error err;
    int status = fw_cmd_check_output(show->output, argc, argv);

    if (status)
        return status;
    if (fw_sections_read(&work.sections, argv[0], &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    work.reasons = fw_xcalloc(work.sections.at.len + 1, sizeof *work.reasons);
    status = place_all(&work, argc > 1 ? argv[1] : NULL, show);
    if (!status)
        status = fw_cmd_output(&work.out, show->output);
    if (!status) {
        if (show->format == FW_FORMAT_JSON)
            print_json(&work);
        else
            print_text(&work);
        status = fw_cmd_output_close(&work.out, FW_EXIT_OK);
    }
    for (size_t i = 0; i < work.placements.len; i++)
        fw_placement_release(&work.placements.at[i]);
    for (size_t i = 0; i < work.sections.at.len; i++)
        free(work.reasons[i]);
    free(work.reasons);
    fw_vec_release(&work.placements);
    fw_sections_release(&work.sections);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave sections show till.sections", "each section in words" },
    { "foreweave sections show till.sections ./till", "and where it is in this build" },
    { 0 },
};

const struct fw_command fw_cmd_sections_show = {
    .name = "show",
    .summary = "what sections are, and where in the code",
    .operands = "FILE [PROGRAM]",
    .description =
        "Says of each section of FILE what it is: from which access to which, and what other "
        "threads may do meanwhile. With PROGRAM it says where the section is in that build: the "
        "addresses behind the calls of the hooks, one line for each copy of the function (it may "
        "be inlined in several places). What cannot be found is named with the reason. It also "
        "says "
        "whether the section can be locked: not if anything between its entry and its ends may "
        "synchronise, be it by a call or by an atomic instruction.",
    .options = options,
    .options_size = sizeof(struct show),
    .min_operands = 1,
    .max_operands = 2,
    .examples = examples,
    .run = run,
};
