/*
 * sync_mutex_calls.c - pthread_mutex_lock and pthread_mutex_unlock (where threads are guarded:
 * src/guard/mutexes.c).
 */
#include "runtime/control_quick.h"
#include "runtime/sync.h"

static struct {
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_unlock) unlock;
} real;

static __attribute__((noinline)) int lock(pthread_mutex_t *mutex, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "pthread_mutex_lock", mutex);
    int status;

    FW_REAL(real.lock, "pthread_mutex_lock");
    if (!t) {
        status = real.lock(mutex);
        if (FW_UNLIKELY(fw_mutex_follow != NULL) && status == 0)
            fw_mutex_follow(mutex, true);
        return status;
    }
    if (FW_UNLIKELY(fw_control_thin))
        fw_quick_learn(t, false, pc);
    fw_point(t);
    status = fw_mutex_lock(t, mutex, FW_WIRE_ACQUIRE, FW_UNLIMITED, pc);
    fw_leave(t);
    return status;
}

static __attribute__((noinline)) int unlock(pthread_mutex_t *mutex, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "pthread_mutex_unlock", mutex);
    int status;

    FW_REAL(real.unlock, "pthread_mutex_unlock");
    if (!t) {
        if (FW_UNLIKELY(fw_mutex_follow != NULL))
            fw_mutex_follow(mutex, false);
        status = real.unlock(mutex);
        fw_changed_unseen();
        return status;
    }
    if (FW_UNLIKELY(fw_control_thin))
        fw_quick_learn(t, true, pc);
    status = fw_mutex_unlock(t, mutex, pc);
    fw_point(t);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (fw_control_calm && fw_quick_lock(mutex, FW_PC))
        return 0;
    return lock(mutex, FW_PC);
}

FW_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (fw_control_calm && fw_quick_unlock(mutex, FW_PC))
        return 0;
    return unlock(mutex, FW_PC);
}
