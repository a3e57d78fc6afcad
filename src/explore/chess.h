/*
 * chess.h - systematic search: which schedules are to be run, given what earlier ones have told.
 *
 * A schedule is a list of choices, one for each *decision* (a place where two or more threads could
 * go on); behind the last choice nobody is preempted.  A run tells its decisions; each choice that
 * it did not make is a schedule to be run.  Schedules with fewer preemptions come first (iterative
 * context bounding: Musuvathi, Qadeer: "Iterative Context Bounding for Systematic Testing of
 * Multithreaded Programs", PLDI 2007).
 *
 * With a bound on preemptions: two beginnings that order dependent operations alike lead to the
 * same state.  What can follow from a state with a certain thread running is planned once, where it
 * is met first, which is where it costs the fewest preemptions.  So every state that can be reached
 * within the bound is visited, unlike with sleep sets, which do not go together with a bound
 * (Coons, Musuvathi, McKinley: "Bounded Partial-Order Reduction", OOPSLA 2013).
 *
 * Without a bound: sleep sets (Godefroid 1996).  Of all runs that order dependent operations alike
 * exactly one is run to its end.
 *
 * A thread that waits with a limit is a candidate as well (control_wire.h): that the limit passes
 * before the wait is over otherwise counts as a preemption.
 *
 * Fair: a thread that spins or yields, or whose limit has passed, is no candidate until those that
 * could run have (runtime, strategy.h).
 *
 * Results do not depend on how many runs of a round are made at a time.  Not thread-safe, but
 * fw_chess_order may be called by several threads.
 */
#ifndef FW_EXPLORE_CHESS_H
#define FW_EXPLORE_CHESS_H

#include "explore/campaign.h"

struct fw_chess;

/* At most so many preemptions, or FW_ANY_PREEMPTIONS. */
struct fw_chess *fw_chess_create(uint32_t preemptions);
void fw_chess_destroy(struct fw_chess *chess);

/* Plans a round of at most so many runs; 0: there is nothing left. */
size_t fw_chess_plan(struct fw_chess *chess, size_t most);
/* The order of a run of the round, by its place in it.  Arrays are the search's. */
void fw_chess_order(const struct fw_chess *chess, size_t slot, struct fw_run_order *order);
/* What the run has told.  False: it began as an earlier run, and could then choose from something
 * else: not the choices alone decide what the program does. */
bool fw_chess_learn(struct fw_chess *chess, size_t slot, const struct fw_trial *trial);
/* There are more points now: begins anew. */
void fw_chess_restart(struct fw_chess *chess);
/* Preemptions of the schedules that are run now. */
uint32_t fw_chess_level(const struct fw_chess *chess);

#endif
