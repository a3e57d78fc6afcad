/*
 * reorder_ok: all threads but one set two variables, the last one looks at both.
 *
 * mended: set and looked at under a lock
 * variants: THREADS=3 THREADS=5 THREADS=10 THREADS=20 THREADS=50 THREADS=100
 */
#include "threads.h"

static int a;
static int b;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    a = 1;
    b = -1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    int seen_a;
    int seen_b;

    pthread_mutex_lock(&lock);
    seen_a = a;
    seen_b = b;
    pthread_mutex_unlock(&lock);
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
