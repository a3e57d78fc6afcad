/*
 * kernel.h - what the kernels of the guard have in common: programs with one known bug each, which
 * are calm while one learns from them and adverse when they are to fail.
 *
 *   ./NAME calm|certain|adverse [SEED]
 *
 * A thread holds the door open (hold) at the place of the bug when the run is adverse, and its peer
 * comes meanwhile; in a calm run the peer comes when all is over, a little sooner or later by the
 * seed.  On a busy machine calm runs come the other way round as well, and many are right all the
 * same: in a certain one the peer waits until the door was passed.  Sleeping touches no memory that
 * is shared, and what tells that the door was passed has no hooks.  Who would wait for ever gives
 * up after a while, so that a hang is a failure too.  Exit status 1: the bug has struck; 2: bad
 * use.
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
#define UNHOOKED __attribute__((noinline, no_sanitize("thread")))

#define HELD_US    3000 /* the door is open so long, */
#define SOON_US    1000 /* the peer comes in time for it, */
#define LATER_US   4000 /* or when it is closed */
#define JITTER_US  500
#define GIVE_UP_MS 400

static bool adverse, certain;
static unsigned jitter_us;

static inline void sleep_us(unsigned us)
{
    struct timespec time = { 0, (long)us * 1000 };

    nanosleep(&time, NULL);
}

static volatile bool door_passed; /* volatile: no part of what the kernel is about */

UNHOOKED static void pass_door(void)
{
    door_passed = true;
}

UNHOOKED static bool door_is_passed(void)
{
    return door_passed;
}

static inline void hold(void)
{
    if (adverse)
        sleep_us(HELD_US);
    if (certain)
        pass_door();
}

static inline void meanwhile(void)
{
    if (certain)
        for (int i = 0; i < GIVE_UP_MS && !door_is_passed(); i++)
            sleep_us(1000);
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
    const char *how = argc < 2 ? "" : argv[1];

    adverse = strcmp(how, "adverse") == 0;
    certain = strcmp(how, "certain") == 0;
    if (!adverse && !certain && strcmp(how, "calm") != 0) {
        fprintf(stderr, "usage: %s calm|certain|adverse [SEED]\n", argv[0]);
        exit(2);
    }
    jitter_us = (argc > 2 ? (unsigned)atoi(argv[2]) : 0) * 2654435761u % JITTER_US;
}

static inline int verdict(bool right)
{
    puts(right ? "right" : "wrong");
    return right ? 0 : 1;
}

#endif
