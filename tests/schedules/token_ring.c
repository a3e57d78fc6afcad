/*
 * token_ring: a number is passed on from thread to thread, each step under the lock.
 *
 * bug: nothing says that a step waits for the one before it
 * fails-as: assertion
 * depth: 1 (a thread passes on before its predecessor did)
 * preemptions: 0
 * recorded: yes
 */
#include "threads.h"

enum { THREADS = 3 };

static int number[THREADS + 1] = { 7 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pass(void *argument)
{
    int self = (int)(long)argument;

    pthread_mutex_lock(&lock);
    number[self + 1] = number[self]; /* @bug */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        threads[i] = start(pass, (void *)i);
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    assert(number[THREADS] == 7);
    return 0;
}
