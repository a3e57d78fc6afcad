/*
 * cond_signal_ok: the flag is set and looked at under the lock.
 *
 * expect: nothing
 */
#include "program.h"

int ready, data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *producer(void *unused)
{
    data = 7;
    pthread_mutex_lock(&lock);
    ready = 1; /* @A */
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consumer(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready) /* @B */
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    data++;
    return unused;
}

int main(void)
{
    run2(producer, consumer);
    printf("%d\n", data);
    return 0;
}
