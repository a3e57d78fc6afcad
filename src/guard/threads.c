/*
 * threads.c - see guard.h: numbers of threads.
 *
 * A thread gets a number when it first comes to a site that is watched, and gives it back when it
 * ends.  Numbers are given out in turn, so that one is used again as late as possible: words that
 * a thread has left behind would be taken for its successor's own.
 */
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "guard/learning.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/thread.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>

__thread uint32_t fw_guard_self;

static __thread bool ended;
static struct fw_lock lock;
static bool taken[FW_WORD_THREADS + 1];
static uint32_t latest;
static _Atomic uint32_t count;
static pthread_key_t key;

/* The next thread gets the same memory for its own. */
static void forget_stack(void)
{
    pthread_attr_t about;
    size_t bytes = 0;
    void *stack;

    if (fw_call(SYS_gettid, 0, 0, 0, 0) == fw_call(SYS_getpid, 0, 0, 0, 0))
        return; /* main's is nobody else's */
    fw_guard_calls_own = true;
    if (pthread_getattr_np(pthread_self(), &about) == 0) {
        if (pthread_attr_getstack(&about, &stack, &bytes) == 0)
            fw_guard_freed(stack, bytes);
        pthread_attr_destroy(&about);
    }
    fw_guard_calls_own = false;
}

/* In the last round of destructors, so that the program's own are seen. */
static void end(void *value)
{
    uintptr_t round = (uintptr_t)value;

    if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(key, (void *)(round + 1));
        return;
    }
    fw_guard_learnt();
    fw_region_release();
    fw_flight_end();
    forget_stack();
    ended = true;
    fw_guard_tx_thread(fw_guard_self);
    fw_lock(&lock);
    taken[fw_guard_self] = false;
    fw_unlock(&lock);
    fw_guard_self = 0;
    atomic_fetch_sub(&count, 1);
}

bool fw_guard_threads_begin(void)
{
    return pthread_key_create(&key, end) == 0;
}

uint32_t fw_guard_threads(void)
{
    return atomic_load(&count);
}

/* With handlers kept out: they may come to a hook. */
static uint32_t take_number(void)
{
    uint32_t number = 0;

    fw_lock(&lock);
    for (uint32_t i = 0; i < FW_WORD_THREADS && !number; i++) {
        latest = latest % FW_WORD_THREADS + 1;
        if (!taken[latest])
            number = latest;
    }
    if (number)
        taken[number] = true;
    fw_unlock(&lock);
    return number;
}

uint32_t fw_guard_self_new(void)
{
    uint64_t all = UINT64_MAX, mask;

    if (ended) {
        fw_regions_blind();
        return 0;
    }
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    if (!fw_guard_self) {
        fw_guard_self = take_number();
        if (fw_guard_self) {
            atomic_fetch_add(&count, 1);
            pthread_setspecific(key, (void *)1);
            fw_flight_begin();
        }
    }
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
    if (!fw_guard_self)
        fw_regions_blind();
    return fw_guard_self;
}
