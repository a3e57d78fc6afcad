/*
 * kernel_aget_1_ok: a cancelled thread gives back the lock of the output.
 *
 * expect: nothing
 */
#include "program.h"
#include <semaphore.h>

pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
sem_t printing, never;

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *handle_signals(void *unused)
{
    pthread_mutex_lock(&output);
    pthread_cleanup_push(unlock, &output);
    sem_post(&printing);
    sem_wait(&never);
    pthread_cleanup_pop(0);
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
    printf("%d\n", stuck);
    return 0;
}
