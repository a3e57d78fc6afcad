/*
 * sync_spin.c - spin locks, and yielding.
 *
 * Who spins would keep the token from the one who can release: spinning is blocking here.  A spin
 * lock does not say whether processes share it, so who waits looks again every now and then, unless
 * one of our own threads holds it.
 */
#include "runtime/control.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sched.h>
#include <threads.h>

static struct {
    __typeof__(&pthread_spin_lock) lock;
    __typeof__(&pthread_spin_trylock) trylock;
    __typeof__(&pthread_spin_unlock) unlock;
    __typeof__(&pthread_spin_init) init;
    __typeof__(&pthread_spin_destroy) destroy;
    __typeof__(&sched_yield) yield;
} real;

FW_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct fw_thread *t = fw_enter_on((const void *)(uintptr_t)lock);

    FW_REAL(real.lock, "pthread_spin_lock");
    if (!t)
        return real.lock(lock);
    FW_REAL(real.trylock, "pthread_spin_trylock");
    fw_point(t);
    if (real.trylock(lock) != 0) {
        fw_wait_begin(t, FW_WIRE_WAIT_LOCK, (const void *)lock, FW_PC);
        do
            fw_block(t, (const void *)lock,
                     fw_lock_is_held((const void *)lock) ? FW_NO_DEADLINE
                                                         : fw_poll_deadline(FW_NO_DEADLINE),
                     0);
        while (real.trylock(lock) != 0);
        fw_wait_end(t);
    }
    fw_lock_got(t, (const void *)lock, FW_WIRE_ACQUIRE, FW_PC);
    fw_leave(t);
    return 0;
}

FW_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct fw_thread *t = fw_enter_on((const void *)(uintptr_t)lock);
    int status;

    FW_REAL(real.trylock, "pthread_spin_trylock");
    if (!t)
        return real.trylock(lock);
    fw_point(t);
    status = real.trylock(lock);
    if (status == 0) {
        fw_lock_got(t, (const void *)lock, FW_WIRE_TRY_ACQUIRE, FW_PC);
    } else {
        fw_lock_failed(t, (const void *)lock, FW_PC);
        fw_control_in_vain(t, (const void *)lock); /* it may be tried until it is free */
    }
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct fw_thread *t = fw_enter_on((const void *)(uintptr_t)lock);
    int status;

    FW_REAL(real.unlock, "pthread_spin_unlock");
    status = real.unlock(lock);
    if (!t)
        return status;
    fw_lock_released(t, (const void *)lock, FW_PC);
    fw_wake((const void *)lock, 1, 0);
    fw_point(t);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    struct fw_thread *t = fw_enter();
    int status;

    FW_REAL(real.init, "pthread_spin_init");
    status = real.init(lock, shared);
    if (!t)
        return status;
    if (shared == PTHREAD_PROCESS_SHARED)
        fw_unmodelled("process-shared spin lock");
    fw_lock_gone(t, (const void *)lock, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct fw_thread *t = fw_enter();
    int status;

    FW_REAL(real.destroy, "pthread_spin_destroy");
    status = real.destroy(lock);
    if (!t)
        return status;
    fw_lock_gone(t, (const void *)lock, FW_PC);
    fw_leave(t);
    return status;
}

/* --- yielding ------------------------------------------------------------------------------ */

static int yield(void)
{
    struct fw_thread *t = fw_enter();

    FW_REAL(real.yield, "sched_yield");
    if (t) {
        fw_control_in_vain(t, &real);
        fw_leave(t);
    }
    return real.yield(); /* for those who wait for another process */
}

FW_EXPORT int sched_yield(void)
{
    return yield();
}

/* <pthread.h> makes this name the other one. */
FW_EXPORT int fw_pthread_yield(void) __asm__("pthread_yield");
FW_EXPORT int fw_pthread_yield(void)
{
    return yield();
}

FW_EXPORT void thrd_yield(void)
{
    yield();
}
