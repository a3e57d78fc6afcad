/*
 * cond_two_sections_ok: look and wait are one section of the lock.
 *
 * expect: nothing
 * never: atomicity A B C
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
    int seen;

    pthread_mutex_lock(&lock);
    seen = done; /* @A */
    done = seen + 2; /* @C */
    while (!(done & 1))
        pthread_cond_wait(&finished, &lock);
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
