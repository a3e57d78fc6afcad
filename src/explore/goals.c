/* goals.c - see goals.h. */
#include "explore/goals.h"

static uint64_t end_of(const struct fw_control_goal *goal)
{
    return goal->object + (goal->size ? goal->size : 1);
}

bool fw_goals_overlap(const struct fw_control_goal *a, const struct fw_control_goal *b)
{
    if (!a->object || !b->object)
        return true;
    return a->object < end_of(b) && b->object < end_of(a);
}
