/*
 * cc_flags.h - the command that is run in place of the user's.
 */
#ifndef FW_CMD_CC_FLAGS_H
#define FW_CMD_CC_FLAGS_H

#include "cmd/cc_arguments.h"
#include "cmd/places.h"

/* Fills *command (NULL at its end); strings made here go to call->owned. */
void fw_cc_flags(struct fw_words *command, const struct fw_cc_compiler *compiler,
                 struct fw_cc_call *call, const struct fw_places *places);

#endif
