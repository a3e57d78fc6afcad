/* cmd_coverage.c - foreweave coverage: the group of commands on the memo database. */
#include "cmd/cmd.h"

/* clang-format off */
static const struct fw_command *const children[] = {
    &fw_cmd_coverage_show,
    &fw_cmd_coverage_merge,
    &fw_cmd_coverage_export,
    NULL,
};
/* clang-format on */

static const struct fw_example examples[] = {
    { "foreweave coverage show", "what was tested, what is left" },
    { "foreweave coverage show --untested", "what is left, by source line" },
    { "foreweave coverage merge a.db b.db --into=all.db", "join what two machines know" },
    { "foreweave coverage export --format=svg -o growth.svg", "the growth curve as a picture" },
    { 0 },
};

const struct fw_command fw_cmd_coverage = {
    .name = "coverage",
    .summary = "which interleavings were tested, and which are left",
    .description =
        "Interleavings are counted as iRoots: a small pattern of dependencies between threads (an "
        "idiom, 1 to 6) with the places in the code where it happens. Campaigns note in a memo "
        "database which iRoots their runs have exposed, which are predicted and whether they can "
        "happen, and which were tried in vain. So nothing is tested twice, and coverage is a "
        "number.",
    .children = children,
    .max_operands = INT_MAX,
    .examples = examples,
};
