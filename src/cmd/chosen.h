/*
 * chosen.h - the finding of a result that a command was asked for, and the trace it is about.
 */
#ifndef FW_CMD_CHOSEN_H
#define FW_CMD_CHOSEN_H

#include "report/result_match.h"

/* The one with this id, or with the only one that begins so, and a witness.  `what` is to be done
 * with the witness: "extract"; NULL: none is needed.  NULL after printing an error. */
const struct fw_result_finding *fw_chosen_finding(const struct fw_result *result, const char *path,
                                                  const char *id, const char *what);

/* The trace: `given`, or the one that the result names, as it stands there or in the result's
 * folder.  The caller frees it; NULL after printing an error. */
char *fw_chosen_trace(const struct fw_result *result, const char *path, const char *given);

/* The finding's witness in the trace, if the verifier accepts it.  0, or the exit status after
 * printing an error. */
int fw_chosen_witness(struct fw_result_match *match, const struct fw_result_finding *finding,
                      bool values, struct fw_witness *witness);

#endif
