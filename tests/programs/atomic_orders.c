/*
 * atomic_orders: one flag of many is read before it is known to be set.
 *
 * expect: race A B
 */
#include "program.h"
#include <stdatomic.h>

int data[4];
atomic_int flag[4];

static void *publish(void *unused)
{
    data[0] = 1; /* @A */
    atomic_store_explicit(&flag[0], 1, memory_order_release);
    data[1] = 2;
    atomic_store_explicit(&flag[1], 1, memory_order_seq_cst);
    data[2] = 3;
    atomic_exchange_explicit(&flag[2], 1, memory_order_acq_rel);
    data[3] = 4;
    atomic_fetch_add_explicit(&flag[3], 1, memory_order_release);
    return unused;
}

static void *consume(void *unused)
{
    int sum = 0;

    sum += data[0]; /* @B */
    while (!atomic_load_explicit(&flag[0], memory_order_consume))
        sched_yield();
    while (!atomic_load_explicit(&flag[1], memory_order_acquire))
        sched_yield();
    sum += data[1];
    while (!atomic_load_explicit(&flag[2], memory_order_seq_cst))
        sched_yield();
    sum += data[2];
    while (!atomic_fetch_or_explicit(&flag[3], 0, memory_order_acquire))
        sched_yield();
    sum += data[3];
    return sum == 10 || sum == 9 ? unused : data;
}

int main(void)
{
    run2(publish, consume);
    printf("%d\n", data[0] + data[1] + data[2] + data[3]);
    return 0;
}
