/*
 * cond_clockwait: the message is put down after the signal, outside the lock.
 *
 * expect: race A B
 */
#include "program.h"

int signalled, message;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *sender(void *unused)
{
    pthread_mutex_lock(&lock);
    signalled = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    message = 5; /* @A */
    return unused;
}

static void *receiver(void *unused)
{
    struct timespec when = late(CLOCK_MONOTONIC);
    int seen;

    pthread_mutex_lock(&lock);
    while (!signalled)
        pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &when);
    seen = *(volatile int *)&message; /* @B */
    pthread_mutex_unlock(&lock);
    return seen > 5 ? &message : unused;
}

int main(void)
{
    run2(sender, receiver);
    printf("%d\n", message);
    return 0;
}
