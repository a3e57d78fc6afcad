/*
 * mutex_clocklock_ok: clocklock takes the lock.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    struct timespec when = late(CLOCK_MONOTONIC);

    if (pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &when) != 0)
        return &value;
    value++; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(add, add);
    printf("%d\n", value);
    return 0;
}
