/*
 * loading.h - what commands that load whole traces and make files have in common.
 */
#ifndef FW_CMD_LOADING_H
#define FW_CMD_LOADING_H

#include "base/options.h"
#include "cmd/reading.h"
#include "trace/trace.h"

/*
 * Loads the trace and warns of what was set aside; `consequence`: "compiled".  0, or the exit
 * status after printing the error.
 */
int fw_cmd_load_trace(struct fw_trace **trace, const char *path,
                      const struct fw_read_options *options, const char *consequence);

/* Writes what was collected in memory to the path, or to standard output (NULL or "-"). */
int fw_cmd_write_result(const struct fw_output *memory, const char *path);

/*
 * What is looked into for names, places and code: the program and its libraries.  Appends them; 0,
 * or the exit status after saying which library cannot be read.  The paths stay the caller's.
 */
int fw_cmd_files(struct fw_words *files, const char *program, const struct fw_words *modules);

/* The file's name without its directories. */
const char *fw_cmd_base_name(const char *path);

/* Prints a line or two to standard output (8 KB at most); an exit status. */
int fw_cmd_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
