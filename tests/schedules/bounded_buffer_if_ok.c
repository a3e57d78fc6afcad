/*
 * bounded_buffer_if_ok: a buffer of one place, a producer and two consumers.
 *
 * mended: while instead of if
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
    while (filled == 0)
        pthread_cond_wait(&not_empty, &lock);
    assert(filled == 1);
    filled--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run3(produce, consume, consume);
    return 0;
}
