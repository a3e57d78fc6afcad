/*
 * race_1000_threads: a thousand threads count, each of them without the lock.
 *
 * expect: race A A
 */
#include "program.h"

#define THREADS 1000

int hits;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    hits++; /* @A */
    return unused;
}

int main(void)
{
    static pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    printf("%d\n", hits > 0);
    return 0;
}
