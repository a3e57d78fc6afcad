/*
 * kernel_pfscan: the number of running threads is set when they run already; one that has ended
 * before is waited for in vain.  (With a limit here.)  Everything is locked.
 *
 * expect: nondeterminism B
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
    struct timespec when = soon(CLOCK_REALTIME);

    thread = start(scan, NULL);
    pthread_mutex_lock(&lock);
    running = 1; /* @A */
    if (running > 0)
        pthread_cond_timedwait(&ended, &lock, &when);
    pthread_mutex_unlock(&lock);
    finish(thread);
    printf("%d\n", running <= 1);
    return 0;
}
