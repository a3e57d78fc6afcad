/*
 * counter: threads count without a lock.
 *
 * bug: of two that count at once one is lost
 * fails-as: assertion
 * depth: 2 (one reads before the other writes, and writes after it)
 * preemptions: 1
 * recorded: yes
 * variants: THREADS=2 THREADS=8
 */
#include "threads.h"

static int value;

static void *count(void *unused)
{
    value++; /* @bug */
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
