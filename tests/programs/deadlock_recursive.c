/*
 * deadlock_recursive: a recursive lock, taken a second time inside, is still held when the other
 * lock is waited for.
 *
 * expect: deadlock A B
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *nested(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *other(void *unused)
{
    step_aside();
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @B */
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    end_when_stuck("2\n");
    run2(nested, other);
    printf("%d\n", value);
    return 0;
}
