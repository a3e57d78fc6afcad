/*
 * kernel_memcached: two clients increment a value; it is fetched in one section and stored back in
 * another, and one increment is lost.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int item;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused)
{
    int value;

    pthread_mutex_lock(&lock);
    value = item; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
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
    printf("%d\n", item <= 1);
    return 0;
}
