/*
 * mutex_recursive: the inner unlock of a recursive lock is one too many for what comes behind it.
 *
 * expect: race A B
 */
#include "program.h"

int total, inside;
pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static NOINLINE void inner(void)
{
    pthread_mutex_lock(&lock);
    inside += 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *outer(void *unused)
{
    pthread_mutex_lock(&lock);
    inner();
    total += 2; /* @A */
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
    printf("%d\n", total > 0 && inside == 1);
    return 0;
}
