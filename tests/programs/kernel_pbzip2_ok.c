/*
 * kernel_pbzip2_ok: main waits for all threads before it takes the queue's lock away.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

struct {
    pthread_mutex_t *lock;
} queue;
sem_t block_ready;
int blocks, crashed;

static void *consume(void *unused)
{
    pthread_mutex_t *lock;

    blocks = 1;
    sem_post(&block_ready);
    lock = queue.lock; /* @A */
    if (lock) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    } else {
        crashed = 1;
    }
    return unused;
}

static void *output(void *unused)
{
    sem_wait(&block_ready);
    return blocks == 1 ? unused : &blocks;
}

int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t consumer, writer;

    sem_init(&block_ready, 0, 0);
    queue.lock = &lock;
    consumer = start(consume, NULL);
    writer = start(output, NULL);
    finish(writer);
    finish(consumer);
    queue.lock = NULL; /* @B */
    printf("%d %d\n", blocks, crashed);
    return 0;
}
