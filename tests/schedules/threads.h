/*
 * threads.h - what the programs of this folder share: threads in one line.
 *
 * A program that cannot start a thread ends with status 99, which is no failure of a schedule.
 */
#ifndef FOREWEAVE_SCHEDULES_THREADS_H
#define FOREWEAVE_SCHEDULES_THREADS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef void *body(void *);

static inline pthread_t start(body *what, void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, what, argument) != 0)
        _Exit(99);
    return thread;
}

static inline void finish(pthread_t thread)
{
    if (pthread_join(thread, NULL) != 0)
        _Exit(99);
}

/* Two at once, each in a thread of its own; started in this order. */
static inline void run2(body *one, body *two)
{
    pthread_t first = start(one, NULL);
    pthread_t second = start(two, NULL);

    finish(first);
    finish(second);
}

static inline void run3(body *one, body *two, body *three)
{
    pthread_t first = start(one, NULL);
    pthread_t second = start(two, NULL);
    pthread_t third = start(three, NULL);

    finish(first);
    finish(second);
    finish(third);
}

#endif
