/*
 * cond_lost_wakeup_ok: the flag is looked at under the lock, so that no signal can come between.
 *
 * expect: nothing
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
    pthread_mutex_lock(&lock);
    while (!done) /* @B */
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run2(worker, waiter);
    printf("%d\n", done);
    return 0;
}
