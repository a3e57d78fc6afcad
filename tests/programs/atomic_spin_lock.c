/*
 * atomic_spin_lock: a hand-made spin lock whose unlock is relaxed.
 *
 * analyses: hb
 * expect: race A A
 * overlap: no, an atomic variable keeps them apart
 */
#include "program.h"
#include <stdatomic.h>

int value;
atomic_flag lock = ATOMIC_FLAG_INIT;

static void *add(void *unused)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
    value++; /* @A */
    atomic_flag_clear_explicit(&lock, memory_order_relaxed);
    return unused;
}

int main(void)
{
    run2(add, add);
    printf("%d\n", value);
    return 0;
}
