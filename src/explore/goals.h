/*
 * goals.h - what threads stand before when they have come to the goals of a schedule.
 *
 * What confirms a finding and what shows it again later must be the same, or a schedule that was
 * confirmed would not be reproduced.
 */
#ifndef FW_EXPLORE_GOALS_H
#define FW_EXPLORE_GOALS_H

#include "runtime/control_wire.h"

#include <stdbool.h>

/* Are the two about the same memory?  A call that does not say where it goes may be (realloc,
 * memcpy, what has an effect in the kernel). */
bool fw_goals_overlap(const struct fw_control_goal *a, const struct fw_control_goal *b);

#endif
