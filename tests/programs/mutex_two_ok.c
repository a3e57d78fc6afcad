/*
 * mutex_two_ok: both threads take the lock that guards the data, one of them another one as well.
 *
 * expect: nothing
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
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    total += 2; /* @B */
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return unused;
}

int main(void)
{
    run2(add, add_more);
    printf("%d\n", total);
    return 0;
}
