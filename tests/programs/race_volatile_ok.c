/*
 * race_volatile_ok: the flag is atomic.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

atomic_int ready;
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
