/*
 * conflicts.h - where threads of a recorded run might be interrupted with an effect.
 *
 * That is before an event that does not commute with something that another thread does and that
 * forks, joins and common locks leave free to come between: an access to memory that both use and
 * one writes, an acquire of a lock that both take.  A thread's first one is left out: who is
 * interrupted there might as well come later.
 *
 * First those between two of the thread's events on one object such that what comes between leaves
 * an effect that it has in no order one after the other (the unserialisable patterns of AVIO: Lu,
 * Tucek, Qin, Zhou 2006), then the others.  Each place of the program once, threads in turn; then
 * once more by its last event, where a loop comes by again.
 */
#ifndef FW_EXPLORE_CONFLICTS_H
#define FW_EXPLORE_CONFLICTS_H

#include "base/vec.h"
#include "explore/witness.h"
#include "trace/trace.h"

FW_VEC_TYPE(fw_conflicts, uint64_t); /* events, by index */

/* Adds them to the list: those with a place in the program (without moments: all).  Of a long trace
 * only the beginning is looked at. */
void fw_conflicts_find(const struct fw_trace *trace, const struct fw_moments *moments,
                       struct fw_conflicts *list);

#endif
