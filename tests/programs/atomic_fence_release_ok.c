/*
 * atomic_fence_release_ok: fences of both kinds in one, and an acquire load that pairs with one.
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
    atomic_thread_fence(memory_order_acq_rel);
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
