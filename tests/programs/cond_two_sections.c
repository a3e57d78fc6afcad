/*
 * cond_two_sections: look and wait are two sections of the lock.  No race, but the signal can come
 * between them and is lost.  (The wait has a limit, so that the program ends even then.)
 *
 * expect: atomicity A B C
 */
#include "program.h"

int done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    step_aside();
    pthread_mutex_lock(&lock);
    done = 1; /* @B */
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return unused;
}

static NOINLINE void await(void)
{
    struct timespec when = soon(CLOCK_REALTIME);
    int seen;

    pthread_mutex_lock(&lock);
    seen = done; /* @A */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    done += 2; /* @C */
    if (!seen)
        pthread_cond_timedwait(&finished, &lock, &when);
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *unused)
{
    await();
    return unused;
}

int main(void)
{
    run2(worker, waiter);
    puts("done");
    return 0;
}
