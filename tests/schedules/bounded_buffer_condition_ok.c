/*
 * bounded_buffer_condition_ok: a buffer with a condition for those who fill it and one for those
 * who empty it.
 *
 * mended: the right condition
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
    filled++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (filled == 0)
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
