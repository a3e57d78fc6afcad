/*
 * cond_broadcast: all who were woken count themselves, after they have let the lock go.
 *
 * expect: race A A
 */
#include "program.h"

#define WAITERS 3

int is_open, through;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

static void *pass(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    through++; /* @A */
    return unused;
}

int main(void)
{
    pthread_t threads[WAITERS];

    for (int i = 0; i < WAITERS; i++)
        threads[i] = start(pass, NULL);
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WAITERS; i++)
        finish(threads[i]);
    printf("%d\n", through > 0);
    return 0;
}
