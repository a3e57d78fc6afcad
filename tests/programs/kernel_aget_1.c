/*
 * kernel_aget_1: the thread that handles signals is cancelled while it holds the output's lock,
 * and main waits for that lock.  (It waits with a limit here.)
 *
 * A known miss: no analysis asks for locks that a cancelled thread keeps.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
sem_t printing, never;

static void *handle_signals(void *unused)
{
    pthread_mutex_lock(&output);
    sem_post(&printing);
    sem_wait(&never);
    pthread_mutex_unlock(&output);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec when;
    int stuck;

    sem_init(&printing, 0, 0);
    sem_init(&never, 0, 0);
    thread = start(handle_signals, NULL);
    sem_wait(&printing);
    pthread_cancel(thread);
    finish(thread);
    when = soon(CLOCK_REALTIME);
    stuck = pthread_mutex_timedlock(&output, &when) != 0;
    printf("%d\n", stuck <= 1);
    return 0;
}
