/*
 * deadlock_now: two threads hold a lock each and wait for each other's, in every schedule.
 *
 * expect: deadlock A B
 */
#include "program.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b); /* @A */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a); /* @B */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    end_when_stuck("stuck\n");
    alarm(1);
    pthread_barrier_init(&both, NULL, 2);
    run2(forward, backward);
    puts("not reached");
    return 0;
}
