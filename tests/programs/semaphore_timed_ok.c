/*
 * semaphore_timed_ok: when the time is up, it waits again, by another clock.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

int result;
sem_t given_up, done;

static void *work(void *unused)
{
    sem_wait(&given_up);
    result = 1; /* @A */
    sem_post(&done);
    return unused;
}

static void *await(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);
    int seen;

    sem_timedwait(&done, &when);
    sem_post(&given_up);
    when = late(CLOCK_MONOTONIC);
    sem_clockwait(&done, CLOCK_MONOTONIC, &when);
    seen = *(volatile int *)&result; /* @B */
    return seen > 1 ? &result : unused;
}

int main(void)
{
    sem_init(&given_up, 0, 0);
    sem_init(&done, 0, 0);
    run2(work, await);
    printf("%d\n", result);
    return 0;
}
