/*
 * sync_mutex_calls.c - pthread_mutex_lock and pthread_mutex_unlock (where threads are guarded:
 * src/guard/mutexes.c).
 */
#include "runtime/sync.h"

static struct {
    __typeof__(&pthread_mutex_lock) lock;
    __typeof__(&pthread_mutex_unlock) unlock;
} real;

FW_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    FW_REAL(real.lock, "pthread_mutex_lock");
    if (!t) {
        status = real.lock(mutex);
        if (FW_UNLIKELY(fw_mutex_follow != NULL) && status == 0)
            fw_mutex_follow(mutex, true);
        return status;
    }
    fw_point(t);
    status = fw_mutex_lock(t, mutex, FW_WIRE_ACQUIRE, FW_UNLIMITED, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    FW_REAL(real.unlock, "pthread_mutex_unlock");
    if (!t) {
        if (FW_UNLIKELY(fw_mutex_follow != NULL))
            fw_mutex_follow(mutex, false);
        status = real.unlock(mutex);
        fw_changed_unseen();
        return status;
    }
    status = fw_mutex_unlock(t, mutex, FW_PC);
    fw_point(t);
    fw_leave(t);
    return status;
}
