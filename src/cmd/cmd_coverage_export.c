/* cmd_coverage_export.c - foreweave coverage export: iRoots and growth as data, or as a picture. */
#include "cmd/coverage.h"

enum what {
    WHAT_IROOTS,
    WHAT_GROWTH,
};

enum format {
    EXPORT_CSV,
    EXPORT_JSON,
    EXPORT_TEXT,
    EXPORT_SVG,
};

static const char *const whats[] = { "iroots", "growth", NULL };
static const char *const formats[] = { "csv", "json", "text", "svg", NULL };

struct export {
    struct fw_chosen chosen;
    const char *output;
    int what, format;
};

static const struct export defaults = { .chosen = { .db = FW_MEMO_DEFAULT } };

static const struct fw_option options[] = {
    FW_DB_OPTION(struct export, chosen.db),
    FW_PROGRAM_OPTION(struct export, chosen.program),
    FW_BUILD_OPTION(struct export, chosen.build),
    FW_IDIOM_OPTION(struct export, chosen.idiom),
    { "what", 0, "WHAT", "iroots (default) or growth", FW_OPTION(CHOICE, struct export, what),
      .choices = whats,
      .detail = "iroots: one row for each iRoot. growth: one row for each run, with what it was "
                "the first to expose. JSON has both." },
    { "format", 0, "FORMAT", "csv (default), json, text or svg",
      FW_OPTION(CHOICE, struct export, format), .choices = formats,
      .detail = "svg is a picture of the growth of one program." },
    FW_OUTPUT_OPTION(struct export, output),
    { 0 },
};

static void write_json(struct fw_output *out, const struct fw_chosen_coverage *chosen)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_text(&json, "database", fw_memo_name(chosen->memo));
    fw_json_array(&json, "programs");
    for (size_t i = 0; i < chosen->programs.len; i++)
        fw_coverage_json(&json, &chosen->programs.at[i], false, true);
    fw_json_end(&json);
    fw_json_end(&json);
}

static void write_csv(struct fw_output *out, const struct export *export,
                      const struct fw_chosen_coverage *chosen)
{
    for (size_t i = 0; i < chosen->programs.len; i++)
        (export->what == WHAT_GROWTH ? fw_coverage_growth_csv : fw_coverage_iroots_csv)(
            out, &chosen->programs.at[i], i == 0);
}

static void write_text(struct fw_output *out, const struct export *export,
                       const struct fw_chosen_coverage *chosen)
{
    for (size_t i = 0; i < chosen->programs.len; i++)
        (export->what == WHAT_GROWTH ? fw_coverage_growth_text : fw_coverage_iroots_text)(
            out, &chosen->programs.at[i]);
}

static void write_all(struct fw_output *out, const struct export *export,
                      const struct fw_chosen_coverage *chosen)
{
    switch (export->format) {
    case EXPORT_JSON:
        write_json(out, chosen);
        break;
    case EXPORT_TEXT:
        write_text(out, export, chosen);
        break;
    case EXPORT_SVG:
        fw_coverage_svg(out, &chosen->programs.at[0]);
        break;
    default:
        write_csv(out, export, chosen);
    }
}

static int run(const void *values, int argc, char **argv)
{
    const struct export *export = values;
    struct fw_chosen_coverage chosen;
    struct fw_output out;
    int status = fw_chosen_coverage_load(&chosen, &export->chosen);

    (void)argc, (void)argv;
    if (!status && export->format == EXPORT_SVG && chosen.programs.len != 1)
        status = fw_cmd_usage("a picture is of one program, '%s' knows %zu: choose with --program",
                              fw_memo_name(chosen.memo), chosen.programs.len);
    if (!status)
        status = fw_cmd_output(&out, export->output);
    if (!status) {
        write_all(&out, export, &chosen);
        status = fw_cmd_output_close(&out, FW_EXIT_OK);
    }
    fw_chosen_coverage_release(&chosen);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave coverage export --format=json -o coverage.json", "all iRoots and runs" },
    { "foreweave coverage export --what=growth -o growth.csv", "run by run" },
    { "foreweave coverage export --format=svg -o growth.svg", "the same as a picture" },
    { 0 },
};

const struct fw_command fw_cmd_coverage_export = {
    .name = "export",
    .summary = "iRoots and growth as data, or as a picture",
    .description =
        "Writes what a memo database knows for other programs: CSV has a head that names its "
        "columns, JSON the keys of 'foreweave coverage show --format=json' and all iRoots, and "
        "text has one iRoot or run a line.",
    .options = options,
    .options_size = sizeof(struct export),
    .defaults = &defaults,
    .examples = examples,
    .run = run,
};
