/* cmd_coverage_merge.c - foreweave coverage merge: what several databases know, in one. */
#include "cmd/coverage.h"

#include <inttypes.h>
#include <string.h>

struct merge {
    const char *into;
    uint64_t wait;
    bool quiet;
};

static const struct fw_option options[] = {
    { "into", 0, "DATABASE", "where everything goes", FW_OPTION(FILE, struct merge, into),
      .detail = "It is made if it is not there, and keeps what it has. A file of SQLite, or the "
                "URL of a PostgreSQL database." },
    { "wait", 0, "SECONDS", "give up if others write for so long (60)",
      FW_OPTION(COUNT, struct merge, wait) },
    { "quiet", 'q', NULL, "do not say what was new", FW_OPTION(FLAG, struct merge, quiet) },
    { 0 },
};

static int merge_one(const struct merge *merge, struct fw_memo *into, const char *where,
                     struct fw_output *out)
{
    struct fw_memo_merged merged;
    struct fw_memo *from;
    struct fw_error err;
    int result;

    if (fw_memo_open(&from, where, FW_MEMO_READ, (unsigned)merge->wait, &err) < 0)
        return fw_cmd_fail(FW_EXIT_INPUT, &err);
    result = fw_memo_merge(into, from, &merged, &err);
    if (result == 0 && !merge->quiet) {
        fw_output_printf(out, "%s: ", fw_memo_name(from));
        fw_coverage_many(out, merged.iroots, "iRoot");
        fw_output_text(out, ", ");
        fw_coverage_many(out, merged.runs, "run");
        fw_output_text(out, " and ");
        fw_coverage_many(out, merged.predictions, "prediction");
        fw_output_text(out, " were new\n");
    }
    fw_memo_close(from);
    if (result < 0)
        return fw_cmd_fail(merged.unread ? FW_EXIT_INPUT : FW_EXIT_FAILURE, &err);
    return 0;
}

static int check_operands(const struct merge *merge, int argc, char **argv)
{
    if (!merge->into)
        return fw_cmd_usage("say where it goes: --into=DATABASE");
    if (merge->wait > 86400)
        return fw_cmd_usage("--wait: a day (86400) at most");
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], merge->into) == 0 ||
            (!fw_memo_is_url(argv[i]) && !fw_memo_is_url(merge->into) &&
             fw_cmd_same_file(argv[i], merge->into)))
            return fw_cmd_usage("'%s' and '%s' are the same database", argv[i], merge->into);
    return 0;
}

static int run(const void *values, int argc, char **argv)
{
    const struct merge *merge = values;
    struct fw_memo *into = NULL;
    struct fw_output out;
    struct fw_error err;
    int status = check_operands(merge, argc, argv);

    if (!status)
        status = fw_cmd_output(&out, NULL);
    if (status)
        return status;
    if (fw_memo_open(&into, merge->into, FW_MEMO_WRITE, (unsigned)merge->wait, &err) < 0)
        status = fw_cmd_fail(FW_EXIT_FAILURE, &err);
    if (!status && !argc && !merge->quiet)
        fw_output_printf(&out, "%s: nothing to merge; it has this version\n", fw_memo_name(into));
    for (int i = 0; i < argc && !status; i++)
        status = merge_one(merge, into, argv[i], &out);
    fw_memo_close(into);
    return fw_cmd_output_close(&out, status);
}

static const struct fw_example examples[] = {
    { "foreweave coverage merge a.db b.db --into=all.db", "two files into a third" },
    { "foreweave coverage merge a.db --into=all.db", "once more, which changes nothing" },
    { 0 },
};

const struct fw_command fw_cmd_coverage_merge = {
    .name = "merge",
    .summary = "what several databases know, in one",
    .operands = "[DATABASE...]",
    .description =
        "Adds everything that the databases know to another one. Merging is idempotent: what is "
        "there already, because it was merged before or because one database is a copy of the "
        "other, is not counted again. What campaigns are trying just now is not taken over.\n\n"
        "Without any DATABASE the one of --into is made, or brought to this version.",
    .options = options,
    .options_size = sizeof(struct merge),
    .max_operands = INT_MAX,
    .examples = examples,
    .run = run,
};
