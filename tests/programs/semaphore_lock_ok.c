/*
 * semaphore_lock_ok: a semaphore that lets one in at a time is used as a lock.
 *
 * expect: nothing
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
    sem_init(&lock, 0, 1);
    run2(add, add);
    sem_destroy(&lock);
    printf("%d\n", value);
    return 0;
}
