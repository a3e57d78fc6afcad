/*
 * proposals.h - which schedules to try first, from what one recorded run tells.
 *
 * One prediction's witness for each place where some end; then, in turn, preemptions where threads
 * meet (conflicts.h), two at a time, and the other witnesses, then all of them with other
 * continuations (witness.h).  Preemptions prove nothing, but a prediction is as careful as a proof
 * must be: it never has a load that synchronised see another store.
 *
 * Depends on nothing but its arguments: the n-th proposal is always the same.
 */
#ifndef FW_EXPLORE_PROPOSALS_H
#define FW_EXPLORE_PROPOSALS_H

#include "explore/witness.h"

/* All is borrowed. */
struct fw_proposals {
    const struct fw_moments *moments;
    const struct fw_shown *predicted;
    size_t predicted_count;
    size_t first_count; /* of these, those that end at places of their own */
    const uint64_t *preemptions; /* events, by index */
    size_t preemption_count;
};

struct fw_proposal {
    const struct fw_shown *shown; /* NULL: a preemption at `event` */
    uint64_t event;
    unsigned variant;
    bool walks; /* goes on at random */
};

/* The n-th, from 0; false: there are fewer. */
bool fw_proposals_get(const struct fw_proposals *proposals, uint64_t n,
                      struct fw_proposal *proposal);
int fw_proposals_steps(const struct fw_proposals *proposals, const struct fw_proposal *proposal,
                       struct fw_session *session, struct fw_steps *steps, struct fw_paths *paths,
                       struct fw_error *err);

#endif
