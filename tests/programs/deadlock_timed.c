/*
 * deadlock_timed: both threads wait without limit for their second lock.
 *
 * expect: deadlock A B
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
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
    run2(forward, backward);
    printf("%d\n", value);
    return 0;
}
