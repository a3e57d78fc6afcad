/*
 * cycles.h - lanes of acquires that could wait for each other in a circle.
 *
 * A lane holds the acquires of one thread that want the same lock in the same
 * mode while holding the same locks (and, by default, stand at the same site).
 * Lane a waits for lane b if b's thread holds what a wants in a mode that keeps
 * a waiting.  A cycle is a list of lanes, each waiting for the next and the
 * last for the first, such that
 *
 *  - its threads are distinct, and no two of them hold one lock in conflicting
 *    modes (else a gate lock keeps them apart);
 *  - it has no chord: no lane waits for another one of it than its next.
 *    Otherwise a part of it is a deadlock already.  So a set of acquires is a
 *    minimal deadlock state if and only if its lanes form a cycle.
 *
 * All cycles of a given length, each once, starting from its lowest lane.
 * Lanes that are in no cycle are taken off first: those that want what nobody
 * holds and those that hold nothing that anybody wants, again and again.
 */
#ifndef FW_PREDICT_CYCLES_H
#define FW_PREDICT_CYCLES_H

#include "predict/lanes.h"

struct fw_cycles;

/* A lane's key: locks is what is held, sites[1] what is wanted (lock times 2, plus 1 if shared).
 * apart: no acquires of the two lanes can be next together; may be NULL. */
struct fw_cycles *fw_cycles_create(const struct fw_index *index, const struct fw_lanes *lanes,
                                   bool (*apart)(void *context, const struct fw_lane *a,
                                                 const struct fw_lane *b),
                                   void *context);
void fw_cycles_destroy(struct fw_cycles *cycles);

/* Begins with the cycles of this length; 0: of any length. */
void fw_cycles_start(struct fw_cycles *cycles, uint32_t length);

/* The next cycle: lanes, borrowed until the next call; false: no more, or *budget, which counts
 * steps down, is 0.  The search then goes on with the next call.  NULL: no limit. */
bool fw_cycles_next(struct fw_cycles *cycles, const uint32_t **lanes, uint32_t *count,
                    uint64_t *budget);

/* After all cycles of one length: the least length that the longer ones can have; 0: there are
 * none.  Lengths are to be looked for in ascending order. */
uint32_t fw_cycles_next_length(const struct fw_cycles *cycles);

#endif
