/*
 * kernel.h - what the kernels of the guard have in common: programs with one known bug each, which
 * are calm while one learns from them and adverse when they are to fail.
 *
 *   ./NAME calm|adverse [SEED]
 *
 * A thread holds the door open (hold) at the place of the bug when the run is adverse, and its peer
 * comes meanwhile; in a calm run the peer comes when all is over, a little sooner or later by the
 * seed.  Sleeping touches no memory that is shared.  Who would wait for ever gives up after a
 * while, so that a hang is a failure too.  Exit status 1: the bug has struck; 2: bad use.
 */
#ifndef FW_TESTS_GUARD_KERNEL_H
#define FW_TESTS_GUARD_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

#define HELD_US    3000 /* the door is open so long, */
#define SOON_US    1000 /* the peer comes in time for it, */
#define LATER_US   4000 /* or when it is closed */
#define JITTER_US  500
#define GIVE_UP_MS 400

static bool adverse;
static unsigned jitter_us;

static inline void sleep_us(unsigned us)
{
    struct timespec time = { 0, (long)us * 1000 };

    nanosleep(&time, NULL);
}

static inline void hold(void)
{
    if (adverse)
        sleep_us(HELD_US);
}

static inline void meanwhile(void)
{
    sleep_us(adverse ? SOON_US : LATER_US + jitter_us);
}

static inline struct timespec deadline(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += GIVE_UP_MS * 1000000L;
    time.tv_sec += time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

static void *run_actor(void *actor)
{
    (*(void (**)(void))actor)();
    return NULL;
}

/* Both in threads of their own, to their end. */
static inline void run_two(void (*one)(void), void (*other)(void))
{
    void (*actors[2])(void) = { one, other };
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run_actor, &actors[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static inline void begin(int argc, char **argv)
{
    if (argc < 2 || (strcmp(argv[1], "calm") != 0 && strcmp(argv[1], "adverse") != 0)) {
        fprintf(stderr, "usage: %s calm|adverse [SEED]\n", argv[0]);
        exit(2);
    }
    adverse = argv[1][0] == 'a';
    jitter_us = (argc > 2 ? (unsigned)atoi(argv[2]) : 0) * 2654435761u % JITTER_US;
}

static inline int verdict(bool right)
{
    puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}

#endif
