/*
 * deadlock_one_thread: one thread takes two locks in both orders, another one in one of them.
 *
 * expect: deadlock A C
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
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @C */
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    end_when_stuck("3\n");
    run2(both_ways, one_way);
    printf("%d\n", value);
    return 0;
}
