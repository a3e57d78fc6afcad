/* cmd_list.c - foreweave list: the analyses of this version. */
#include "analysis/analysis.h"
#include "base/json.h"
#include "cmd/cmd.h"

struct list {
    int format;
};

static const struct fw_option options[] = {
    FW_FORMAT_OPTION(struct list, format),
    { 0 },
};

static void list_text(struct fw_output *out)
{
    fw_output_printf(out, "%-12s %-10s %s\n", "NAME", "GUARANTEE", "FINDS");
    for (size_t i = 0; fw_analyses[i]; i++)
        fw_output_printf(out, "%-12s %-10s %s%s\n", fw_analyses[i]->name,
                         fw_guarantee_names[fw_analyses[i]->guarantee], fw_analyses[i]->summary,
                         fw_analyses[i]->by_default ? " (default)" : "");
    fw_output_text(out, "\nRun one: foreweave check --analysis=NAME TRACE\n");
}

static void list_json(struct fw_output *out)
{
    struct fw_json json = { .out = out };

    fw_json_object(&json, NULL);
    fw_json_number(&json, "schema", 1);
    fw_json_array(&json, "analyses");
    for (size_t i = 0; fw_analyses[i]; i++) {
        fw_json_object(&json, NULL);
        fw_json_text(&json, "name", fw_analyses[i]->name);
        fw_json_text(&json, "guarantee", fw_guarantee_names[fw_analyses[i]->guarantee]);
        fw_json_bool(&json, "default", fw_analyses[i]->by_default);
        fw_json_text(&json, "summary", fw_analyses[i]->summary);
        fw_json_end(&json);
    }
    fw_json_end(&json);
    fw_json_end(&json);
}

static int run(const void *values, int argc, char **argv)
{
    const struct list *list = values;
    struct fw_output out;
    int status = fw_cmd_output(&out, NULL);

    (void)argc;
    (void)argv;
    if (status)
        return status;
    (list->format == FW_FORMAT_JSON ? list_json : list_text)(&out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static const struct fw_example examples[] = {
    { "foreweave list", "names, guarantees and what they find" },
    { "foreweave list --format=json", "the same for programs" },
    { 0 },
};

const struct fw_command fw_cmd_list = {
    .name = "list",
    .summary = "list the analyses of this version",
    .description =
        "The guarantee says how far a finding can be trusted. sound: every finding is real and "
        "carries a witness; first: the first finding is real; observed: exact for the trace "
        "itself; heuristic: a finding may be a false alarm; none: the analysis reports nothing.",
    .options = options,
    .options_size = sizeof(struct list),
    .examples = examples,
    .run = run,
    .rare = true,
};
