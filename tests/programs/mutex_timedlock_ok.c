/*
 * mutex_timedlock_ok: the time is up once, and the next try gets the lock.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
sem_t held, tried;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    sem_post(&held);
    value = 1; /* @A */
    sem_wait(&tried);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *trier(void *unused)
{
    struct timespec when;

    sem_wait(&held);
    when = soon(CLOCK_REALTIME);
    pthread_mutex_timedlock(&lock, &when);
    sem_post(&tried);
    when = late(CLOCK_REALTIME);
    if (pthread_mutex_timedlock(&lock, &when) != 0)
        return &value;
    value = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    sem_init(&held, 0, 0);
    sem_init(&tried, 0, 0);
    run2(holder, trier);
    printf("%d\n", value);
    return 0;
}
