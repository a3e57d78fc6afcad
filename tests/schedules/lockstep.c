/*
 * lockstep: one thread counts up, another one looks as many times.
 *
 * bug: the second one takes for granted that it never sees every single step
 * fails-as: assertion
 * depth: 2 * STEPS - 1 (each look comes after its step and before the next one)
 * preemptions: 2 * STEPS - 2
 * recorded: no (but for STEPS=2 it takes more changes of order than one)
 * variants: STEPS=2 STEPS=3
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int steps;

static void *count(void *unused)
{
    for (int i = 1; i <= STEPS; i++)
        atomic_store(&steps, i);
    return unused;
}

static void *look(void *unused)
{
    int in_step = 0;

    for (int i = 1; i <= STEPS; i++)
        in_step += atomic_load(&steps) == i;
    assert(in_step < STEPS);
    return unused;
}

int main(void)
{
    run2(count, look);
    return 0;
}
