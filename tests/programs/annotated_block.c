/*
 * annotated_block: two sections, in two functions, are meant to be one block.
 *
 * expect: atomicity A B C
 */
#include "program.h"
#include <foreweave/annotate.h>

volatile int value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void set(int to)
{
    pthread_mutex_lock(&lock);
    value = to; /* @A */
    pthread_mutex_unlock(&lock);
}

static NOINLINE int get(void)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = value; /* @C */
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *set_and_get(void *unused)
{
    int seen;

    FOREWEAVE_ATOMIC_BEGIN("set and get");
    set(5);
    seen = get();
    FOREWEAVE_ATOMIC_END("set and get");
    return seen > 6 ? &lock : unused;
}

static void *change(void *unused)
{
    pthread_mutex_lock(&lock);
    value = 6; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(set_and_get, change);
    printf("%d\n", value > 0);
    return 0;
}
