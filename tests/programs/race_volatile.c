/*
 * race_volatile: a volatile flag is no synchronisation.
 *
 * The accesses to data come one after the other in every run that memory in one order allows; the
 * race that can be shown is that on the flag itself.
 *
 * expect: race A B
 */
#include "program.h"

volatile int ready;
int data;

static void *publish(void *unused)
{
    data = 7;
    ready = 1; /* @A */
    return unused;
}

static void *consume(void *unused)
{
    while (!ready) /* @B */
        sched_yield();
    data++;
    return unused;
}

int main(void)
{
    run2(publish, consume);
    printf("%d\n", data);
    return 0;
}
