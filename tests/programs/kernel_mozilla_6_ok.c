/*
 * kernel_mozilla_6_ok: the caller notes that it waits, and the completion looks, under a lock.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

volatile int pending;
sem_t completed;
volatile int finished;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *completion(void *unused)
{
    pthread_mutex_lock(&lock);
    finished = 1;
    if (pending) /* @B */
        sem_post(&completed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int waits;
    pthread_t thread;

    sem_init(&completed, 0, 0);
    thread = start(completion, NULL);
    pthread_mutex_lock(&lock);
    pending = 1; /* @A */
    waits = !finished;
    pthread_mutex_unlock(&lock);
    if (waits)
        sem_wait(&completed);
    finish(thread);
    puts("completed");
    return 0;
}
