/*
 * detached_ok: a detached thread says that it is done when it has written its result.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

int result;
sem_t done, gone;

static void *work(void *unused)
{
    pthread_detach(pthread_self());
    result = 9; /* @A */
    sem_post(&done);
    sem_post(&gone);
    return unused;
}

int main(void)
{
    int seen;

    sem_init(&done, 0, 0);
    sem_init(&gone, 0, 0);
    start(work, NULL);
    sem_wait(&done);
    seen = *(volatile int *)&result; /* @B */
    sem_wait(&gone);
    printf("%d\n", seen);
    return 0;
}
