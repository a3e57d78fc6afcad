/*
 * kernel_mozilla_9: a timer thread is told to shut down before it runs; it is not waiting yet, so
 * that nobody is notified, and it then waits for ever.  (With a limit here.)  Neither a race nor a
 * violation of atomicity: the order is what is wrong.
 *
 * expect: nondeterminism A
 */
#include "program.h"

volatile int waiting, down;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *run(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    pthread_mutex_lock(&lock);
    waiting = 1; /* @B */
    pthread_cond_timedwait(&changed, &lock, &when);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *shut_down(void *unused)
{
    pthread_mutex_lock(&lock);
    down = 1;
    if (waiting) /* @A */
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(run, shut_down);
    puts("down");
    return 0;
}
