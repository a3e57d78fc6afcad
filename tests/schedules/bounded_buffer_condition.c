/*
 * bounded_buffer_condition: a buffer with a condition for those who fill it and one for those
 * who empty it.
 *
 * bug: who has filled it signals the wrong condition: a consumer that was there first sleeps on
 * fails-as: hang
 * depth: 1 (the consumer waits before the producer signals)
 * preemptions: 0
 * recorded: yes
 */
#include "threads.h"

enum { PLACES = 2 };

static int filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    while (filled == PLACES)
        pthread_cond_wait(&not_full, &lock);
    filled++; /* @bug */
    pthread_cond_signal(&not_full); /* @bug */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (filled == 0) /* @bug */
        pthread_cond_wait(&not_empty, &lock);
    filled--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(produce, consume);
    return 0;
}
