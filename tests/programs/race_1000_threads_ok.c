/*
 * race_1000_threads_ok: a thousand threads count under a lock.
 *
 * expect: nothing
 */
#include "program.h"

#define THREADS 1000

int hits;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    hits++; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    static pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    printf("%d\n", hits);
    return 0;
}
