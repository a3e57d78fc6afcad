/*
 * selection.h - analyses that were named on the command line.
 */
#ifndef FW_CMD_SELECTION_H
#define FW_CMD_SELECTION_H

#include "analysis/analysis.h"
#include "base/options.h"
#include "base/vec.h"

FW_VEC_TYPE(fw_selection, const struct fw_analysis *);

/* Those that are named, each once; without names the ones that run by default.  0, or the exit
 * status after printing the error.  Release it in either case. */
int fw_selection_make(struct fw_selection *selection, const struct fw_words *names);

#endif
