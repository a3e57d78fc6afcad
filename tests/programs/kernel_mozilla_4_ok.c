/*
 * kernel_mozilla_4_ok: a transport passes through that state under the lock.
 *
 * expect: nothing
 */
#include "program.h"

enum { SUSPENDED, TEMPORARY, RUNNING };

volatile int state = SUSPENDED;
int confused;
pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *transport(void *unused)
{
    pthread_mutex_lock(&lock);
    state = TEMPORARY; /* @A */
    pthread_mutex_lock(&monitor);
    if (state == TEMPORARY)
        state = RUNNING; /* @C */
    pthread_mutex_unlock(&monitor);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *listener(void *unused)
{
    pthread_mutex_lock(&lock);
    confused = state == TEMPORARY; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(transport, listener);
    printf("%d\n", confused);
    return 0;
}
