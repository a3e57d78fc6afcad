/*
 * learning.h - what learn and guard share.
 */
#ifndef FW_CMD_LEARNING_H
#define FW_CMD_LEARNING_H

#include "learn/machine.h"
#include "learn/wire_file.h"

/* PERMILLE[:USEC], or NULL for none.  0, or the exit status after printing an error. */
int fw_learning_noise(const char *text, struct fw_guard_wish *wish);

/* Warns if others have had most of the machine since. */
void fw_learning_tell_others(const struct fw_machine_use *before);

#endif
