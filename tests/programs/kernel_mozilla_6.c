/*
 * kernel_mozilla_6: the completion of an operation comes before its caller has noted that it waits,
 * and nobody is woken.  (It waits with a limit here.)
 *
 * expect: race A B
 */
#include "program.h"
#include <semaphore.h>

volatile int pending;
sem_t completed;

static void *completion(void *unused)
{
    if (pending) /* @B */
        sem_post(&completed);
    return unused;
}

int main(void)
{
    struct timespec when;
    pthread_t thread;

    sem_init(&completed, 0, 0);
    thread = start(completion, NULL);
    pending = 1; /* @A */
    when = soon(CLOCK_REALTIME);
    sem_timedwait(&completed, &when);
    finish(thread);
    puts("completed");
    return 0;
}
