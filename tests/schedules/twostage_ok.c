/*
 * twostage_ok: all threads but one compute in two stages, each under its own lock; the last one
 * compares.
 *
 * mended: both stages under both locks
 * variants: THREADS=2 THREADS=10 THREADS=20 THREADS=50 THREADS=100
 */
#include "threads.h"

static int first;
static int second;
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;

static void *compute(void *unused)
{
    pthread_mutex_lock(&first_lock);
    first = 1;
    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
    pthread_mutex_unlock(&first_lock);
    return unused;
}

static void *compare(void *unused)
{
    int seen_first;
    int seen_second;

    pthread_mutex_lock(&first_lock);
    seen_first = first;
    pthread_mutex_unlock(&first_lock);
    if (seen_first == 0)
        return unused;
    pthread_mutex_lock(&second_lock);
    seen_second = second;
    pthread_mutex_unlock(&second_lock);
    assert(seen_second == seen_first + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS - 1; i++)
        threads[i] = start(compute, NULL);
    threads[THREADS - 1] = start(compare, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return 0;
}
