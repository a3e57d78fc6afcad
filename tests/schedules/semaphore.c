/*
 * semaphore: a semaphore used as a lock.
 *
 * bug: the semaphore lets two in
 * fails-as: assertion
 * depth: 2 (one reads before the other writes, and writes after it)
 * preemptions: 1
 * recorded: yes
 */
#include <semaphore.h>
#include "threads.h"

static int value;
static sem_t semaphore;

static void *count(void *unused)
{
    sem_wait(&semaphore);
    value++; /* @bug */
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    sem_init(&semaphore, 0, 2);
    run2(count, count);
    assert(value == 2);
    return 0;
}
