/*
 * nondeterminism_last_ok: two threads write a result each.
 *
 * expect: nothing
 * never: nondeterminism A
 */
#include "program.h"

volatile int results[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    results[0] = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&lock);
    results[1] = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int result;

    run2(first, second);
    result = results[0]; /* @A */
    printf("%d\n", result);
    return 0;
}
