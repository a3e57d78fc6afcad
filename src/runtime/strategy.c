/*
 * strategy.c - what strategies share, and the simple ones: never preempt, and the random walk.
 */
#include "runtime/strategy.h"

static uint64_t state;

void fw_strategy_seed(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
}

uint64_t fw_strategy_draw(void)
{
    /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t fw_strategy_below(uint64_t bound)
{
    return (uint64_t)((unsigned __int128)fw_strategy_draw() * bound >> 64);
}

struct fw_thread *fw_strategy_first(struct fw_list *ready)
{
    struct fw_thread *first = NULL;

    FW_EACH_READY(t, ready)
    if (!first || t->number < first->number)
        first = t;
    return first;
}

static uint64_t end_of(const struct fw_plan *plan)
{
    uint32_t bytes = plan->reach == FW_REACH_FILES ? FW_FILES_BYTES : plan->size;

    return plan->object + (bytes ? bytes : 1);
}

bool fw_strategy_dependent(const struct fw_plan *a, const struct fw_plan *b)
{
    uint64_t a_end = end_of(a), b_end = end_of(b);

    if (a->reach == FW_REACH_ALL || b->reach == FW_REACH_ALL)
        return true;
    return a->object < b_end && b->object < a_end && (a->writes || b->writes);
}

/* --- none ------------------------------------------------------------------------------------ */

static struct fw_thread *pick_none(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *first = NULL;

    if (current)
        return current;
    FW_EACH_READY(t, ready)
    if (!t->plan.yields && (!first || t->number < first->number))
        first = t;
    return first ? first : fw_strategy_first(ready);
}

const struct fw_strategy fw_strategy_none = { .pick = pick_none };

/* --- random ---------------------------------------------------------------------------------- */

/* Each of those that can go on with the same probability; who spins is left out if it can be. */
static struct fw_thread *pick_random(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *chosen = current;
    uint64_t count = current != NULL;

    FW_EACH_READY(t, ready)
    if (!t->plan.yields && fw_strategy_below(++count) == 0)
        chosen = t;
    if (!chosen)
        FW_EACH_READY(t, ready)
    if (fw_strategy_below(++count) == 0)
        chosen = t;
    return chosen;
}

const struct fw_strategy fw_strategy_random = { .pick = pick_random };
