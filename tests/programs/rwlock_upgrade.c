/*
 * rwlock_upgrade: between the look under the read lock and the change under the write lock others
 * can change the value.
 *
 * expect: atomicity A B C
 */
#include "program.h"

int value;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *increase(void *unused)
{
    int seen;

    pthread_rwlock_rdlock(&lock);
    seen = value; /* @A */
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
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
