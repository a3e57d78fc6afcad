/*
 * mutex_timedlock: the time is up, and the data is written as if the lock had been taken.
 *
 * expect: race A B
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
    value = 2; /* @B */
    sem_post(&tried);
    return unused;
}

int main(void)
{
    sem_init(&held, 0, 0);
    sem_init(&tried, 0, 0);
    run2(holder, trier);
    printf("%d\n", value > 0);
    return 0;
}
