/*
 * cancel.c - cancellation of threads.
 *
 * The C library cancels; what it does not know is that a thread of ours waits (fw_block says so),
 * and it must not cancel inside the runtime.  So the real type of cancellation is always deferred.
 * A thread that asked for the asynchronous one is cancelled at its next hook, or where it waits.
 */
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/sync.h"

#include <errno.h>

static struct {
    __typeof__(&pthread_cancel) cancel;
    __typeof__(&pthread_testcancel) testcancel;
    __typeof__(&pthread_setcancelstate) setcancelstate;
    __typeof__(&pthread_setcanceltype) setcanceltype;
    __typeof__(&pthread_exit) exit;
} real;

static void find_real(void)
{
    if (FW_LIKELY(real.exit))
        return;
    FW_REAL(real.cancel, "pthread_cancel");
    FW_REAL(real.testcancel, "pthread_testcancel");
    FW_REAL(real.setcancelstate, "pthread_setcancelstate");
    FW_REAL(real.setcanceltype, "pthread_setcanceltype");
    FW_REAL(real.exit, "pthread_exit");
}

static bool is_enabled(void)
{
    int state = PTHREAD_CANCEL_DISABLE;

    find_real();
    real.setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (state == PTHREAD_CANCEL_ENABLE)
        real.setcancelstate(state, NULL);
    return state == PTHREAD_CANCEL_ENABLE;
}

unsigned fw_cancel_flag(struct fw_thread *t)
{
    return !fw_extra(t)->exiting && is_enabled() ? FW_BLOCK_CANCEL : 0;
}

/* What follows comes after pthread_cancel. */
void fw_cancel_reached(struct fw_thread *t)
{
    if (t->cancelled)
        fw_sync(t, FW_WIRE_AFTER, t, 0);
}

void fw_cancel_act(struct fw_thread *t)
{
    find_real();
    fw_extra(t)->exiting = true; /* if it has no effect the thread is ending already */
    t->inside++;
    fw_token_regain(t);
    fw_cancel_reached(t);
    t->inside--;
    real.testcancel();
}

void fw_cancel_let(struct fw_thread *t)
{
    if (!t->cancelled || !fw_cancel_flag(t))
        return;
    fw_leave(t);
    fw_cancel_act(t);
    fw_enter_again();
}

void fw_cancel_test(void)
{
    find_real();
    real.testcancel();
}

bool fw_cancel_is_due(struct fw_thread *t)
{
    const struct fw_thread_extra *extra = fw_extra(t);

    return t->cancelled && extra->async && !extra->exiting && is_enabled();
}

void fw_cancel_at_hook(struct fw_thread *t)
{
    bool due;

    t->inside++;
    due = fw_cancel_is_due(t);
    t->inside--;
    if (due)
        fw_cancel_act(t);
}

FW_EXPORT int pthread_cancel(pthread_t handle)
{
    /* At whatever call the other one acts upon it: that depends on this. */
    struct fw_thread *t = fw_control_on ? fw_enter_effect(FW_ON_ALL)
                                        : fw_enter_on((const void *)handle);
    struct fw_thread *other;
    bool now = false;
    int status;

    find_real();
    other = t ? fw_thread_find(handle) : NULL;
    if (other)
        fw_sync(t, FW_WIRE_BEFORE, other, FW_PC);
    status = real.cancel(handle);
    if (!t)
        return status;
    if (other && status == 0) {
        fw_thread_cancelled(other);
        now = other == t && fw_cancel_is_due(t);
    }
    fw_point(t);
    fw_leave(t);
    if (now)
        fw_cancel_act(t);
    return status;
}

FW_EXPORT void pthread_testcancel(void)
{
    struct fw_thread *t = fw_control_on ? fw_enter_effect(FW_LOOK_AT_LIBC(FW_LIBC_CANCELS))
                                        : fw_enter();

    find_real();
    if (t) {
        if (!fw_control_on)
            fw_yield(t); /* a loop may do nothing else until it is cancelled */
        fw_leave(t);
    }
    real.testcancel();
}

FW_EXPORT int pthread_setcancelstate(int state, int *old)
{
    struct fw_thread *t = fw_enter();
    bool due;
    int status;

    find_real();
    status = real.setcancelstate(state, old);
    if (!t)
        return status;
    due = fw_cancel_is_due(t);
    fw_leave(t);
    if (due)
        fw_cancel_act(t);
    return status;
}

FW_EXPORT int pthread_setcanceltype(int type, int *old)
{
    struct fw_thread *t = fw_enter();
    struct fw_thread_extra *extra;
    bool due;

    find_real();
    if (!t)
        return real.setcanceltype(type, old);
    if (fw_control_on && type == PTHREAD_CANCEL_ASYNCHRONOUS)
        fw_control->chances |= FW_CHANCE_SIGNALS;
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) {
        fw_leave(t);
        return EINVAL;
    }
    extra = fw_extra(t);
    if (old)
        *old = extra->async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    extra->async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    due = fw_cancel_is_due(t);
    fw_leave(t);
    if (due)
        fw_cancel_act(t);
    return 0;
}

FW_EXPORT void pthread_exit(void *result)
{
    struct fw_thread *t = fw_enter();

    find_real();
    if (t) {
        fw_extra(t)->exiting = true;
        fw_leave(t);
    }
    real.exit(result);
    __builtin_unreachable();
}
