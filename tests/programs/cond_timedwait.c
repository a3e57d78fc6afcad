/*
 * cond_timedwait: the wait ends by its time, and the result is taken without the lock.
 *
 * expect: race A B
 */
#include "program.h"

int result;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    result = 1; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *await(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);
    int seen;

    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&never, &lock, &when);
    pthread_mutex_unlock(&lock);
    seen = *(volatile int *)&result; /* @B */
    return seen > 1 ? &result : unused;
}

int main(void)
{
    run2(work, await);
    printf("%d\n", result);
    return 0;
}
