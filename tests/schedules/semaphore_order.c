/*
 * semaphore_order: two semaphores of one unit each; each thread needs both.
 *
 * bug: two semaphores are taken in opposite orders
 * fails-as: deadlock
 * depth: 2 (each has its first before the other asks for it)
 * preemptions: 1
 * recorded: no (deadlocks are those of locks)
 */
#include <semaphore.h>
#include "threads.h"

static sem_t a;
static sem_t b;
static int value;

static void *forward(void *unused)
{
    sem_wait(&a);
    sem_wait(&b); /* @bug */
    value++;
    sem_post(&b);
    sem_post(&a);
    return unused;
}

static void *backward(void *unused)
{
    sem_wait(&b);
    sem_wait(&a); /* @bug */
    value++;
    sem_post(&a);
    sem_post(&b);
    return unused;
}

int main(void)
{
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    run2(forward, backward);
    return value == 2 ? 0 : 1;
}
