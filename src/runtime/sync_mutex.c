/*
 * sync_mutex.c - mutexes of every type.
 *
 * A mutex is taken with the real trylock; if it is busy the thread is blocked on its address.  The
 * real trylock differs from the real lock in what it says to the owner of an error checking mutex,
 * so that case is looked at here.  The owner of a normal mutex who locks it again waits for ever,
 * as it does without us.
 *
 * Robust mutexes become free when the kernel ends their owner, which nobody tells us, and a thread
 * that we do not know may hold a mutex: who waits for such a one looks again every now and then.
 * Mutexes that processes share are waited for in the kernel.
 *
 * pthread_mutex_lock and pthread_mutex_unlock themselves are in sync_mutex_calls.c.
 *
 * The type of a mutex is read from the C library's own structure (struct __pthread_mutex_s), whose
 * layout is part of its binary interface.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/sync.h"

#include <errno.h>
#include <limits.h>

enum { /* bits of __kind */
    TYPE = 3,
    ROBUST = 16,
    SHARED = 128, /* set for robust ones as well */
};
#define NOT_RECOVERABLE (INT_MAX - 1) /* as owner */

static struct {
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_trylock) trylock;
    __typeof__(&pthread_mutex_timedlock) timedlock;
    __typeof__(&pthread_mutex_clocklock) clocklock;
    __typeof__(&pthread_mutex_unlock) unlock;
    __typeof__(&pthread_mutex_init) init;
    __typeof__(&pthread_mutex_destroy) destroy;
    __typeof__(&pthread_mutex_setprioceiling) setprioceiling;
} real;

void (*fw_mutex_follow)(const void *mutex, bool locked);

/* --- time ---------------------------------------------------------------------------------- */

bool fw_clock_is_valid(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

bool fw_time_is_valid(const struct timespec *when)
{
    return when->tv_nsec >= 0 && when->tv_nsec < 1000000000;
}

uint64_t fw_deadline(clockid_t clock, const struct timespec *when)
{
    struct timespec now;
    int64_t left;

    if (when->tv_sec < 0)
        return 0;
    clock_gettime(clock, &now);
    if (when->tv_sec - now.tv_sec > 1000000000)
        return FW_NO_DEADLINE;
    left = (int64_t)(when->tv_sec - now.tv_sec) * FW_SECOND + (when->tv_nsec - now.tv_nsec);
    return left <= 0 ? 0 : fw_now() + (uint64_t)left;
}

uint64_t fw_limit_deadline(struct fw_limit limit)
{
    return limit.clock < 0 ? FW_NO_DEADLINE : fw_deadline(limit.clock, limit.when);
}

uint64_t fw_poll_deadline(uint64_t deadline)
{
    uint64_t poll = fw_now() + FW_POLL;

    return deadline < poll ? deadline : poll;
}

/* --- what a mutex is ----------------------------------------------------------------------- */

static bool is_robust(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & ROBUST;
}

static bool is_shared(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & (SHARED | ROBUST)) == SHARED;
}

static bool is_held_again(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & TYPE) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1;
}

static bool deadlocks(const struct fw_thread *t, const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & TYPE) == PTHREAD_MUTEX_ERRORCHECK &&
           mutex->__data.__owner == t->tid;
}

/* --- taking and giving --------------------------------------------------------------------- */

/*
 * The real trylock leaves a mutex that is not recoverable locked, which the real lock does not: so
 * that one says it.
 */
static int try_to_lock(struct fw_thread *t, pthread_mutex_t *mutex)
{
    int status;

    if (!is_robust(mutex) || mutex->__data.__owner != NOT_RECOVERABLE)
        return real.trylock(mutex);
    FW_REAL(real.lock, "pthread_mutex_lock");
    fw_outside_begin(t);
    status = real.lock(mutex);
    fw_outside_end(t);
    return status;
}

static int wait_in_kernel(struct fw_thread *t, pthread_mutex_t *mutex, struct fw_limit limit)
{
    int status;

    fw_unmodelled("process-shared mutex");
    FW_REAL(real.lock, "pthread_mutex_lock");
    FW_REAL(real.clocklock, "pthread_mutex_clocklock");
    FW_REAL(real.timedlock, "pthread_mutex_timedlock");
    fw_outside_begin(t);
    if (limit.clock < 0)
        status = real.lock(mutex);
    else if (limit.clock == CLOCK_REALTIME)
        status = real.timedlock(mutex, limit.when);
    else
        status = real.clocklock(mutex, limit.clock, limit.when);
    fw_outside_end(t);
    return status;
}

static int wait_virtually(struct fw_thread *t, pthread_mutex_t *mutex, uint64_t deadline)
{
    bool late = false;

    for (;;) {
        bool unseen = is_robust(mutex) || !fw_lock_is_held(mutex);
        uint64_t until = unseen ? fw_poll_deadline(deadline) : deadline;
        int status;

        if (fw_block(t, mutex, until, until == deadline ? FW_BLOCK_TIMED : 0) == FW_TIMED_OUT &&
            until == deadline)
            late = true;
        status = try_to_lock(t, mutex);
        if (status != EBUSY)
            return status;
        if (late)
            return ETIMEDOUT;
    }
}

static int wait_for(struct fw_thread *t, pthread_mutex_t *mutex, struct fw_limit limit,
                    uintptr_t pc)
{
    int status;

    if (deadlocks(t, mutex))
        return EDEADLK;
    if (limit.clock >= 0 && !fw_time_is_valid(limit.when))
        return EINVAL;
    if (is_shared(mutex))
        return wait_in_kernel(t, mutex, limit);
    if (limit.clock >= 0)
        return wait_virtually(t, mutex, fw_limit_deadline(limit));
    fw_wait_begin(t, FW_WIRE_WAIT_LOCK, mutex, pc);
    status = wait_virtually(t, mutex, FW_NO_DEADLINE);
    fw_wait_end(t);
    return status;
}

/* Memory of a robust mutex may be used for another one. */
static void note_robust(const pthread_mutex_t *mutex)
{
    static bool any;
    bool robust = is_robust(mutex);
    struct fw_cell *cell;

    any |= robust;
    cell = any ? fw_cell_get(FW_CELL_LOCK, mutex, 0) : NULL;
    if (cell && !cell->of.lock.holder)
        cell->of.lock.robust = robust;
}

static void got(struct fw_thread *t, pthread_mutex_t *mutex, enum fw_wire_kind kind, uintptr_t pc)
{
    if (is_held_again(mutex))
        return;
    note_robust(mutex);
    fw_lock_got(t, mutex, kind, pc);
}

int fw_mutex_lock(struct fw_thread *t, pthread_mutex_t *mutex, enum fw_wire_kind kind,
                  struct fw_limit limit, uintptr_t pc)
{
    int status;

    FW_REAL(real.trylock, "pthread_mutex_trylock");
    status = try_to_lock(t, mutex);
    if (status == EBUSY)
        status = wait_for(t, mutex, limit, pc);
    if (status == 0 || status == EOWNERDEAD)
        got(t, mutex, kind, pc);
    else if (status == ETIMEDOUT)
        fw_lock_failed(t, mutex, pc);
    return status;
}

int fw_mutex_try(struct fw_thread *t, pthread_mutex_t *mutex, uintptr_t pc)
{
    int status;

    FW_REAL(real.trylock, "pthread_mutex_trylock");
    status = real.trylock(mutex);
    if (status == 0 || status == EOWNERDEAD) {
        got(t, mutex, FW_WIRE_TRY_ACQUIRE, pc);
    } else if (status == EBUSY) {
        fw_lock_failed(t, mutex, pc);
        fw_control_in_vain(t, mutex); /* it may be tried again until it is free */
    }
    return status;
}

int fw_mutex_unlock(struct fw_thread *t, pthread_mutex_t *mutex, uintptr_t pc)
{
    bool inner = is_held_again(mutex), robust = is_robust(mutex);
    int status;

    FW_REAL(real.unlock, "pthread_mutex_unlock");
    status = real.unlock(mutex);
    if (status != 0 || inner)
        return status;
    fw_lock_released(t, mutex, pc);
    fw_wake(mutex, robust ? FW_WAKE_ALL : 1, 0); /* all learn that it is not recoverable */
    return 0;
}

/* --- interceptors -------------------------------------------------------------------------- */

FW_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    FW_REAL(real.trylock, "pthread_mutex_trylock");
    if (!t)
        return real.trylock(mutex);
    fw_point(t);
    status = fw_mutex_try(t, mutex, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *when)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    FW_REAL(real.timedlock, "pthread_mutex_timedlock");
    if (!t)
        return real.timedlock(mutex, when);
    fw_point(t);
    status = fw_mutex_lock(t, mutex, FW_WIRE_TRY_ACQUIRE,
                           (struct fw_limit) { CLOCK_REALTIME, when }, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                      const struct timespec *when)
{
    struct fw_thread *t;
    int status;

    FW_REAL(real.clocklock, "pthread_mutex_clocklock");
    t = fw_clock_is_valid(clock) ? fw_enter_on(mutex) : NULL;
    if (!t)
        return real.clocklock(mutex, clock, when);
    fw_point(t);
    status = fw_mutex_lock(t, mutex, FW_WIRE_TRY_ACQUIRE, (struct fw_limit) { clock, when }, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    struct fw_thread *t = fw_enter();
    int status;

    FW_REAL(real.init, "pthread_mutex_init");
    status = real.init(mutex, attributes);
    if (!t)
        return status;
    if (status == 0)
        fw_lock_gone(t, mutex, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct fw_thread *t = fw_enter();
    int status;

    FW_REAL(real.destroy, "pthread_mutex_destroy");
    status = real.destroy(mutex);
    if (!t)
        return status;
    if (status == 0)
        fw_lock_gone(t, mutex, FW_PC);
    fw_leave(t);
    return status;
}

/* Locks the mutex for some moments, inside the C library. */
FW_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    FW_REAL(real.setprioceiling, "pthread_mutex_setprioceiling");
    if (!t)
        return real.setprioceiling(mutex, ceiling, old);
    fw_outside_begin(t);
    status = real.setprioceiling(mutex, ceiling, old);
    fw_outside_end(t);
    fw_wake(mutex, FW_WAKE_ALL, 0);
    fw_leave(t);
    return status;
}
