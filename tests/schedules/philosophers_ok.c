/*
 * philosophers_ok: philosophers at a round table, a fork between any two of them.
 *
 * mended: the last one takes the right fork first
 * variants: THREADS=3 THREADS=5
 */
#include "threads.h"

static pthread_mutex_t forks[THREADS];
static int meals[THREADS];

static void *eat(void *argument)
{
    int self = (int)(long)argument;
    int first = self;
    int second = (self + 1) % THREADS;

    if (second < first) {
        first = second;
        second = self;
    }
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[self]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < THREADS; i++)
        threads[i] = start(eat, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    return 0;
}
