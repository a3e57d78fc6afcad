/*
 * inputs.h - the command lines that a program is to be run with: its own, or one for each line of a
 * file.
 *
 * A line of the file has arguments, which come behind those of the command line; words, quotes and
 * comments are those of base/words.h.  Empty lines are left out.
 */
#ifndef FW_CMD_INPUTS_H
#define FW_CMD_INPUTS_H

#include "base/error.h"
#include "base/vec.h"

/* Each a NULL-terminated list; the words of argv are borrowed. */
struct fw_inputs {
    FW_VEC(char **) at;
    FW_VEC(char *) words; /* of the file */
};

/* file NULL: argv alone.  -1: err; release them in either case. */
int fw_inputs_read(struct fw_inputs *inputs, const char *file, char **argv, struct fw_error *err);
void fw_inputs_release(struct fw_inputs *inputs);

#endif
