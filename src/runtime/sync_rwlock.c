/*
 * sync_rwlock.c - read-write locks.
 *
 * Taken with the real try functions, like mutexes; who holds the lock for writing and asks again is
 * told so (EDEADLK), as the C library does.  Since nobody waits in the real lock, it would not know
 * that writers wait: a lock that prefers writers is kept from readers here.
 *
 * The writer, the preference and whether processes share the lock are read from the C library's own
 * structure (struct __pthread_rwlock_arch_t), whose layout is part of its binary interface.
 */
#include "runtime/control.h"
#include "runtime/sync.h"

#include <errno.h>

static struct {
    __typeof__(&pthread_rwlock_rdlock) rdlock;
    __typeof__(&pthread_rwlock_wrlock) wrlock;
    __typeof__(&pthread_rwlock_tryrdlock) tryrdlock;
    __typeof__(&pthread_rwlock_trywrlock) trywrlock;
    __typeof__(&pthread_rwlock_timedrdlock) timedrdlock;
    __typeof__(&pthread_rwlock_timedwrlock) timedwrlock;
    __typeof__(&pthread_rwlock_clockrdlock) clockrdlock;
    __typeof__(&pthread_rwlock_clockwrlock) clockwrlock;
    __typeof__(&pthread_rwlock_unlock) unlock;
    __typeof__(&pthread_rwlock_init) init;
    __typeof__(&pthread_rwlock_destroy) destroy;
} real;

static void find_real(void)
{
    if (FW_LIKELY(real.destroy))
        return;
    FW_REAL(real.rdlock, "pthread_rwlock_rdlock");
    FW_REAL(real.wrlock, "pthread_rwlock_wrlock");
    FW_REAL(real.tryrdlock, "pthread_rwlock_tryrdlock");
    FW_REAL(real.trywrlock, "pthread_rwlock_trywrlock");
    FW_REAL(real.timedrdlock, "pthread_rwlock_timedrdlock");
    FW_REAL(real.timedwrlock, "pthread_rwlock_timedwrlock");
    FW_REAL(real.clockrdlock, "pthread_rwlock_clockrdlock");
    FW_REAL(real.clockwrlock, "pthread_rwlock_clockwrlock");
    FW_REAL(real.unlock, "pthread_rwlock_unlock");
    FW_REAL(real.init, "pthread_rwlock_init");
    FW_REAL(real.destroy, "pthread_rwlock_destroy");
}

/* Writers wait, and this lock lets them go first. */
static bool is_kept_for_writers(const pthread_rwlock_t *lock)
{
    const struct fw_cell *cell;

    if (lock->__data.__flags != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return false;
    cell = fw_cell_find(FW_CELL_LOCK, lock, 0);
    return cell && cell->of.lock.writers;
}

static int try_lock(pthread_rwlock_t *lock, bool write)
{
    if (write)
        return real.trywrlock(lock);
    return is_kept_for_writers(lock) ? EBUSY : real.tryrdlock(lock);
}

static int wait_in_kernel(struct fw_thread *t, pthread_rwlock_t *lock, bool write,
                          struct fw_limit limit)
{
    int status;

    fw_unmodelled("process-shared read-write lock");
    fw_outside_begin(t);
    if (limit.clock < 0)
        status = (write ? real.wrlock : real.rdlock)(lock);
    else
        status = (write ? real.clockwrlock : real.clockrdlock)(lock, limit.clock, limit.when);
    fw_outside_end(t);
    return status;
}

static int wait_virtually(struct fw_thread *t, pthread_rwlock_t *lock, bool write,
                          struct fw_limit limit)
{
    uint64_t deadline = fw_limit_deadline(limit);
    bool late = false;

    for (;;) {
        uint64_t until = fw_lock_is_held(lock) ? deadline : fw_poll_deadline(deadline);
        int status;

        if (fw_block(t, lock, until, until == deadline ? FW_BLOCK_TIMED : 0) == FW_TIMED_OUT &&
            until == deadline)
            late = true;
        status = try_lock(lock, write);
        if (status != EBUSY)
            return status;
        if (late)
            return ETIMEDOUT;
    }
}

static int wait_for(struct fw_thread *t, pthread_rwlock_t *lock, bool write, struct fw_limit limit,
                    uintptr_t pc)
{
    struct fw_cell *cell;
    int status;

    if (lock->__data.__cur_writer == t->tid)
        return EDEADLK;
    if (lock->__data.__shared)
        return wait_in_kernel(t, lock, write, limit);
    cell = write ? fw_cell_get(FW_CELL_LOCK, lock, 0) : NULL;
    if (cell)
        cell->of.lock.writers++;
    if (limit.clock < 0)
        fw_wait_begin(t, write ? FW_WIRE_WAIT_LOCK : FW_WIRE_WAIT_SHARED, lock, pc);
    status = wait_virtually(t, lock, write, limit);
    fw_wait_end(t);
    if (cell) {
        cell->of.lock.writers--;
        if (status != 0) /* readers may have waited for us */
            fw_wake(lock, FW_WAKE_ALL, 0);
    }
    return status;
}

static int acquire(pthread_rwlock_t *lock, bool write, struct fw_limit limit, struct fw_thread *t,
                   uintptr_t pc)
{
    bool timed = limit.clock >= 0;
    int status;

    fw_point(t);
    status = try_lock(lock, write);
    if (status == EBUSY)
        status = wait_for(t, lock, write, limit, pc);
    if (status == 0)
        fw_lock_got(t, lock,
                    write   ? timed ? FW_WIRE_TRY_ACQUIRE : FW_WIRE_ACQUIRE
                    : timed ? FW_WIRE_TRY_SHARED_ACQUIRE
                            : FW_WIRE_SHARED_ACQUIRE,
                    pc);
    else if (status == ETIMEDOUT)
        fw_lock_failed(t, lock, pc);
    fw_leave(t);
    return status;
}

static int acquire_now(pthread_rwlock_t *lock, bool write, struct fw_thread *t, uintptr_t pc)
{
    int status;

    fw_point(t);
    status = try_lock(lock, write);
    if (status == 0) {
        fw_lock_got(t, lock, write ? FW_WIRE_TRY_ACQUIRE : FW_WIRE_TRY_SHARED_ACQUIRE, pc);
    } else if (status == EBUSY) {
        fw_lock_failed(t, lock, pc);
        fw_control_in_vain(t, lock); /* it may be tried again until it is free */
    }
    fw_leave(t);
    return status;
}

/* --- interceptors -------------------------------------------------------------------------- */

FW_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter_on(lock);

    find_real();
    return t ? acquire(lock, false, FW_UNLIMITED, t, FW_PC) : real.rdlock(lock);
}

FW_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter_on(lock);

    find_real();
    return t ? acquire(lock, true, FW_UNLIMITED, t, FW_PC) : real.wrlock(lock);
}

FW_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter_on(lock);

    find_real();
    return t ? acquire_now(lock, false, t, FW_PC) : real.tryrdlock(lock);
}

FW_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter_on(lock);

    find_real();
    return t ? acquire_now(lock, true, t, FW_PC) : real.trywrlock(lock);
}

/* The C library looks at clock and time first, also if the lock is free. */
static struct fw_thread *enter_timed(const pthread_rwlock_t *lock, clockid_t clock,
                                     const struct timespec *when, const char *name, uintptr_t pc)
{
    find_real();
    if (!fw_clock_is_valid(clock) || !fw_time_is_valid(when))
        return NULL;
    return fw_enter_at(pc, name, lock);
}

FW_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *when)
{
    struct fw_thread *t = enter_timed(lock, CLOCK_REALTIME, when, __func__, FW_PC);

    return t ? acquire(lock, false, (struct fw_limit) { CLOCK_REALTIME, when }, t, FW_PC)
             : real.timedrdlock(lock, when);
}

FW_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *when)
{
    struct fw_thread *t = enter_timed(lock, CLOCK_REALTIME, when, __func__, FW_PC);

    return t ? acquire(lock, true, (struct fw_limit) { CLOCK_REALTIME, when }, t, FW_PC)
             : real.timedwrlock(lock, when);
}

FW_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *when)
{
    struct fw_thread *t = enter_timed(lock, clock, when, __func__, FW_PC);

    return t ? acquire(lock, false, (struct fw_limit) { clock, when }, t, FW_PC)
             : real.clockrdlock(lock, clock, when);
}

FW_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                         const struct timespec *when)
{
    struct fw_thread *t = enter_timed(lock, clock, when, __func__, FW_PC);

    return t ? acquire(lock, true, (struct fw_limit) { clock, when }, t, FW_PC)
             : real.clockwrlock(lock, clock, when);
}

FW_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter_on(lock);
    int status;

    find_real();
    status = real.unlock(lock);
    if (!t) {
        fw_changed_unseen();
        return status;
    }
    if (status == 0) {
        fw_lock_released(t, lock, FW_PC);
        fw_wake(lock, FW_WAKE_ALL, 0);
        fw_point(t);
    }
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    struct fw_thread *t = fw_enter();
    int status;

    find_real();
    status = real.init(lock, attributes);
    if (!t)
        return status;
    if (status == 0)
        fw_lock_gone(t, lock, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct fw_thread *t = fw_enter();
    int status;

    find_real();
    status = real.destroy(lock);
    if (!t)
        return status;
    if (status == 0)
        fw_lock_gone(t, lock, FW_PC);
    fw_leave(t);
    return status;
}
