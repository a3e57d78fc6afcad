/*
 * arms.h - what the next round of a campaign that seeks iRoots is for: attempts at what is
 * predicted, runs that are drawn by other strategies, or, before it, a profile.
 *
 * Runs that are drawn cost little, and show most of what there is; a profile costs as much as many
 * of them, and what it foresees is worth most where they have stopped to show anything new.  So
 * where profiles are still to be made they wait until draws have become dry, or some of the time is
 * gone and draws show one new iRoot by a run at most.  What a profile has witnesses for is tried at
 * once; nothing comes between that.  Of what is left most cannot happen: from then on rounds go to
 * whatever has brought more new iRoots by a run in its latest round, and now and then to the other
 * one, the less often the longer that has brought nothing; before each draw is one more profile, as
 * long as these bring something.
 *
 * The runs of a draw are of several strategies, mixed: what they show differs, and which one shows
 * most differs from program to program.  Each has the more runs the more was new in its latest
 * ones, for what they cost, and some in any case; pos has more of them than another that shows as
 * much, since of all alone it shows most in nearly every program that was measured
 * (bench/RESULTS.md), and so have, less, the next ones.
 *
 * But for `late`, and for costs that are given in seconds, time plays no part, so that the same
 * seed makes the same campaign where none of them is.
 */
#ifndef FW_EXPLORE_ARMS_H
#define FW_EXPLORE_ARMS_H

#include "runtime/control_wire.h"

#include <stdbool.h>
#include <stddef.h>

enum fw_arm {
    FW_ARM_HUNT,
    FW_ARM_DRAW,
    FW_ARMS,
};

#define FW_ARMS_MIXED 6u /* strategies; one of them varies earlier runs: FW_STRATEGY_STEPS */

/* Of a strategy, those of earlier rounds less than those of later ones. */
struct fw_drawn {
    double runs, cost, fresh;
    double share; /* of the present round */
};

struct fw_arms {
    bool over;              /* nothing is left to hunt */
    double yield[FW_ARMS];  /* new iRoots by a run, in its latest round */
    uint64_t used[FW_ARMS]; /* number of its latest round; 0: none */
    uint64_t rounds;
    uint64_t profiled; /* the round after which the next profile is due; 0: none was made yet */
    uint64_t due;      /* the round that is for the other one, ... */
    uint64_t pause;    /* ... behind so many; 0: the fewest */
    bool other;        /* the present one is */
    bool sure;         /* the hunt may have what is known to be possible */
    bool dry;          /* draws show little that is new */
    enum fw_arm now;   /* what the present round is for */
    struct fw_drawn drawn[FW_ARMS_MIXED];
};

/* Is it time for a profile, if there is one to be made?  Late: some of the time is gone. */
bool fw_arms_want_profile(const struct fw_arms *arms, bool late);
/* It was made; so are all that are to be made at once. */
void fw_arms_profiled(struct fw_arms *arms);

/* Chooses for the next round.  Early: there is nothing to hunt yet. */
void fw_arms_choose(struct fw_arms *arms, bool early);
/* There was nothing to hunt: if it was sure, the rest may have its turn; else it is over. */
void fw_arms_end(struct fw_arms *arms);

/* The strategy of a run in a draw, by its number. */
enum fw_control_strategy fw_arms_strategy(const struct fw_arms *arms, uint64_t number);
/* A run of a draw has brought so many new iRoots, and cost so much, in whatever unit. */
void fw_arms_credit(struct fw_arms *arms, uint64_t number, uint64_t fresh, double cost);
/* The round has had so many runs, and brought so many new iRoots. */
void fw_arms_learn(struct fw_arms *arms, size_t runs, uint64_t fresh);

#endif
