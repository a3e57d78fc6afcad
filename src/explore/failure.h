/*
 * failure.h - did a run fail, and is it a failure that is known already?
 *
 * A run fails if the runtime ended it (deadlock, stuck), if it took too long (and was not merely
 * cut short), was killed by a signal or exited with another status than 0.  With a command to judge
 * (--ok) the last two are that command's: it is run with sh -c after each run that came to its end,
 * with
 *
 *     FOREWEAVE_STATUS   the exit status, 128 + N after signal N
 *     FOREWEAVE_OUTPUT   a file with what the program printed
 *
 * in its environment, and exits with 0 if the run was right.
 *
 * Two failures are the same if they end alike and the last line that was printed is the same up to
 * numbers; deadlocks, if the threads wait at the same places.
 */
#ifndef FW_EXPLORE_FAILURE_H
#define FW_EXPLORE_FAILURE_H

#include "explore/trial.h"

/* Fills trial->failure and ->message from the session's latest run; result is in the trial.
 * 1: the session was over before the command had judged; -1: the command cannot be run. */
int fw_failure_judge(struct fw_trial *trial, const struct fw_session *session, const char *ok,
                     struct fw_error *err);

/* The last line that is not empty, without what is no text; "" if there is none.  The caller's. */
char *fw_failure_last_line(const char *output, size_t bytes);
/* In place: numbers that may differ from run to run become '#'. */
void fw_failure_blur(char *text);

#endif
