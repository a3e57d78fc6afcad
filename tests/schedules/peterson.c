/*
 * peterson: Peterson's lock for two threads, made of three variables. (Right for sequentially
 * consistent memory; who waits spins.)
 *
 * bug: a thread gives way before it says that it wants to enter: both can get in
 * fails-as: assertion
 * depth: 3 (gives way before the other does, who looks before the first raises its flag; both
 * count at once)
 * preemptions: 2
 * recorded: no (the loads synchronise)
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int self)
{
    atomic_store(&turn, 1 - self);
    atomic_store(&wants[self], 1);
    while (atomic_load(&wants[1 - self]) && atomic_load(&turn) == 1 - self)
        sched_yield();
}

static void *work(void *argument)
{
    int self = (int)(long)argument;

    enter(self);
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[self], 0);
    return NULL;
}

int main(void)
{
    pthread_t one = start(work, (void *)0L);
    pthread_t two = start(work, (void *)1L);

    finish(one);
    finish(two);
    return 0;
}
