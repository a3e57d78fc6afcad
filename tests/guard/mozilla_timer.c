/*
 * mozilla_timer: two threads find a timer when the program ends, and both free it.
 *
 * kind: atomicity, race
 */
#include "kernel.h"

struct timer {
    int frees;
};

struct {
    struct timer *timer;
} shared;

static NOINLINE void stop_timer(void)
{
    struct timer *timer = shared.timer;

    if (!timer)
        return;
    hold();
    shared.timer = NULL;
    timer->frees++;
}

static void one(void)
{
    stop_timer();
}

static void other(void)
{
    meanwhile();
    stop_timer();
}

int main(int argc, char **argv)
{
    struct timer timer = { 0 };

    begin(argc, argv);
    shared.timer = &timer;
    run_two(one, other);
    return verdict(timer.frees == 1);
}
