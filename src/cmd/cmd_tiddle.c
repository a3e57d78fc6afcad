/* cmd_tiddle.c - foreweave tiddle: the group of commands that make programs and traces. */
#include "cmd/cmd.h"

/* clang-format off */
static const struct fw_command *const children[] = {
    &fw_cmd_tiddle_compile,
    &fw_cmd_tiddle_enumerate,
    &fw_cmd_tiddle_extract,
    NULL,
};
/* clang-format on */

static const struct fw_example examples[] = {
    { "foreweave tiddle compile a.tid -o a.c", "a program that executes the trace" },
    { "foreweave tiddle compile --free a.tid -o a.c", "its threads running free" },
    { "foreweave tiddle enumerate a.tid", "all equivalent traces" },
    { 0 },
};

const struct fw_command fw_cmd_tiddle = {
    .name = "tiddle",
    .summary = "make C programs and equivalent traces from a trace",
    .description =
        "Tiddle is a small language for traces, one operation a line: 'wr 1 x 5' is thread 1 "
        "writing 5 to x. A trace of a few lines is the shortest description of a concurrency bug; "
        "these commands turn it into a program that shows the bug in every run, and into all "
        "traces that mean the same, and take such a trace out of a long one. Traces of other "
        "formats are taken too, if their threads are called T0, T1 and so on. Tiddle is read by "
        "every command that reads traces.",
    .rare = true,
    .children = children,
    .max_operands = INT_MAX,
    .examples = examples,
};
