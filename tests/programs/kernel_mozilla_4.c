/*
 * kernel_mozilla_4: a transport passes through a state that nobody else should see.
 *
 * expect: race A B
 * expect: race B C
 */
#include "program.h"

enum { SUSPENDED, TEMPORARY, RUNNING };

volatile int state = SUSPENDED;
int confused;
pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;

static void *transport(void *unused)
{
    state = TEMPORARY; /* @A */
    pthread_mutex_lock(&monitor);
    if (state == TEMPORARY)
        state = RUNNING; /* @C */
    pthread_mutex_unlock(&monitor);
    return unused;
}

static void *listener(void *unused)
{
    confused = state == TEMPORARY; /* @B */
    return unused;
}

int main(void)
{
    run2(transport, listener);
    printf("%d\n", confused <= 1);
    return 0;
}
