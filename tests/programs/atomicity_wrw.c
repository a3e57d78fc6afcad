/*
 * atomicity_wrw: a value is wrong for a moment, and somebody can look at it just then.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *in_two_steps(void *unused)
{
    pthread_mutex_lock(&lock);
    value = -1; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    value = 1; /* @C */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = value; /* @B */
    pthread_mutex_unlock(&lock);
    return seen > 1 ? &lock : unused;
}

int main(void)
{
    run2(in_two_steps, look);
    printf("%d\n", value);
    return 0;
}
