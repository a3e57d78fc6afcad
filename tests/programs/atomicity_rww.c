/*
 * atomicity_rww: read in one section, written back in another: a write between them is lost.
 *
 * expect: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = value; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    value = seen + 1; /* @C */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *set(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    value = 10; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(add, set);
    printf("%d\n", value > 0);
    return 0;
}
