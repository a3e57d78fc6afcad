/*
 * strategy_delay.c - threads that run in parallel, with random delays.
 *
 * The parallel run is played on the token: each thread has a clock, every point takes one tick, and
 * the one whose clock is behind goes on.  A thread that waited has the clock of who woke it, at
 * least.  Now and then a point is delayed by many ticks.  So a failing run can be replayed like any
 * other, which real delays would not allow.
 */
#include "runtime/strategy.h"

#define ONE_IN 16u /* points are delayed ... */
#define MOST   64u /* ... by at most so many ticks */

static uint64_t now; /* the latest clock that was served */

static void start(void)
{
    now = 0;
}

static void born(struct fw_thread *t)
{
    t->plan.clock = now;
}

static void at_point(struct fw_thread *t)
{
    t->plan.clock++;
    if (fw_strategy_below(ONE_IN) == 0)
        t->plan.clock += fw_strategy_below(MOST) + 1;
}

static void away(struct fw_thread *t, enum fw_turn_end end)
{
    if (end == FW_TURN_YIELDED)
        t->plan.clock = now + 1;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *best = current;

    FW_EACH_READY(t, ready)
    {
        if (t->plan.clock < now && t->state == FW_STATE_READY && t->plan.points == 0)
            t->plan.clock = now; /* it has waited until now */
        if (!best || t->plan.clock < best->plan.clock ||
            (t->plan.clock == best->plan.clock && fw_strategy_draw() & 1))
            best = t;
    }
    if (best->plan.clock > now)
        now = best->plan.clock;
    return best;
}

const struct fw_strategy fw_strategy_delay = {
    .start = start,
    .born = born,
    .at_point = at_point,
    .pick = pick,
    .away = away,
};
