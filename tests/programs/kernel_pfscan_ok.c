/*
 * kernel_pfscan_ok: the number of running threads is set before they start.
 *
 * expect: nothing
 */
#include "program.h"

volatile int running;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ended = PTHREAD_COND_INITIALIZER;

static void *scan(void *unused)
{
    pthread_mutex_lock(&lock);
    running = running - 1; /* @B */
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;

    running = 1; /* @A */
    thread = start(scan, NULL);
    pthread_mutex_lock(&lock);
    while (running > 0)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
    finish(thread);
    printf("%d\n", running);
    return 0;
}
