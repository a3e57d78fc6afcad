/*
 * sync01: one thread waits until another one has made something.
 *
 * bug: the signal is given before the thing is there: who looks in between waits forever
 * fails-as: hang
 * depth: 2 (it waits after the signal, and looked before the change)
 * preemptions: 1
 * recorded: no (a wait that was not reached is not foreseen)
 */
#include "threads.h"

static int there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;

static void *make(void *unused)
{
    pthread_cond_signal(&made);
    pthread_mutex_lock(&lock);
    there = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!there)
        pthread_cond_wait(&made, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(make, use);
    return 0;
}
