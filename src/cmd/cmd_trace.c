/* cmd_trace.c - foreweave trace: the group of commands on trace files. */
#include "cmd/cmd.h"

/* clang-format off */
static const struct fw_command *const children[] = {
    &fw_cmd_trace_info,
    &fw_cmd_trace_show,
    &fw_cmd_trace_convert,
    &fw_cmd_trace_verify,
    NULL,
};
/* clang-format on */

static const struct fw_example examples[] = {
    { "foreweave trace info a.std", "how many events, threads, variables, locks" },
    { "foreweave trace show --range=100-120 a.fwt", "a part of it in columns" },
    { 0 },
};

const struct fw_command fw_cmd_trace = {
    .name = "trace",
    .summary = "look into, convert and check trace files",
    .description =
        "A trace is the total order of the events of one run. Three formats are read and "
        "written: STD text (.std), Tiddle (.tid) and binary (.fwt).",
    .children = children,
    .max_operands = INT_MAX,
    .examples = examples,
};
