/*
 * kernel_mozilla_5_ok: a new thread waits until its creator has put down its handle.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

volatile pthread_t handle;
int crashed;
sem_t known;

static void *run(void *unused)
{
    sem_wait(&known);
    crashed = handle == 0; /* @A */
    return unused;
}

int main(void)
{
    pthread_t thread;

    sem_init(&known, 0, 0);
    thread = start(run, NULL);
    handle = thread; /* @B */
    sem_post(&known);
    finish(thread);
    printf("%d\n", crashed);
    return 0;
}
