/*
 * sync01_ok: one thread waits until another one has made something.
 *
 * mended: first the thing, then the signal
 */
#include "threads.h"

static int there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;

static void *make(void *unused)
{
    pthread_mutex_lock(&lock);
    there = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&made);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!there)
        pthread_cond_wait(&made, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(make, use);
    return 0;
}
