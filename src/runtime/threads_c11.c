/*
 * threads_c11.c - the threads of C11, which are the POSIX ones in other clothes.
 *
 * The C library's own functions call each other inside, where nobody can stand between: so these
 * are written anew.  mtx_t is a pthread_mutex_t, cnd_t a pthread_cond_t, thrd_t a pthread_t, and
 * errors are told in fewer words.
 */
#include "runtime/sync.h"

#include <errno.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "a handle");

static struct {
    __typeof__(&thrd_create) thrd_create;
    __typeof__(&thrd_join) thrd_join;
    __typeof__(&thrd_detach) thrd_detach;
    __typeof__(&thrd_exit) thrd_exit;
    __typeof__(&mtx_init) mtx_init;
    __typeof__(&mtx_lock) mtx_lock;
    __typeof__(&mtx_trylock) mtx_trylock;
    __typeof__(&mtx_timedlock) mtx_timedlock;
    __typeof__(&mtx_unlock) mtx_unlock;
    __typeof__(&mtx_destroy) mtx_destroy;
    __typeof__(&cnd_init) cnd_init;
    __typeof__(&cnd_wait) cnd_wait;
    __typeof__(&cnd_timedwait) cnd_timedwait;
    __typeof__(&cnd_signal) cnd_signal;
    __typeof__(&cnd_broadcast) cnd_broadcast;
    __typeof__(&cnd_destroy) cnd_destroy;
} real;

#define REAL(name) FW_REAL(real.name, #name)

static int in_c11(int status)
{
    switch (status) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

/* --- threads ------------------------------------------------------------------------------- */

FW_EXPORT int thrd_create(thrd_t *handle, thrd_start_t start, void *argument)
{
    struct fw_thread *t = fw_enter_on(handle);
    struct fw_thread_extra what = { .start_c11 = start, .argument = argument };
    int status;

    REAL(thrd_create);
    if (!t) {
        status = fw_threads_create_otherwise(handle, NULL, &what, FW_PC);
        return status == FW_CREATE_PLAINLY ? real.thrd_create(handle, start, argument)
                                           : in_c11(status);
    }
    status = fw_threads_create(t, handle, NULL, &what, FW_PC);
    fw_point(t);
    fw_leave(t);
    return in_c11(status);
}

FW_EXPORT int thrd_join(thrd_t handle, int *result)
{
    struct fw_thread *t = fw_enter_on((const void *)handle);
    void *value = NULL;
    bool cancelled;
    int status;

    REAL(thrd_join);
    if (!t)
        return real.thrd_join(handle, result);
    status = fw_threads_join(t, handle, &value, FW_UNLIMITED, &cancelled, FW_PC);
    fw_leave(t);
    while (cancelled) {
        fw_cancel_act(t);
        t = fw_enter_again();
        status = fw_threads_join(t, handle, &value, FW_UNLIMITED, &cancelled, FW_PC);
        fw_leave(t);
    }
    if (status == 0 && result)
        *result = (int)(intptr_t)value;
    return in_c11(status);
}

FW_EXPORT int thrd_detach(thrd_t handle)
{
    struct fw_thread *t = fw_enter_on((const void *)handle);
    int status;

    REAL(thrd_detach);
    if (!t)
        return real.thrd_detach(handle);
    status = fw_threads_detach(t, handle);
    fw_leave(t);
    return in_c11(status);
}

FW_EXPORT void thrd_exit(int result)
{
    struct fw_thread *t = fw_enter();

    REAL(thrd_exit);
    if (t) {
        fw_extra(t)->exiting = true;
        fw_leave(t);
    }
    real.thrd_exit(result);
    __builtin_unreachable();
}

/* --- mutexes ------------------------------------------------------------------------------- */

FW_EXPORT int mtx_init(mtx_t *mutex, int type)
{
    struct fw_thread *t = fw_enter();
    int status;

    REAL(mtx_init);
    status = real.mtx_init(mutex, type);
    if (!t)
        return status;
    if (status == thrd_success)
        fw_lock_gone(t, mutex, FW_PC);
    fw_leave(t);
    return status;
}

FW_EXPORT void mtx_destroy(mtx_t *mutex)
{
    struct fw_thread *t = fw_enter();

    REAL(mtx_destroy);
    real.mtx_destroy(mutex);
    if (!t)
        return;
    fw_lock_gone(t, mutex, FW_PC);
    fw_leave(t);
}

FW_EXPORT int mtx_lock(mtx_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    REAL(mtx_lock);
    if (!t)
        return real.mtx_lock(mutex);
    fw_point(t);
    status = fw_mutex_lock(t, (pthread_mutex_t *)mutex, FW_WIRE_ACQUIRE, FW_UNLIMITED, FW_PC);
    fw_leave(t);
    return in_c11(status);
}

FW_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict when)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    REAL(mtx_timedlock);
    if (!t)
        return real.mtx_timedlock(mutex, when);
    fw_point(t);
    status = fw_mutex_lock(t, (pthread_mutex_t *)mutex, FW_WIRE_TRY_ACQUIRE,
                           (struct fw_limit) { CLOCK_REALTIME, when }, FW_PC);
    fw_leave(t);
    return in_c11(status);
}

FW_EXPORT int mtx_trylock(mtx_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    REAL(mtx_trylock);
    if (!t)
        return real.mtx_trylock(mutex);
    fw_point(t);
    status = fw_mutex_try(t, (pthread_mutex_t *)mutex, FW_PC);
    fw_leave(t);
    return in_c11(status);
}

FW_EXPORT int mtx_unlock(mtx_t *mutex)
{
    struct fw_thread *t = fw_enter_on(mutex);
    int status;

    REAL(mtx_unlock);
    if (!t) {
        status = real.mtx_unlock(mutex);
        fw_changed_unseen();
        return status;
    }
    status = fw_mutex_unlock(t, (pthread_mutex_t *)mutex, FW_PC);
    fw_point(t);
    fw_leave(t);
    return in_c11(status);
}

/* --- conditions ---------------------------------------------------------------------------- */

FW_EXPORT int cnd_init(cnd_t *cond)
{
    return in_c11(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

FW_EXPORT void cnd_destroy(cnd_t *cond)
{
    struct fw_thread *t = fw_enter();

    REAL(cnd_destroy);
    if (t) {
        fw_cond_destroy(t, (pthread_cond_t *)cond, FW_PC);
        fw_leave(t);
    }
    real.cnd_destroy(cond);
}

static int wait(struct fw_thread *t, cnd_t *cond, mtx_t *mutex, struct fw_limit limit, uintptr_t pc)
{
    bool cancelled;
    int status =
        fw_cond_wait(t, (pthread_cond_t *)cond, (pthread_mutex_t *)mutex, limit, &cancelled, pc);

    fw_leave(t);
    if (cancelled)
        fw_cancel_act(t);
    return in_c11(status);
}

FW_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    struct fw_thread *t = fw_enter_on(cond);

    REAL(cnd_wait);
    return t ? wait(t, cond, mutex, FW_UNLIMITED, FW_PC) : real.cnd_wait(cond, mutex);
}

FW_EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                            const struct timespec *restrict when)
{
    struct fw_thread *t = fw_enter_on(cond);

    REAL(cnd_timedwait);
    return t ? wait(t, cond, mutex, (struct fw_limit) { CLOCK_REALTIME, when }, FW_PC)
             : real.cnd_timedwait(cond, mutex, when);
}

static int notify(cnd_t *cond, bool all, const char *name, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, name, cond);

    REAL(cnd_signal);
    REAL(cnd_broadcast);
    if (!t) {
        fw_cond_notify_unseen();
        return (all ? real.cnd_broadcast : real.cnd_signal)(cond);
    }
    fw_cond_notify(t, (pthread_cond_t *)cond, all, pc);
    fw_point(t);
    fw_leave(t);
    return thrd_success;
}

FW_EXPORT int cnd_signal(cnd_t *cond)
{
    return notify(cond, false, __func__, FW_PC);
}

FW_EXPORT int cnd_broadcast(cnd_t *cond)
{
    return notify(cond, true, __func__, FW_PC);
}
