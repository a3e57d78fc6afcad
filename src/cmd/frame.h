/*
 * frame.h - between main.c, the help texts and the help command: commands with their path.
 */
#ifndef FW_CMD_FRAME_H
#define FW_CMD_FRAME_H

#include "cmd/cmd.h"

#define FW_PATH_MAX 4

/* foreweave, trace, show. */
struct fw_path {
    const struct fw_command *at[FW_PATH_MAX];
    int len; /* at least 1 */
};

static inline const struct fw_command *fw_path_command(const struct fw_path *path)
{
    return path->at[path->len - 1];
}

/* "foreweave trace show"; good until the next call. */
const char *fw_path_text(const struct fw_path *path);

/* The same with dashes: the name of the man page. */
const char *fw_path_page(const struct fw_path *path);

/* The command that was called, as far as it is known. */
const struct fw_path *fw_current_path(void);

/* Appends the child of this name; -1 (and a usage error printed) if there is none. */
int fw_path_descend(struct fw_path *path, const char *name);

/* Calls visit for the path and all below it, in the order of the tables. */
void fw_path_walk(const struct fw_path *path, void (*visit)(const struct fw_path *path, void *data),
                  void *data);

/* An empty table for commands without options. */
extern const struct fw_option fw_no_options[];
extern const struct fw_exit_note fw_default_exits[];

static inline const struct fw_option *fw_command_options(const struct fw_command *command)
{
    return command->options ? command->options : fw_no_options;
}

/* The four faces of the tables. */
void fw_help_short(const struct fw_path *path, struct fw_output *out);
void fw_help_manual(const struct fw_path *path, struct fw_output *out);
void fw_help_man_page(const struct fw_path *path, struct fw_output *out);
void fw_help_completion(struct fw_output *out);

#endif
