/*
 * journal.h - what the runs of a campaign have shown, in a file that survives being killed.
 *
 *     foreweave explore 1
 *     about TEXT                       what is explored, and how: must be the same to go on
 *     site NUMBER OFFSET OPERATION MODULE
 *     pair NUMBER PAIR                 these belong to the next `run` of that number
 *     message NUMBER TEXT
 *     decisions NUMBER BYTES ZSTD      of a search, in hexadecimal digits
 *     cut NUMBER SECONDS               it was on its way when this limit had passed
 *     run NUMBER POINTS THREADS END CODE MARKS [FAILURE]
 *
 * Lines are only ever appended, one write for each trial, and a trial counts when its `run` line
 * is there: whatever stands behind the last whole one was cut off.
 */
#ifndef FW_EXPLORE_JOURNAL_H
#define FW_EXPLORE_JOURNAL_H

#include "explore/trial.h"

FW_VEC_TYPE(fw_trial_vec, struct fw_trial);

/*
 * Opens the journal in the file for appending, which is made if there is none; the trials that it
 * tells of are put into `known`, by number.  Returns the descriptor; -1: it cannot
 * be read, is no journal, or is about something else.  Decisions stay packed: they may be thousands
 * of times as long.
 */
int fw_journal_open(const char *path, const char *about, struct fw_trial_vec *known,
                    struct fw_error *err);
/* Unpacks its decisions, if it has some; false: they are damaged. */
bool fw_journal_unpack(struct fw_trial *trial);
int fw_journal_append(int fd, const struct fw_trial *trial, struct fw_error *err);

#endif
