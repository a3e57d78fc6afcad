/* cmd_help.c - foreweave help: manuals, man pages and completion, from the commands' tables. */
#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/frame.h"

#include <stdlib.h>

struct help {
    bool man;
    const char *man_dir;
    int completion;
};

enum {
    SHELL_NONE = -1,
    SHELL_BASH
};

static const char *const shells[] = { "bash", NULL };
static const struct help defaults = { .completion = SHELL_NONE };

static const struct fw_option options[] = {
    { "man", 0, NULL, "as a man page (roff) on standard output",
      FW_OPTION(FLAG, struct help, man) },
    { "man-dir", 0, "DIR", "write all man pages into DIR", FW_OPTION(DIR, struct help, man_dir),
      .detail = "DIR must exist. One file for each command: foreweave.1, foreweave-trace.1, "
                "foreweave-trace-show.1 and so on. The installation uses this." },
    { "completion", 0, "SHELL", "print the completion for bash",
      FW_OPTION(CHOICE, struct help, completion), .choices = shells,
      .detail = "To use it at once: source <(foreweave help --completion=bash)" },
    { 0 },
};

struct man_job {
    const char *dir;
    int status;
};

static void write_man_page(const struct fw_path *path, void *data)
{
    struct man_job *job = data;
    struct fw_output out;
    char *file;

    if (job->status)
        return;
    file = fw_xasprintf("%s/%s.1", job->dir, fw_path_page(path));
    job->status = fw_cmd_output(&out, file);
    free(file);
    if (job->status)
        return;
    fw_help_man_page(path, &out);
    job->status = fw_cmd_output_close(&out, FW_EXIT_OK);
}

static int run(const void *values, int argc, char **argv)
{
    const struct help *help = values;
    struct fw_path path = { { &fw_cmd_root }, 1 };
    struct fw_output out;
    int status;

    for (int i = 0; i < argc; i++)
        if (fw_path_descend(&path, argv[i]) < 0)
            return FW_EXIT_USAGE;
    if (help->man_dir) {
        struct man_job job = { help->man_dir, 0 };

        fw_path_walk(&path, write_man_page, &job);
        return job.status;
    }
    status = fw_cmd_output(&out, NULL);
    if (status)
        return status;
    if (help->completion == SHELL_BASH)
        fw_help_completion(&out);
    else if (help->man)
        fw_help_man_page(&path, &out);
    else
        fw_help_manual(&path, &out);
    return fw_cmd_output_close(&out, FW_EXIT_OK);
}

static const struct fw_example examples[] = {
    { "foreweave help trace show", "the manual of trace show" },
    { "foreweave help --man trace show | man -l -", "the same as a man page" },
    { "source <(foreweave help --completion=bash)", "completion in this shell" },
    { 0 },
};

const struct fw_command fw_cmd_help = {
    .name = "help",
    .summary = "print the manual of a command",
    .operands = "[COMMAND...]",
    .description =
        "Prints what COMMAND --help prints; without COMMAND the manual of foreweave. Manuals, man "
        "pages and completion are made from the tables that also parse the command line, so they "
        "cannot disagree with it.",
    .options = options,
    .options_size = sizeof(struct help),
    .defaults = &defaults,
    .max_operands = FW_PATH_MAX - 1,
    .examples = examples,
    .run = run,
    .rare = true,
};
