/* mutex.c - mutexes of every type, what they answer to their owner and to others. */
#include "show.h"

static void *as_other(void *mutex)
{
    struct timespec when = soon(CLOCK_REALTIME);

    SHOW(pthread_mutex_trylock(mutex));
    SHOW(pthread_mutex_timedlock(mutex, &when));
    when = soon(CLOCK_MONOTONIC);
    SHOW(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &when));
    SHOW(pthread_mutex_clocklock(mutex, 77, &when));
    when.tv_nsec = -1;
    SHOW(pthread_mutex_timedlock(mutex, &when));
    return NULL;
}

static void init(pthread_mutex_t *mutex, int type, int protocol, int robust)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutexattr_setrobust(&attributes, robust);
    SHOW(pthread_mutex_init(mutex, &attributes));
    pthread_mutexattr_destroy(&attributes);
}

static void error_checking(void)
{
    struct timespec when = soon(CLOCK_REALTIME);
    pthread_mutex_t mutex;

    init(&mutex, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_trylock(&mutex));
    SHOW(pthread_mutex_timedlock(&mutex, &when));
    aside(as_other, &mutex);
    SHOW(pthread_mutex_destroy(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_destroy(&mutex));
}

static void recursive(void)
{
    pthread_mutex_t mutex;

    init(&mutex, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_trylock(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    aside(as_other, &mutex);
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
}

static void normal(int type, int protocol)
{
    struct timespec when = { 0, -5 };
    pthread_mutex_t mutex;

    init(&mutex, type, protocol, PTHREAD_MUTEX_STALLED);
    SHOW(pthread_mutex_timedlock(&mutex, &when)); /* free: nobody looks at the time */
    when = soon(CLOCK_REALTIME);
    if (protocol == PTHREAD_PRIO_NONE)
        SHOW(pthread_mutex_timedlock(&mutex, &when));
    SHOW(pthread_mutex_trylock(&mutex));
    aside(as_other, &mutex);
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_destroy(&mutex));
}

static void *dies_with(void *mutex)
{
    SHOW(pthread_mutex_lock(mutex));
    return NULL;
}

static pthread_barrier_t locked;

static void *dies_later(void *mutex)
{
    SHOW(pthread_mutex_lock(mutex));
    pthread_barrier_wait(&locked);
    return NULL;
}

static void robust(int type)
{
    pthread_mutex_t mutex;
    pthread_t other;

    init(&mutex, type, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    aside(dies_with, &mutex);
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_consistent(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    pthread_barrier_init(&locked, NULL, 2);
    other = start(dies_later, &mutex);
    pthread_barrier_wait(&locked);
    SHOW(pthread_mutex_lock(&mutex)); /* waits for its end, without joining it */
    finish(other);
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_trylock(&mutex));
    pthread_mutex_destroy(&mutex);
    pthread_barrier_destroy(&locked);
}

static pthread_mutex_t hot = PTHREAD_MUTEX_INITIALIZER;
static int counted;

static void *count(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        if (i % 3)
            pthread_mutex_lock(&hot);
        else
            while (pthread_mutex_trylock(&hot) != 0)
                ;
        counted++;
        pthread_mutex_unlock(&hot);
    }
    return unused;
}

static void contended(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        threads[i] = start(count, NULL);
    for (int i = 0; i < 4; i++)
        finish(threads[i]);
    SHOW(counted);
}

static void *for_ever(void *unused)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    abort();
}

int main(void)
{
    error_checking();
    recursive();
    normal(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
    normal(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE);
    normal(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
    robust(PTHREAD_MUTEX_NORMAL);
    robust(PTHREAD_MUTEX_ERRORCHECK);
    start(for_ever, NULL); /* a thread that locks twice hangs, and nobody else */
    contended();
    return 3;
}
