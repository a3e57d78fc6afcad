/*
 * deadlock_now_ok: the threads give their first lock back before they want the other one.
 *
 * expect: nothing
 */
#include "program.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_barrier_init(&both, NULL, 2);
    run2(forward, backward);
    puts("done");
    return 0;
}
