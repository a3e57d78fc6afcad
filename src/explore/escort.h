/*
 * escort.h - commands that go with a run: what a server needs to be tested.
 *
 *     setup      before the run; the run is made only if it exits with 0
 *     drive      while the program runs: sends it what it is to do.  When it exits, the program is
 *                told to end: by `teardown`, or SIGTERM without one (and ending by it is right)
 *     teardown   makes the program end, after `drive`; not run if it has ended by itself
 *
 * All are run by the shell, with FOREWEAVE_PID, the program's process, in their environment (not
 * setup).  What they print goes where the program's output goes.  The escort is a process of its
 * own, so that nobody who waits for the program has to know of it.
 */
#ifndef FW_EXPLORE_ESCORT_H
#define FW_EXPLORE_ESCORT_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Texts are borrowed; NULL: none. */
struct fw_escort_commands {
    const char *setup, *drive, *teardown;
};

#define FW_ESCORT_LATE 124 /* as of timeout(1) */

struct fw_escort {
    const struct fw_escort_commands *commands;
    pid_t process; /* 0: none */
    bool awaited;  /* for as long as it may take */
    struct fw_escort_told *told;
};

/* Runs `setup`; -1: it failed, or took longer than so many seconds and was killed. */
int fw_escort_prepare(const struct fw_escort_commands *commands, double limit, int output,
                      struct fw_error *err);
/* Starts the escort, if there is something to drive; it waits until the program's process is known
 * (*program, in memory that is shared if it is not set yet). */
int fw_escort_start(struct fw_escort *escort, const struct fw_escort_commands *commands,
                    const _Atomic int32_t *program, int output, struct fw_error *err);
/* The program has ended, and nothing says yet that the run was wrong: `drive`, which may, has so
 * many seconds to end as well, unless *stop is set (NULL: never).  False: it has not. */
bool fw_escort_await(struct fw_escort *escort, double seconds, const atomic_int *stop);
/* The program has ended: so does the escort.  The status of `drive`: its exit status, 128 + N after
 * signal N, FW_ESCORT_LATE if it was not done though it was waited for, 0 if it was not waited for;
 * *ended: the program may have ended by SIGTERM, as it was told to. */
int fw_escort_end(struct fw_escort *escort, bool *ended);

#endif
