/*
 * deadlock_recursive_ok: to take a recursive lock again under another one is no wait.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *nested(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    pthread_mutex_lock(&a);
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *other(void *unused)
{
    step_aside();
    pthread_mutex_lock(&a); /* @B */
    pthread_mutex_lock(&b);
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    run2(nested, other);
    printf("%d\n", value);
    return 0;
}
