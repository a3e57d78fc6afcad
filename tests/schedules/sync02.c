/*
 * sync02: one thread waits until another one has made something.
 *
 * bug: maker and user have different locks: change and signal can come between look and wait
 * fails-as: hang
 * depth: 2 (the look before the change, the signal before the wait)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

static int there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t makers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;

static void *make(void *unused)
{
    pthread_mutex_lock(&makers_lock);
    there = 1; /* @bug */
    pthread_cond_signal(&made);
    pthread_mutex_unlock(&makers_lock);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!there) /* @bug */
        pthread_cond_wait(&made, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(make, use);
    return 0;
}
