/*
 * deadlock_hidden: a third lock happens to order the two sections in this run.
 *
 * expect: deadlock A B
 */
#include "program.h"

int value, turns;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* @A */
    value++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&other);
    turns = 1;
    pthread_mutex_unlock(&other);
    return unused;
}

int main(void)
{
    pthread_t thread;

    end_when_stuck("2\n");
    thread = start(forward, NULL);
    step_aside();
    pthread_mutex_lock(&other);
    turns = 2;
    pthread_mutex_unlock(&other);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* @B */
    value++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    finish(thread);
    printf("%d\n", value);
    return 0;
}
