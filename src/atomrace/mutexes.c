/*
 * mutexes.c - pthread_mutex_lock and pthread_mutex_unlock where threads run in parallel: nobody has
 * a token, so that they are the real functions, and what somebody wants to know of calls
 * (fw_enter_at) is told only if there is somebody.  src/runtime/sync_mutex_calls.c is the serial
 * kind.
 *
 * Programs call these so often that what an interceptor costs is part of what a run costs.
 */
#include "atomrace/heal_hold_state.h"

#include <pthread.h>

static struct {
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_unlock) unlock;
} real;

/* Does nobody want to know of calls? */
static inline bool is_plain(void)
{
    return FW_LIKELY(!fw_hot.regions && !fw_mutex_follow && !fw_calls_follow);
}

/* Before a call that may wait.  What is healed, and over, goes; that may be all there is to do. */
static inline void tell(const pthread_mutex_t *mutex, uintptr_t pc, const char *name)
{
    if (fw_mutex_follow && (!fw_hot.regions || fw_holds_go_quickly()))
        return;
    fw_enter_at(pc, name, mutex);
}

static __attribute__((noinline)) int lock(pthread_mutex_t *mutex, uintptr_t pc)
{
    int status;

    tell(mutex, pc, "pthread_mutex_lock");
    FW_REAL(real.lock, "pthread_mutex_lock");
    status = real.lock(mutex);
    if (fw_mutex_follow && status == 0)
        fw_holds_locked(mutex);
    return status;
}

FW_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return FW_LIKELY(is_plain() && real.lock) ? real.lock(mutex) : lock(mutex, FW_PC);
}

static __attribute__((noinline)) int unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
    tell(mutex, pc, "pthread_mutex_unlock");
    FW_REAL(real.unlock, "pthread_mutex_unlock");
    if (fw_mutex_follow)
        fw_holds_unlocks(mutex);
    return real.unlock(mutex);
}

FW_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return FW_LIKELY(is_plain() && real.unlock) ? real.unlock(mutex) : unlock(mutex, FW_PC);
}
