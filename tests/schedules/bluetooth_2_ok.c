/*
 * bluetooth_2_ok: a driver that waits until the last of its requests has left.
 *
 * mended: counted down at once
 */
#include <semaphore.h>
#include <stdatomic.h>
#include "threads.h"

static atomic_int pending = 3; /* two requests have entered; the driver itself counts as one */
static sem_t all_left;

static void leave(void)
{
    if (atomic_fetch_sub(&pending, 1) == 1)
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
