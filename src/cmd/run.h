/*
 * run.h - other programs whose answer is wanted: what they print, how they end.
 */
#ifndef FW_CMD_RUN_H
#define FW_CMD_RUN_H

#include <stddef.h>

/*
 * Runs it (found on PATH, no input, nothing shown) and gives the first line it prints, without its
 * newline.  0, or -1 if it cannot be run, fails or prints nothing.
 */
int fw_run_first_line(char *const command[], char *line, size_t size);

/* Runs it and shows nothing; its exit status, 128 + the signal, or -1 if it cannot be run. */
int fw_run_quietly(char *const command[]);

#endif
