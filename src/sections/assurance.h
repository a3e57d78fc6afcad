/*
 * assurance.h - may a section be locked?  Only if nothing inside it can synchronise.
 *
 * A thread that holds a healing lock and waits for something else may wait for somebody who waits
 * for the lock.  So sections that may synchronise between entry and end are not locked, and the
 * reason is told.  Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation
 * Detector and Healer", PADTAD 2008, section 5.1.
 *
 * A circular section ends where it begins anew, with one and the same access, so that its lock
 * could not be let go in between: it would be held for as long as the loop runs.  Most such loops
 * wait for somebody who is to write the variable.  So they are not locked.
 *
 * In the code: what lies on a way from the entry to an end.  Calls are followed within the file;
 * hooks of accesses and functions known to be harmless (of strings, memory, numbers) may be called.
 * Everything else may synchronise: other functions, calls through pointers, atomics, locked
 * instructions, system calls, code that cannot be followed.
 *
 * In a trace: whether a thread did synchronise between an entry and its end.  That can only add
 * reasons to those of the code.
 *
 * Not thread-safe.
 */
#ifndef FW_SECTIONS_ASSURANCE_H
#define FW_SECTIONS_ASSURANCE_H

#include "base/error.h"
#include "base/vec.h"

#include <stdint.h>

/* The code of one file. */
struct fw_assurance;

/* NULL: err. */
struct fw_assurance *fw_assurance_open(const char *path, struct fw_error *err);
void fw_assurance_close(struct fw_assurance *assurance);

/*
 * The reason against locking a section: "calls pthread_mutex_lock at bank.c:12"; NULL: there is
 * none.  Entry and ends are where hooks return to, from the file's load base, in one function.
 * The caller frees it.
 */
char *fw_assurance_code(struct fw_assurance *assurance, uint64_t entry, const uint64_t *ends,
                        size_t count);

struct fw_placement;

/*
 * The same for all sections of a repository that are placed in the file: reasons[section] is NULL
 * or the caller's.  One that is there already stays.
 */
void fw_assurance_placed(struct fw_assurance *assurance, const struct fw_placement *placement,
                         char **reasons);

/* Adds what a recording shows: "synchronised in a trace (acq) at bank.c:12".  -1: it cannot be
 * read. */
int fw_assurance_trace(const char *trace, const struct fw_placement *placement, char **reasons,
                       struct fw_error *err);

#endif
