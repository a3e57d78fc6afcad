/*
 * bluetooth_2: a driver that waits until the last of its requests has left.
 *
 * bug: the number of requests is counted down by a load and a store: of two that leave at once
 * one is lost
 * fails-as: hang
 * depth: 2 (one reads before the other writes, and writes after it)
 * preemptions: 1
 * recorded: yes
 */
#include <semaphore.h>
#include <stdatomic.h>
#include "threads.h"

static atomic_int pending = 3; /* two requests have entered; the driver itself counts as one */
static sem_t all_left;

static void leave(void)
{
    int left = atomic_load_explicit(&pending, memory_order_relaxed) - 1; /* @bug */

    atomic_store_explicit(&pending, left, memory_order_relaxed); /* @bug */
    if (left == 0)
        sem_post(&all_left);
}

static void *request(void *unused)
{
    leave();
    return unused;
}

static void *stop(void *unused)
{
    leave();
    sem_wait(&all_left);
    return unused;
}

int main(void)
{
    sem_init(&all_left, 0, 0);
    run3(request, request, stop);
    return 0;
}
