/*
 * states.h - decisions that a run has told, and states that are the same.
 *
 * Two beginnings of runs that order dependent operations alike lead to the same state.  A *trace
 * hash* tells them: for each thread a hash of what it has done and of what that depended on.  Equal
 * states have equal hashes; unequal ones nearly certainly do not.
 */
#ifndef FW_EXPLORE_STATES_H
#define FW_EXPLORE_STATES_H

#include "base/vec.h"
#include "runtime/control_wire.h"

#include <stdbool.h>

struct fw_decision {
    struct fw_control_decision head;
    const struct fw_control_candidate *candidates;
};

/* The decision at *at, which is moved behind it; false: there is none. */
bool fw_decision_next(const char *bytes, size_t length, size_t *at, struct fw_decision *decision);

/* A number for what could be chosen from: who, and what kind of operation each would do. */
uint32_t fw_decision_hash(const struct fw_decision *decision);

/* Do the two operations not commute? */
bool fw_candidates_depend(const struct fw_control_candidate *a,
                          const struct fw_control_candidate *b);

/* --- hashes of traces ------------------------------------------------------------------------- */

struct fw_trace_hash {
    FW_VEC(uint64_t) threads; /* of what each has done */
    uint64_t *words;          /* what was done to memory: three numbers each, open addressing */
    size_t used, cap;
    uint64_t global; /* of the latest operation that everything depends on */
};

void fw_trace_hash_init(struct fw_trace_hash *hash);
void fw_trace_hash_release(struct fw_trace_hash *hash);
/* The thread does what it stands before. */
void fw_trace_hash_add(struct fw_trace_hash *hash, const struct fw_control_candidate *done);
/* The state at a decision: what was done, who runs, who could. */
uint64_t fw_trace_hash_state(const struct fw_trace_hash *hash, const struct fw_decision *decision);

/* --- sets of states --------------------------------------------------------------------------- */

struct fw_states {
    uint64_t *keys; /* open addressing; 0: free */
    uint32_t *preemptions;
    size_t used, cap;
};

void fw_states_init(struct fw_states *states);
void fw_states_release(struct fw_states *states);
void fw_states_clear(struct fw_states *states);
/* False: it is known, reached with so many preemptions or less. */
bool fw_states_add(struct fw_states *states, uint64_t state, uint32_t preemptions);

#endif
