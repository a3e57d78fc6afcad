/*
 * atomicity_wrw_ok: a value is wrong for a moment, but not outside the section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *in_two_steps(void *unused)
{
    pthread_mutex_lock(&lock);
    value = -1; /* @A */
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
