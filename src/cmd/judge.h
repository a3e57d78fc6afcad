/*
 * judge.h - was a run of a program right?
 */
#ifndef FW_CMD_JUDGE_H
#define FW_CMD_JUDGE_H

#include <stdbool.h>

/* What --ok says of itself in manuals. */
#define FW_JUDGE_DETAIL                                                                            \
    "Without it a run is right if it exits with status 0. The command is run by the shell after "  \
    "each run that came to its end and exits with 0 if it was right. In its environment "          \
    "FOREWEAVE_STATUS is the exit status (128 + N after signal N) and FOREWEAVE_OUTPUT a file "    \
    "with what was printed."

/* ok: the command, NULL: there is none.  status: as waitpid gives it; one that was killed was
 * killed by us, for its time.  output: the file. */
bool fw_judge(const char *ok, int status, const char *output);

#endif
