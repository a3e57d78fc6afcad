/*
 * semaphore_ok: a semaphore used as a lock.
 *
 * mended: it lets one in
 */
#include <semaphore.h>
#include "threads.h"

static int value;
static sem_t semaphore;

static void *count(void *unused)
{
    sem_wait(&semaphore);
    value++;
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    sem_init(&semaphore, 0, 1);
    run2(count, count);
    assert(value == 2);
    return 0;
}
