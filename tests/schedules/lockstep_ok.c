/*
 * lockstep_ok: one thread counts up, another one looks as many times.
 *
 * mended: it takes for granted only that the count never falls
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
    int last = 0;

    for (int i = 1; i <= STEPS; i++) {
        int seen = atomic_load(&steps);

        assert(seen >= last);
        last = seen;
    }
    return unused;
}

int main(void)
{
    run2(count, look);
    return 0;
}
