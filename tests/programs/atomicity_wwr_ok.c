/*
 * atomicity_wwr_ok: a value is written and read back in one section.
 *
 * expect: nothing
 * never: atomicity A B C
 */
#include "program.h"

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_and_read(void *unused)
{
    int seen;

    pthread_mutex_lock(&lock);
    value = 1; /* @A */
    seen = value; /* @C */
    pthread_mutex_unlock(&lock);
    return seen > 2 ? &lock : unused;
}

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(write_and_read, set);
    printf("%d\n", value > 0);
    return 0;
}
