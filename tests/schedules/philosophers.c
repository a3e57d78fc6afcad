/*
 * philosophers: philosophers at a round table, a fork between any two of them.
 *
 * bug: all take the left fork first: if each has one, nobody gets a second
 * fails-as: deadlock
 * depth: THREADS (each takes its left fork before the neighbour asks for it)
 * preemptions: 1 (the one who comes first; the others block)
 * recorded: yes
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

    pthread_mutex_lock(&forks[first]); /* @bug */
    pthread_mutex_lock(&forks[second]); /* @bug */
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
