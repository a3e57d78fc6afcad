/*
 * atomicity_rww_ok: read and written back in one section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = value; /* @A */
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
