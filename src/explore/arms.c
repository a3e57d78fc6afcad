/* arms.c - see arms.h. */
#include "explore/arms.h"

#include "base/bug.h"

#define SOMETIMES 8u    /* rounds after which one is for the other one; twice as many if it brings
                           nothing ... */
#define SELDOM    256u  /* ... up to this */
#define DRY       0.125 /* new iRoots by a run; with fewer there is better to do */
#define ENOUGH    32u   /* runs of a round that say whether it is so */
#define RICH      1     /* new iRoots by a run; with more nothing is worth a profile */
#define DRAWS     4u    /* rounds of a draw between two of a hunt that bring as little */
#define FEW       4     /* runs of a strategy that say little */
#define LEAST     0.01  /* share that each strategy has */
#define OLD       0.7   /* what counts of a round counts so much when the next one has been */

/* Favour: shares with equal success, as far as that is known of them from other programs. */
static const struct {
    enum fw_control_strategy strategy;
    double favour;
} mixed[FW_ARMS_MIXED] = {
    { FW_STRATEGY_POS, 8 },    { FW_STRATEGY_PCT_LARGE, 3 }, { FW_STRATEGY_STEPS, 3 },
    { FW_STRATEGY_RANDOM, 1 }, { FW_STRATEGY_DELAY, 1 },     { FW_STRATEGY_PCT, 0.5 },
};

/* --- profiles -------------------------------------------------------------------------------- */

bool fw_arms_want_profile(const struct fw_arms *arms, bool late)
{
    if (arms->sure)
        return false;
    if (arms->profiled)
        return arms->rounds >= arms->profiled;
    return arms->dry ||
           (late && arms->used[FW_ARM_DRAW] && arms->yield[FW_ARM_DRAW] <= RICH);
}

void fw_arms_profiled(struct fw_arms *arms)
{
    arms->profiled = arms->rounds + 1;
    arms->sure = true;
    arms->over = false;
}

/* --- draws ----------------------------------------------------------------------------------- */

/* Squared, so that the best one has most.  As long as one has few runs it is taken for as good as
 * all together. */
static void share_out(struct fw_arms *arms)
{
    double runs = 0, cost = 0, fresh = 1, each, all = 0;

    for (unsigned i = 0; i < FW_ARMS_MIXED; i++) {
        runs += arms->drawn[i].runs;
        cost += arms->drawn[i].cost;
        fresh += arms->drawn[i].fresh;
    }
    each = cost > 0 ? cost / runs : 1;
    for (unsigned i = 0; i < FW_ARMS_MIXED; i++) {
        const struct fw_drawn *drawn = &arms->drawn[i];
        double worth = (drawn->fresh + FEW * fresh / (runs + 1)) / (drawn->cost + FEW * each);

        arms->drawn[i].share = worth * worth * mixed[i].favour;
        all += arms->drawn[i].share;
    }
    for (unsigned i = 0; i < FW_ARMS_MIXED; i++)
        arms->drawn[i].share = LEAST + (1 - LEAST * FW_ARMS_MIXED) * arms->drawn[i].share / all;
}

/* Numbers that follow each other are spread over all shares: multiples of the golden ratio. */
static unsigned who_draws(const struct fw_arms *arms, uint64_t number)
{
    double at = (double)(number * UINT64_C(0x9e3779b97f4a7c15) >> 11) / (double)(UINT64_C(1) << 53);
    unsigned i = 0;

    while (i + 1 < FW_ARMS_MIXED && at >= arms->drawn[i].share)
        at -= arms->drawn[i++].share;
    return i;
}

enum fw_control_strategy fw_arms_strategy(const struct fw_arms *arms, uint64_t number)
{
    return mixed[who_draws(arms, number)].strategy;
}

void fw_arms_credit(struct fw_arms *arms, uint64_t number, uint64_t fresh, double cost)
{
    struct fw_drawn *drawn = &arms->drawn[who_draws(arms, number)];

    drawn->runs++;
    drawn->cost += cost;
    drawn->fresh += (double)fresh;
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* What was not tried yet is worth a try, the hunt first; where neither brings anything it is the
 * hunt's turn now and then. */
static enum fw_arm best(const struct fw_arms *arms)
{
    enum fw_arm a = FW_ARM_HUNT, b = FW_ARM_DRAW;

    if (arms->over || !arms->used[a] || !arms->used[b])
        return arms->over || arms->used[a] ? b : a;
    if (arms->yield[a] != arms->yield[b])
        return arms->yield[a] > arms->yield[b] ? a : b;
    return arms->used[a] + DRAWS <= arms->used[b] ? a : b;
}

static void begin(struct fw_arms *arms, enum fw_arm arm)
{
    arms->now = arm;
    arms->used[arm] = arms->rounds;
    if (arm != FW_ARM_DRAW)
        return;
    share_out(arms);
    for (unsigned i = 0; i < FW_ARMS_MIXED; i++) {
        arms->drawn[i].runs *= OLD;
        arms->drawn[i].cost *= OLD;
        arms->drawn[i].fresh *= OLD;
    }
}

/* The one that was longer without a round. */
static void begin_other(struct fw_arms *arms)
{
    begin(arms, arms->used[FW_ARM_HUNT] < arms->used[FW_ARM_DRAW] ? FW_ARM_HUNT : FW_ARM_DRAW);
    arms->pause = arms->pause ? arms->pause * 2 : SOMETIMES;
    arms->pause = arms->pause < SELDOM ? arms->pause : SELDOM;
    arms->due = arms->rounds + arms->pause;
    arms->other = true;
}

void fw_arms_choose(struct fw_arms *arms, bool early)
{
    arms->rounds++;
    arms->over |= early;
    arms->other = false;
    arms->due = arms->due ? arms->due : SOMETIMES;
    if (arms->sure)
        arms->now = FW_ARM_HUNT;
    else if (arms->rounds < arms->due || arms->over)
        begin(arms, best(arms));
    else
        begin_other(arms);
}

void fw_arms_end(struct fw_arms *arms)
{
    FW_ASSERT(arms->now == FW_ARM_HUNT);
    if (arms->sure)
        arms->profiled = arms->rounds; /* one round of something else, then the next profile */
    else
        arms->over = true;
    arms->sure = false;
    begin(arms, best(arms));
}

/* What is known to be possible says nothing about the rest. */
void fw_arms_learn(struct fw_arms *arms, size_t runs, uint64_t fresh)
{
    double yield = runs ? (double)fresh / (double)runs : 0;

    if (!arms->rounds || arms->sure)
        return;
    arms->yield[arms->now] = yield;
    if (arms->other && fresh) {
        arms->pause = 0;
        arms->due = arms->rounds + SOMETIMES;
    }
    if (arms->now == FW_ARM_DRAW && runs >= ENOUGH)
        arms->dry = yield < DRY;
}
