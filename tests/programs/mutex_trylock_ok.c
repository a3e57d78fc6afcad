/*
 * mutex_trylock_ok: a failed try is followed by something else.
 *
 * expect: nothing
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
    if (got == 0)
        value = 2; /* @B */
    else
        busy++;
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
    printf("%d %d\n", value, busy);
    return 0;
}
