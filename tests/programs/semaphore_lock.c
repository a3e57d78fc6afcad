/*
 * semaphore_lock: a semaphore that lets two in at once is no lock; a barrier has them meet.
 *
 * expect: race A A
 */
#include "program.h"
#include <semaphore.h>

int value;
sem_t lock;
pthread_barrier_t inside;

static void *add(void *unused)
{
    sem_wait(&lock);
    value++; /* @A */
    pthread_barrier_wait(&inside);
    sem_post(&lock);
    return unused;
}

int main(void)
{
    sem_init(&lock, 0, 2);
    pthread_barrier_init(&inside, NULL, 2);
    run2(add, add);
    sem_destroy(&lock);
    printf("%d\n", value > 0);
    return 0;
}
