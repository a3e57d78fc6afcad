/*
 * control_chance.c - what no schedule decides: clocks, and random numbers.
 *
 * What a program does may depend on what it reads there; that it does is told.
 */
#include "runtime/control.h"

static bool is_asked(void)
{
    return FW_UNLIKELY(fw_control_on) && fw_self && !fw_self->inside;
}

void fw_chance_clock(void)
{
    if (is_asked())
        fw_control->clocks = 1;
}

void fw_chance_random(void)
{
    if (is_asked())
        fw_control->randoms = 1;
}
