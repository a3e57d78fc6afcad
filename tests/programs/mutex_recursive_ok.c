/*
 * mutex_recursive_ok: a recursive lock protects up to its outermost unlock.
 *
 * expect: nothing
 */
#include "program.h"

int total, inside;
pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static NOINLINE void inner(void)
{
    pthread_mutex_lock(&lock);
    inside += 1;
    pthread_mutex_unlock(&lock);
}

static void *outer(void *unused)
{
    pthread_mutex_lock(&lock);
    inner();
    total += 2; /* @A */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    total += 4; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(outer, other);
    printf("%d\n", total + inside);
    return 0;
}
