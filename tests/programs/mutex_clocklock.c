/*
 * mutex_clocklock: the data is written after the section that clocklock began.
 *
 * expect: race A A
 */
#include "program.h"

int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    struct timespec when = late(CLOCK_MONOTONIC);

    if (pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &when) != 0)
        return &value;
    pthread_mutex_unlock(&lock);
    value++; /* @A */
    return unused;
}

int main(void)
{
    run2(add, add);
    printf("%d\n", value > 0);
    return 0;
}
