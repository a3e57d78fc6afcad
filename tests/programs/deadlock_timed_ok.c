/*
 * deadlock_timed_ok: one of the threads waits with a limit, and tries again.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    step_aside();
    pthread_mutex_lock(&b);
    while (pthread_mutex_timedlock(&a, &when) != 0) { /* @B */
        pthread_mutex_unlock(&b);
        sched_yield();
        pthread_mutex_lock(&b);
        when = soon(CLOCK_REALTIME);
    }
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    run2(forward, backward);
    printf("%d\n", value);
    return 0;
}
