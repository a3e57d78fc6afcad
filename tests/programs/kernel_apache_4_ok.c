/*
 * kernel_apache_4_ok: a worker counts itself idle and tells the listener under one lock.
 *
 * expect: nothing
 */
#include "program.h"

int idlers;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t wait_for_idler = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    idlers++; /* @A */
    pthread_cond_signal(&wait_for_idler);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *listener(void *unused)
{
    pthread_mutex_lock(&lock);
    while (idlers == 0) /* @B */
        pthread_cond_wait(&wait_for_idler, &lock);
    idlers--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(worker, listener);
    printf("%d\n", idlers);
    return 0;
}
