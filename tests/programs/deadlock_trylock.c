/*
 * deadlock_trylock: one thread backs off, but not the two others.
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

static void *back_off(void *unused)
{
    pthread_mutex_lock(&b);
    while (pthread_mutex_trylock(&a) != 0) {
        pthread_mutex_unlock(&b);
        sched_yield();
        pthread_mutex_lock(&b);
    }
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
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
    pthread_t thread;

    end_when_stuck("3\n");
    thread = start(backward, NULL);
    run2(forward, back_off);
    finish(thread);
    printf("%d\n", value);
    return 0;
}
