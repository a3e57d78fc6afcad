/*
 * cond_signal: the flag is set without the lock under which the other thread looks at it.
 *
 * expect: race A B
 */
#include "program.h"

int ready, data;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *producer(void *unused)
{
    data = 7;
    ready = 1; /* @A */
    pthread_mutex_lock(&lock);
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
