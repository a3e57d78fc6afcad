/*
 * kernel_apache_4: a worker counts itself idle and then tells the listener, in two steps; the
 * listener looks at the count without care in between.
 *
 * expect: race A B
 * overlap: no, one of the accesses is atomic
 */
#include "program.h"

int idlers;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t wait_for_idler = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
    if (__atomic_fetch_add(&idlers, 1, __ATOMIC_SEQ_CST) == 0) { /* @A */
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&wait_for_idler);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *listener(void *unused)
{
    struct timespec when = soon(CLOCK_REALTIME);

    if (*(volatile int *)&idlers == 0) { /* @B */
        pthread_mutex_lock(&lock);
        pthread_cond_timedwait(&wait_for_idler, &lock, &when);
        pthread_mutex_unlock(&lock);
    }
    __atomic_fetch_sub(&idlers, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    run2(worker, listener);
    printf("%d\n", idlers);
    return 0;
}
