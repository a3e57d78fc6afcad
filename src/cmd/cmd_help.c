/* cmd_help.c - foreweave help: manuals, man pages and completion, from the commands' tables. */
#include "cmd/cmd.h"
#include "cmd/frame.h"

static int run(const void *values, int argc, char **argv)
{
    struct fw_path path = { { &fw_cmd_root }, 1 };
    struct fw_output out;
    int status;

    (void)values;
    for (int i = 0; i < argc; i++)
        if (fw_path_descend(&path, argv[i]) < 0)
            return FW_EXIT_USAGE;
    status = fw_cmd_output(&out, NULL);
    if (status)
        return status;
    fw_help_manual(&path, &out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

const struct fw_command fw_cmd_help = {
    .name = "help",
    .summary = "print the manual of a command",
    .operands = "[COMMAND...]",
    .max_operands = FW_PATH_MAX,
    .run = run,
};
