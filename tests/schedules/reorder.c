/*
 * reorder: all threads but one set two variables, the last one looks at both.
 *
 * bug: seen between the two stores of the first to come, they do not belong together
 * fails-as: assertion
 * depth: THREADS (the look comes after one first store, and before the second store of each)
 * preemptions: 1
 * recorded: yes
 * variants: THREADS=3 THREADS=5 THREADS=10 THREADS=20 THREADS=50 THREADS=100
 */
#include "threads.h"

static int a;
static int b;

static void *set(void *unused)
{
    a = 1;
    b = -1; /* @bug */
    return unused;
}

static void *look(void *unused)
{
    int seen_a;
    int seen_b;

    seen_a = a;
    seen_b = b; /* @bug */
    assert(seen_a + seen_b == 0);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS - 1; i++)
        threads[i] = start(set, NULL);
    threads[THREADS - 1] = start(look, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return 0;
}
