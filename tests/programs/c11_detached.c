/*
 * c11_detached: a detached C11 thread still writes when it has said that it is done.
 *
 * expect: race A B
 */
#include "program.h"
#include <semaphore.h>
#include <threads.h>

mtx_t lock;
cnd_t changed;
sem_t gone;
int done, result;

static int work(void *unused)
{
    mtx_lock(&lock);
    done = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    result = 4; /* @A */
    sem_post(&gone);
    thrd_exit(unused != NULL);
}

int main(void)
{
    struct timespec when = late(CLOCK_REALTIME);
    thrd_t thread;
    int seen;

    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    sem_init(&gone, 0, 0);
    thrd_create(&thread, work, NULL);
    thrd_detach(thread);
    mtx_lock(&lock);
    while (!done)
        cnd_timedwait(&changed, &lock, &when);
    mtx_unlock(&lock);
    seen = *(volatile int *)&result; /* @B */
    sem_wait(&gone);
    printf("%d\n", seen <= 4);
    return 0;
}
