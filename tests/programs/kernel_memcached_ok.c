/*
 * kernel_memcached_ok: a value is incremented in one section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int item;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused)
{
    int value;

    pthread_mutex_lock(&lock);
    value = item; /* @A */
    item = value + 1; /* @C */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *decrement(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    item = item - 1; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(increment, decrement);
    printf("%d\n", item);
    return 0;
}
