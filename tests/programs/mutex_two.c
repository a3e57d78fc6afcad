/*
 * mutex_two: both threads take a lock, but not the same one.
 *
 * expect: race A B
 */
#include "program.h"

int total;
pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    pthread_mutex_lock(&one);
    total += 1; /* @A */
    pthread_mutex_unlock(&one);
    return unused;
}

static void *add_more(void *unused)
{
    pthread_mutex_lock(&two);
    total += 2; /* @B */
    pthread_mutex_unlock(&two);
    return unused;
}

int main(void)
{
    run2(add, add_more);
    printf("%d\n", total > 0);
    return 0;
}
