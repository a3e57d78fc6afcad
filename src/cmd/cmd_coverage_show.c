/* cmd_coverage_show.c - foreweave coverage show: what was tested, and what is left. */
#include "cmd/coverage.h"

#include <string.h>

struct show {
    struct fw_chosen chosen;
    const char *output;
    bool untested;
    int format;
};

static const struct show defaults = { .chosen = { .db = FW_MEMO_DEFAULT } };

static const struct fw_option options[] = {
    FW_DB_OPTION(struct show, chosen.db),
    FW_PROGRAM_OPTION(struct show, chosen.program),
    FW_BUILD_OPTION(struct show, chosen.build),
    FW_IDIOM_OPTION(struct show, chosen.idiom),
    { "untested", 'u', NULL, "list what is untested, by source line",
      FW_OPTION(FLAG, struct show, untested),
      .detail = "Those that are predicted, not known to be infeasible, and not exposed: never "
                "tried, or tried in vain." },
    FW_FORMAT_OPTION(struct show, format),
    FW_OUTPUT_OPTION(struct show, output),
    { 0 },
};

static void print_json(struct fw_output *out, const struct show *show,
                       const struct fw_chosen_coverage *chosen)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_text(&json, "database", fw_memo_name(chosen->memo));
    fw_json_array(&json, "programs");
    for (size_t i = 0; i < chosen->programs.len; i++)
        fw_coverage_json(&json, &chosen->programs.at[i], show->untested, false);
    fw_json_end(&json);
    fw_json_end(&json);
}

/* The next command to type. */
static void print_next(struct fw_output *out, const struct show *show,
                       const struct fw_coverage *coverage)
{
    const struct fw_memo_counts *counts = &coverage->counts[coverage->idiom];

    if (!counts->state[FW_MEMO_FAILED] && !counts->state[FW_MEMO_LEFT])
        return;
    fw_output_text(out, "\nNext: foreweave coverage show --untested");
    if (strcmp(show->chosen.db, FW_MEMO_DEFAULT) != 0 && !fw_memo_is_url(show->chosen.db)) {
        fw_output_text(out, " --db=");
        fw_output_word(out, show->chosen.db);
    }
    fw_output_text(out, "\n");
}

static void print_text(struct fw_output *out, const struct show *show,
                       const struct fw_chosen_coverage *chosen)
{
    for (size_t i = 0; i < chosen->programs.len; i++) {
        const struct fw_coverage *coverage = &chosen->programs.at[i];

        if (i)
            fw_output_text(out, "\n");
        (show->untested ? fw_coverage_untested : fw_coverage_show)(out, coverage);
        if (!show->untested && chosen->programs.len == 1)
            print_next(out, show, coverage);
    }
    if (!chosen->programs.len)
        fw_output_printf(out, "'%s' knows no program yet\n", fw_memo_name(chosen->memo));
}

static int run(const void *values, int argc, char **argv)
{
    const struct show *show = values;
    struct fw_chosen_coverage chosen;
    struct fw_output out;
    int status = fw_chosen_coverage_load(&chosen, &show->chosen);

    (void)argc, (void)argv;
    if (!status)
        status = fw_cmd_output(&out, show->output);
    if (!status) {
        (show->format == FW_FORMAT_JSON ? print_json : print_text)(&out, show, &chosen);
        status = fw_cmd_output_close(&out, FW_EXIT_OK);
    }
    fw_chosen_coverage_release(&chosen);
    return status;
}

static const struct fw_example examples[] = {
    { "foreweave coverage show", "what the database in this folder knows" },
    { "foreweave coverage show --untested --idiom=1", "what is left of the simplest idiom" },
    { "foreweave coverage show --db=all.db --program=till --format=json", "for programs" },
    { 0 },
};

const struct fw_command fw_cmd_coverage_show = {
    .name = "show",
    .summary = "what was tested, and what is left",
    .description =
        "Prints, for each idiom: how many iRoots were exposed by some run; how many were "
        "predicted; and of those that were not exposed, how many are infeasible (proved, with "
        "every input that predicts them), were tried and failed to be exposed, or are left: never "
        "tried. Then how coverage has grown with the runs, an estimate of how much there is still "
        "to be exposed, and the runs in which the program failed.",
    .options = options,
    .options_size = sizeof(struct show),
    .defaults = &defaults,
    .examples = examples,
    .run = run,
};
