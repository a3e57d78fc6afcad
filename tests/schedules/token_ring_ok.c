/*
 * token_ring_ok: a number is passed on from thread to thread, each step under the lock.
 *
 * mended: each step waits for its turn
 */
#include "threads.h"

enum { THREADS = 3 };

static int number[THREADS + 1] = { 7 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *pass(void *argument)
{
    int self = (int)(long)argument;

    pthread_mutex_lock(&lock);
    while (turn != self)
        pthread_cond_wait(&passed, &lock);
    number[self + 1] = number[self];
    turn++;
    pthread_cond_broadcast(&passed);
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
