/*
 * atomic_ticket_lock_ok: a ticket lock.
 *
 * expect: nothing
 */
#include "program.h"
#include <stdatomic.h>

int value;
atomic_uint next_ticket, serving;

static void *add(void *unused)
{
    unsigned mine;

    mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        sched_yield();
    value += 1; /* @B */
    atomic_fetch_add_explicit(&serving, 1, memory_order_release);
    return unused;
}

int main(void)
{
    run2(add, add);
    printf("%d\n", value);
    return 0;
}
