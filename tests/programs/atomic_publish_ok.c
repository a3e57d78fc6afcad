/*
 * atomic_publish_ok: data is published by a release store and an acquire load.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

int data;
atomic_int ready;

static void *publish(void *unused)
{
    data = 7; /* @A */
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *consume(void *unused)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        sched_yield();
    data += 1; /* @B */
    return unused;
}

int main(void)
{
    run2(publish, consume);
    printf("%d\n", data);
    return 0;
}
