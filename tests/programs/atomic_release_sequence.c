/*
 * atomic_release_sequence: a store in the middle breaks the release sequence.
 *
 * analyses: hb
 * expect: race A B
 * overlap: no, an atomic variable keeps them apart
 */
#include "program.h"
#include <stdatomic.h>

int data;
atomic_int stage;

static void *first(void *unused)
{
    data = 7; /* @A */
    atomic_store_explicit(&stage, 1, memory_order_release);
    return unused;
}

static void *second(void *unused)
{
    while (atomic_load_explicit(&stage, memory_order_relaxed) != 1)
        sched_yield();
    atomic_store_explicit(&stage, 2, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t one = start(first, NULL);
    pthread_t two = start(second, NULL);

    while (atomic_load_explicit(&stage, memory_order_relaxed) != 2)
        sched_yield();
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        data += 1; /* @B */
    finish(one);
    finish(two);
    printf("%d\n", data);
    return 0;
}
