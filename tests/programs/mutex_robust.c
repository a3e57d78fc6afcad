/*
 * mutex_robust: the owner of a lock dies with it; its heir repairs the data a little too late.
 *
 * expect: race A B
 */
#include "program.h"
#include <errno.h>

int value;
pthread_mutex_t lock;

static void *die(void *unused)
{
    pthread_mutex_lock(&lock);
    value = -1;
    return unused;
}

static void *inherit(void *unused)
{
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    value = 1; /* @A */
    return unused;
}

static void *use(void *unused)
{
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    value = 2; /* @B */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    finish(start(die, NULL));
    run2(inherit, use);
    printf("%d\n", value > 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
