/*
 * mutex_trylock: a failed try is taken for the lock.  (The other thread holds it all the time.)
 *
 * expect: race A B
 */
#include "program.h"
#include <semaphore.h>

int value, busy;
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
    int got;

    sem_wait(&held);
    got = pthread_mutex_trylock(&lock);
    value = 2; /* @B */
    sem_post(&tried);
    if (got == 0)
        pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    sem_init(&held, 0, 0);
    sem_init(&tried, 0, 0);
    run2(holder, trier);
    printf("%d %d\n", value > 0, busy);
    return 0;
}
