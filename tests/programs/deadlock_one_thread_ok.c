/*
 * deadlock_one_thread_ok: only one thread ever takes both locks, in whatever order it likes.
 *
 * expect: nothing
 */
#include "program.h"

int value;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *both_ways(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @B */
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

static void *one_way(void *unused)
{
    step_aside();
    pthread_mutex_lock(&a); /* @C */
    value++;
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    run2(both_ways, one_way);
    printf("%d\n", value);
    return 0;
}
