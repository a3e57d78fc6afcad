/*
 * atomic_publish: data is published by a relaxed store, which publishes nothing.
 *
 * Memory in one order would forgive it; what is missing is the happens-before.
 *
 * analyses: hb
 * expect: race A B
 * overlap: no, an atomic variable keeps them apart
 */
#include "program.h"
#include <stdatomic.h>

int data;
atomic_int ready;

static void *publish(void *unused)
{
    data = 7; /* @A */
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
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
