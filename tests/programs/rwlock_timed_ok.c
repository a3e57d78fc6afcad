/*
 * rwlock_timed_ok: the clock and timed variants for writing keep everybody out.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static NOINLINE void add(void)
{
    value++; /* @A */
}

static void *timed(void *unused)
{
    struct timespec when = late(CLOCK_REALTIME);

    if (pthread_rwlock_timedwrlock(&lock, &when) != 0)
        return &value;
    add();
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *clocked(void *unused)
{
    struct timespec when = late(CLOCK_MONOTONIC);

    if (pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &when) != 0)
        return &value;
    add();
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(timed, clocked);
    printf("%d\n", value);
    return 0;
}
