/*
 * replay.h - makes a program follow a schedule, and tells how it went.
 *
 * The program may be another build than the one that the schedule comes from.  A run either shows
 * what the schedule says, or it does not; if a step went otherwise, that is told with its place in
 * the source.
 *
 * A build may lack a place, or pass it less often (a loop that was unrolled, two reads that became
 * one).  Then places near by can be tried, in the order of how much they look like the missing one.
 */
#ifndef FW_EXPLORE_REPLAY_H
#define FW_EXPLORE_REPLAY_H

#include "explore/turns.h"

struct fw_replayer {
    struct fw_session *session;
    struct fw_anchors *anchors;
    const struct fw_script *script; /* borrowed */
    struct fw_turns turns;          /* the steps as they are followed */
    FW_VEC(uint32_t) moved;         /* steps that are not where the schedule says */
};

/* -1: no shared memory. */
int fw_replay_init(struct fw_replayer *replay, const struct fw_script *script,
                   const struct fw_session_setup *setup, struct fw_error *err);
void fw_replay_release(struct fw_replayer *replay);

/* One run.  `flags` are added to the order's (FW_CONTROL_*). */
int fw_replay_run(struct fw_replayer *replay, uint32_t flags, struct fw_run_result *result,
                  struct fw_error *err);

/* Has the session's latest run, which ended like this, shown what the schedule says? */
bool fw_replay_is_shown(const struct fw_replayer *replay, const struct fw_run_result *result);

/* Is it an end of the run that the schedule shows, not that goals are reached? */
bool fw_replay_shows_end(const struct fw_script *script);

/* After a run that did not show it: tries places near by, in at most `runs` runs.  1: found, and
 * from now on the steps are there; 0: not found; -1: the program could not be run.  What the
 * session knows of the latest run afterwards is one of the search. */
int fw_replay_near(struct fw_replayer *replay, unsigned runs, struct fw_error *err);

/* --- telling --------------------------------------------------------------------------------- */

/* How the latest run left the schedule: "the thread waits before it came there; it is at ...".
 * *step is the step's index.  NULL: it did not.  Owned by the caller. */
char *fw_replay_divergence(const struct fw_replayer *replay, uint32_t *step);

/* A step that was moved: "step 2 at write in deposit at "...", #1".  Owned by the caller. */
char *fw_replay_moved(const struct fw_replayer *replay, uint32_t step);

/* Where a site is, for people; owned by the caller. */
char *fw_replay_place(const struct fw_replayer *replay, uint32_t site);

/* Runs the schedule twice and compares.  *difference: the first event that differs, in words,
 * NULL: none; owned by the caller. */
int fw_replay_twice(struct fw_replayer *replay, char **difference, struct fw_error *err);

#endif
