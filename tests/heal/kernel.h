/*
 * kernel.h - what the kernels of healing have in common: some threads that start together and do
 * the same work, and a last line that says whether the result is right.  Exit status 1: it is not.
 */
#ifndef FW_TESTS_HEAL_KERNEL_H
#define FW_TESTS_HEAL_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define MOST 8

static pthread_barrier_t start_line;
static void (*works[MOST])(int rounds);
static int rounds_of_all;

static void *run_one(void *work)
{
    pthread_barrier_wait(&start_line);
    (*(void (**)(int))work)(rounds_of_all);
    return NULL;
}

/* Each of them in a thread of its own; the first argument of the program says how many rounds. */
static void run_all(int argc, char **argv, int count, int rounds)
{
    pthread_t threads[MOST];

    rounds_of_all = argc > 1 ? atoi(argv[1]) : rounds;
    pthread_barrier_init(&start_line, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_one, &works[i]) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static int verdict(bool right)
{
    puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}

#endif
