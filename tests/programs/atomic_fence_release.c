/*
 * atomic_fence_release: an acquire fence without the release fence that belongs to it.
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
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    data += 1; /* @B */
    return unused;
}

int main(void)
{
    run2(publish, consume);
    printf("%d\n", data);
    return 0;
}
