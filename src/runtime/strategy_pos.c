/*
 * strategy_pos.c - partial order sampling.
 *
 * Every pending operation has a random priority; the highest one is executed.  Then all pending
 * operations that do not commute with it get new priorities: orders of operations that depend on
 * each other are sampled more evenly than by a random walk.
 */
#include "runtime/strategy.h"

/* Also a thread's first priority: its first pending operation is its start. */
static void at_point(struct fw_thread *t)
{
    t->plan.priority = fw_strategy_draw() | 1;
}

static struct fw_thread *highest(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *best = current;

    FW_EACH_READY(t, ready)
    if (!best || (best->plan.yields && !t->plan.yields) ||
        (best->plan.yields == t->plan.yields && t->plan.priority > best->plan.priority))
        best = t;
    return best;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *best = highest(current, ready);

    if (best != current && current && fw_strategy_dependent(&current->plan, &best->plan))
        current->plan.priority = fw_strategy_draw() | 1;
    FW_EACH_READY(t, ready)
    if (t != best && fw_strategy_dependent(&t->plan, &best->plan))
        t->plan.priority = fw_strategy_draw() | 1;
    return best;
}

const struct fw_strategy fw_strategy_pos = { .born = at_point, .at_point = at_point, .pick = pick };
