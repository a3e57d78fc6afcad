/*
 * bounded_buffer_if: a buffer of one place, a producer and two consumers.
 *
 * bug: who was woken does not look again: the other consumer may have been there before
 * fails-as: assertion
 * depth: 3 (one waits before the producer puts, the other one comes after it, and takes before
 * the first gets the lock back)
 * preemptions: 0
 * recorded: no (another consumer would have to be woken)
 */
#include "threads.h"

static int filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

static void *produce(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (filled == 1)
            pthread_cond_wait(&not_full, &lock);
        filled++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    if (filled == 0)
        pthread_cond_wait(&not_empty, &lock);
    assert(filled == 1); /* @bug */
    filled--; /* @bug */
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run3(produce, consume, consume);
    return 0;
}
