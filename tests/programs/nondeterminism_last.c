/*
 * nondeterminism_last: two threads write one result; whoever is last has it.
 *
 * expect: nondeterminism A
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
    results[0] = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int result;

    run2(first, second);
    result = results[0]; /* @A */
    printf("%d\n", result > 0);
    return 0;
}
