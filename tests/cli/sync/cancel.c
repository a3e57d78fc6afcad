/* cancel.c - cancellation where threads wait, where they run, and where it is disabled. */
#include "show.h"

#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem, never, disabled;
static int waits, cleaned;
static atomic_int reached, spinning;

static void show_cancelled(pthread_t thread)
{
    SHOW(pthread_cancel(thread));
    SHOW(finish(thread) == PTHREAD_CANCELED);
}

static void cleanup(void *unused)
{
    (void)unused;
    cleaned = pthread_mutex_trylock(&mutex) == EBUSY; /* it has it again */
    pthread_mutex_unlock(&mutex);
}

static void *at_condition(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(cleanup, NULL);
    waits = 1;
    for (;;)
        pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

static void conditions(void)
{
    pthread_t thread = start(at_condition, NULL);
    int ready = 0;

    while (!ready) {
        pthread_mutex_lock(&mutex);
        ready = waits;
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    show_cancelled(thread);
    SHOW(cleaned);
    SHOW(pthread_mutex_trylock(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
}

/* The same in the kernel: objects that processes share. */
static void shared(void)
{
    pthread_mutexattr_t of_mutex;
    pthread_condattr_t of_cond;

    pthread_mutexattr_init(&of_mutex);
    pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&mutex, &of_mutex);
    pthread_condattr_init(&of_cond);
    pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&cond, &of_cond);
    waits = cleaned = 0;
    conditions();
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&cond, NULL);
}

static void *at_semaphore(void *unused)
{
    for (;;)
        sem_wait(&sem);
    return unused;
}

static void *at_join(void *thread)
{
    pthread_join(*(pthread_t *)thread, NULL);
    return NULL;
}

static void waiting(void)
{
    pthread_t sleeper, joiner;

    sem_init(&sem, 0, 2);
    sleeper = start(at_semaphore, NULL);
    joiner = start(at_join, &sleeper);
    show_cancelled(joiner);
    show_cancelled(sleeper); /* still to be joined */
}

static void *pending(void *unused)
{
    SHOW(pthread_cancel(pthread_self()));
    sem_wait(&never); /* has a token: cancelled all the same */
    reached = 1;
    return unused;
}

static void *asynchronous(void *unused)
{
    volatile long count = 0;
    int old = -1;

    SHOW(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    SHOW(old == PTHREAD_CANCEL_DEFERRED);
    SHOW(pthread_setcanceltype(77, &old));
    spinning = 1;
    for (;;)
        count++;
    return unused;
}

static void *at_once(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cancel(pthread_self());
    reached = 1;
    return unused;
}

static void *not_yet(void *unused)
{
    int old = -1;

    SHOW(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    SHOW(old == PTHREAD_CANCEL_ENABLE);
    sem_post(&disabled);
    sem_wait(&sem);
    reached = 2;
    pthread_testcancel();
    reached = 3;
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    reached = 4;
    return unused;
}

static void *waits_in_cleanup_done(void *unused)
{
    return unused;
}

static void wait_in_cleanup(void *unused)
{
    pthread_t thread = start(waits_in_cleanup_done, NULL);

    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &(struct timespec) { 1, 0 });
    pthread_mutex_unlock(&mutex);
    sem_wait(&sem); /* no cancellation any more: there is a token */
    finish(thread);
    reached = 7;
}

static void *cleans_slowly(void *unused)
{
    pthread_cleanup_push(wait_in_cleanup, NULL);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    pthread_t thread;

    conditions();
    shared();
    waiting();
    sem_init(&never, 0, 1);
    SHOW(aside(pending, NULL) == PTHREAD_CANCELED);
    SHOW(reached);
    thread = start(asynchronous, NULL);
    while (!spinning)
        sched_yield();
    show_cancelled(thread);
    SHOW(aside(at_once, NULL) == PTHREAD_CANCELED);
    SHOW(reached);
    sem_init(&sem, 0, 0);
    sem_init(&disabled, 0, 0);
    thread = start(not_yet, NULL);
    sem_wait(&disabled);
    SHOW(pthread_cancel(thread));
    sem_post(&sem);
    SHOW(finish(thread) == PTHREAD_CANCELED);
    SHOW(reached);
    sem_init(&never, 0, 0);
    thread = start(cleans_slowly, NULL);
    SHOW(pthread_cancel(thread));
    sem_post(&sem);
    SHOW(finish(thread) == PTHREAD_CANCELED);
    return 0;
}
