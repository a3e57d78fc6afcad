/*
 * program.h - what the test programs share: threads in one line, and two courtesies.
 *
 * Threads may run in any order, and every program ends in every order.  Where a bug would hang the
 * program, step_aside makes that unlikely (it orders nothing: yields are no synchronisation), and
 * end_when_stuck ends the program after all, with the line that it would have printed.
 */
#ifndef FOREWEAVE_TESTS_PROGRAM_H
#define FOREWEAVE_TESTS_PROGRAM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

typedef void *body(void *);

static inline pthread_t start(body *what, void *argument)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, what, argument) != 0)
        abort();
    return thread;
}

static inline void finish(pthread_t thread)
{
    if (pthread_join(thread, NULL) != 0)
        abort();
}

/* Both at once, each in a thread of its own. */
static inline void run2(body *one, body *two)
{
    pthread_t first = start(one, NULL);
    pthread_t second = start(two, NULL);

    finish(first);
    finish(second);
}

/* Gives the other threads a head start, without any promise. */
static inline void step_aside(void)
{
    for (int i = 0; i < 100; i++)
        sched_yield();
}

/* A time that has nearly come, and one that never comes. */
static inline struct timespec soon(clockid_t clock)
{
    struct timespec when;

    clock_gettime(clock, &when);
    when.tv_nsec += 2 * 1000 * 1000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static inline struct timespec late(clockid_t clock)
{
    struct timespec when;

    clock_gettime(clock, &when);
    when.tv_sec += 1000;
    return when;
}

static const char *line_when_stuck;

static inline void print_and_end(int number)
{
    ssize_t written = write(1, line_when_stuck, strlen(line_when_stuck));

    (void)number;
    (void)written;
    _exit(0);
}

static inline void end_when_stuck(const char *line)
{
    line_when_stuck = line;
    signal(SIGALRM, print_and_end);
    alarm(5);
}

#endif
