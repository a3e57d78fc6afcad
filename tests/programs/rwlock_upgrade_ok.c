/*
 * rwlock_upgrade_ok: look and change are one section of the write lock.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

int value;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *increase(void *unused)
{
    int seen;

    pthread_rwlock_wrlock(&lock);
    seen = value; /* @A */
    value = seen + 1; /* @C */
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *set(void *unused)
{
    step_aside();
    pthread_rwlock_wrlock(&lock);
    value = 10; /* @B */
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(increase, set);
    printf("%d\n", value > 0);
    return 0;
}
