/*
 * arms.h - what the next round of a campaign that seeks iRoots is for: attempts at what is
 * predicted, or runs of another strategy, whichever has brought more that is new.
 *
 * Attempts are worth most in the beginning, when what has a witness is tried; nothing comes between
 * these.  Later most of what is left cannot happen, and runs that are drawn may show more.  How
 * many new iRoots a run has brought in the latest round of each kind decides; now and then the one
 * that was longest without a round has one.  Time plays no part, so that the same seed makes the
 * same campaign.
 */
#ifndef FW_EXPLORE_ARMS_H
#define FW_EXPLORE_ARMS_H

#include "runtime/control_wire.h"

#include <stdbool.h>
#include <stddef.h>

enum fw_arm {
    FW_ARM_HUNT,
    FW_ARM_PCT_LARGE,
    FW_ARM_POS,
    FW_ARM_PCT,
    FW_ARM_RANDOM,
    FW_ARMS,
};

struct fw_arms {
    bool over[FW_ARMS];     /* nothing is left of it */
    double yield[FW_ARMS];  /* new iRoots by a run, in its latest round */
    uint64_t used[FW_ARMS]; /* number of its latest round; 0: none */
    uint64_t rounds;
    bool sure; /* the hunt has what is known to be possible */
    enum fw_arm now; /* what the present round is for */
};

/* Chooses for the next round. */
void fw_arms_choose(struct fw_arms *arms);
/* There was nothing to do: chooses another one. */
void fw_arms_end(struct fw_arms *arms);
/* The round has had so many runs, and brought so many new iRoots.  Sure: there may be more of what
 * is known to be possible. */
void fw_arms_learn(struct fw_arms *arms, size_t runs, uint64_t fresh, bool sure);
/* How the runs of the present round go on; not for the hunt. */
enum fw_control_strategy fw_arms_strategy(const struct fw_arms *arms);

#endif
