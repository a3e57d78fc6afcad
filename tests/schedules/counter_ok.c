/*
 * counter_ok: threads count without a lock.
 *
 * mended: an atomic counter
 * variants: THREADS=2 THREADS=8
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int value;

static void *count(void *unused)
{
    value++;
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    assert(value == THREADS);
    return 0;
}
