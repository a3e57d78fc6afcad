/*
 * show.h - for programs that print what the C library answers.
 *
 * What they print without recording is what they must print when recorded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHOW(call) printf("%s: %s\n", #call, name_of((long)(call)))
/* For calls that return -1 and set errno. */
#define SHOW_ERRNO(call) printf("%s: %s\n", #call, (call) == 0 ? "0" : name_of(errno))

static inline const char *name_of(long value)
{
    static __thread char number[32];

    switch (value) {
    case EBUSY:
        return "EBUSY";
    case EDEADLK:
        return "EDEADLK";
    case EINVAL:
        return "EINVAL";
    case EPERM:
        return "EPERM";
    case ETIMEDOUT:
        return "ETIMEDOUT";
    case EOWNERDEAD:
        return "EOWNERDEAD";
    case ENOTRECOVERABLE:
        return "ENOTRECOVERABLE";
    case EAGAIN:
        return "EAGAIN";
    case EINTR:
        return "EINTR";
    default:
        snprintf(number, sizeof number, "%ld", value);
        return number;
    }
}

static inline pthread_t start(void *(*routine)(void *), void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, routine, argument) != 0)
        abort();
    return thread;
}

static inline void *finish(pthread_t thread)
{
    void *result = NULL;

    if (pthread_join(thread, &result) != 0)
        abort();
    return result;
}

/* Runs it to its end on a thread of its own. */
static inline void *aside(void *(*routine)(void *), void *argument)
{
    return finish(start(routine, argument));
}

static inline struct timespec soon(clockid_t clock)
{
    struct timespec when;

    clock_gettime(clock, &when);
    when.tv_nsec += 5 * 1000 * 1000;
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}
