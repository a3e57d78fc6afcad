/*
 * futex.h - waiting and waking by the kernel, and the one lock of the runtime.
 *
 * Raw system calls: libc's wrappers are intercepted, may be cancellation points, and libpthread's
 * locks belong to the program.
 */
#ifndef FW_RUNTIME_FUTEX_H
#define FW_RUNTIME_FUTEX_H

#include "runtime/local.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

/* A system call with up to four arguments, of any type; -errno if it fails. */
#define fw_call(number, a, b, c, d)                                                                \
    fw_syscall(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#define FW_SECOND 1000000000u

/* Waits while *word is `value`, at most `ns` (UINT64_MAX: for ever).  0 or -errno. */
static inline long fw_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ns, int shared)
{
    struct timespec time = { (time_t)(ns / FW_SECOND), (long)(ns % FW_SECOND) };

    return fw_call(SYS_futex, word, FUTEX_WAIT | (shared ? 0 : FUTEX_PRIVATE_FLAG), value,
                   ns == UINT64_MAX ? NULL : &time);
}

static inline void fw_futex_wake(_Atomic uint32_t *word, int shared)
{
    fw_call(SYS_futex, word, FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG), 1, 0);
}

/* 0 free, 1 held, 2 held and somebody waits.  Held for some instructions only. */
struct fw_lock {
    _Atomic uint32_t word;
};

static inline void fw_lock(struct fw_lock *lock)
{
    uint32_t state = 0;

    /* acquire: pairs with the release in fw_unlock */
    if (atomic_compare_exchange_strong_explicit(&lock->word, &state, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire) != 0)
        fw_futex_wait(&lock->word, 2, UINT64_MAX, 0);
}

static inline void fw_unlock(struct fw_lock *lock)
{
    /* release: pairs with the acquires in fw_lock */
    if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
        fw_futex_wake(&lock->word, 0);
}

static inline uint64_t fw_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * FW_SECOND + (uint64_t)time.tv_nsec;
}

#endif
