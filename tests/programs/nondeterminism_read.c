/*
 * nondeterminism_read: all is locked, and still it is not determined what the reader sees.
 *
 * expect: nondeterminism A
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = value; /* @A */
    pthread_mutex_unlock(&lock);
    return seen > 1 ? &lock : unused;
}

int main(void)
{
    run2(writer, reader);
    printf("%d\n", value);
    return 0;
}
