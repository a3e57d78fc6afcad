/*
 * cond_lost_wakeup: the flag is looked at before the lock is taken: the signal can come between.
 * (The wait has a limit, so that the program ends even then.)
 *
 * expect: race A B
 */
#include "program.h"

int done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1; /* @A */
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *waiter(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    if (!done) { /* @B */
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&finished, &lock, &when);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    run2(worker, waiter);
    printf("%d\n", done);
    return 0;
}
