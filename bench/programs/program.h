/*
 * program.h - what the measured programs share: arguments, random numbers, a checksum, threads.
 *
 * What a program prints depends on its arguments alone, never on the schedule.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 64

/* The n-th argument, a number from `least` on, or what is used without it. */
static inline long argument(int argc, char **argv, int n, long least, long without)
{
    char *end = NULL;
    long value = n < argc ? strtol(argv[n], &end, 10) : without;

    if (value >= least && (!end || (end != argv[n] && !*end)))
        return value;
    fprintf(stderr, "%s: argument %d is a number, at least %ld\n", argv[0], n, least);
    exit(2);
}

/* xorshift64*: the state must not be 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static inline uint64_t checksum_add(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * 0x100000001b3u + (sum >> 29);
}

static inline void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* Runs body(0) to body(count - 1), each on a thread of its own but the first. */
static inline void run_threads(long count, void *(*body)(void *))
{
    pthread_t threads[MAX_THREADS];

    for (long i = 1; i < count; i++) {
        if (pthread_create(&threads[i], NULL, body, (void *)i)) {
            fputs("cannot create a thread\n", stderr);
            exit(1);
        }
    }
    body((void *)0);
    for (long i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* The last line of every program; 0 if all is well. */
static inline int report(const char *name, int good, uint64_t sum)
{
    printf("%s: %s, checksum %016llx\n", name, good ? "good" : "WRONG", (unsigned long long)sum);
    return good ? 0 : 1;
}

#endif
