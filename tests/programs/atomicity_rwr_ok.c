/*
 * atomicity_rwr_ok: two looks at one value in one section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look_twice(void *unused)
{
    int first, second;

    pthread_mutex_lock(&lock);
    first = value; /* @A */
    second = value; /* @C */
    pthread_mutex_unlock(&lock);
    return first > second ? &lock : unused;
}

static void *set(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    value = 1; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(look_twice, set);
    printf("%d\n", value);
    return 0;
}
