/*
 * rwlock: a writer takes the lock for reading.
 *
 * expect: race A B
 */
#include "program.h"

int value;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    value = 1; /* @A */
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    int seen;

    pthread_rwlock_rdlock(&lock);
    seen = *(volatile int *)&value; /* @B */
    pthread_rwlock_unlock(&lock);
    return seen > 1 ? &value : unused;
}

int main(void)
{
    pthread_t more = start(reader, NULL);

    run2(writer, reader);
    finish(more);
    printf("%d\n", value);
    return 0;
}
