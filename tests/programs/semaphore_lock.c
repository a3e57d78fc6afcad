/*
 * semaphore_lock: a semaphore that lets two in at once is no lock.
 *
 * expect: race A A
 */
#include "program.h"
#include <semaphore.h>

int value;
sem_t lock;

static void *add(void *unused)
{
    sem_wait(&lock);
    value++; /* @A */
    sem_post(&lock);
    return unused;
}

int main(void)
{
    sem_init(&lock, 0, 2);
    run2(add, add);
    sem_destroy(&lock);
    printf("%d\n", value > 0);
    return 0;
}
