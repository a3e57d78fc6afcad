/*
 * threads_posix.c - creating, joining and detaching threads.
 *
 * The creator makes the thread known before it really exists; the new thread waits for the token
 * before it runs the program's routine.  A join is virtual until the other thread has done all that
 * it does for the program; the real join that follows takes a moment.  What the C library would say
 * to a thread that joins itself, to a second joiner and about a detached thread is said here, since
 * it cannot know of virtual joins.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/sync.h"
#include "runtime/values.h"

#include <errno.h>
#include <signal.h>

#define SMALL_STACK (256u * 1024) /* stacks below this get more: hooks run on them */
#define MORE_STACK  (64u * 1024)

static struct {
    __typeof__(&pthread_create) create;
    __typeof__(&pthread_join) join;
    __typeof__(&pthread_tryjoin_np) tryjoin;
    __typeof__(&pthread_timedjoin_np) timedjoin;
    __typeof__(&pthread_clockjoin_np) clockjoin;
    __typeof__(&pthread_detach) detach;
    __typeof__(&pthread_setname_np) setname;
    __typeof__(&pthread_setcancelstate) setcancelstate;
} real;

static void find_real(void)
{
    if (FW_LIKELY(real.setcancelstate))
        return;
    FW_REAL(real.create, "pthread_create");
    FW_REAL(real.join, "pthread_join");
    FW_REAL(real.tryjoin, "pthread_tryjoin_np");
    FW_REAL(real.timedjoin, "pthread_timedjoin_np");
    FW_REAL(real.clockjoin, "pthread_clockjoin_np");
    FW_REAL(real.detach, "pthread_detach");
    FW_REAL(real.setname, "pthread_setname_np");
    FW_REAL(real.setcancelstate, "pthread_setcancelstate");
}

struct fw_thread_extra *fw_extra(struct fw_thread *t)
{
    static struct fw_thread_extra none;

    _Static_assert(sizeof none <= 64, "fits into a piece");
    if (!t->extra)
        t->extra = fw_piece_get();
    if (t->extra)
        return t->extra;
    none = (struct fw_thread_extra) { 0 };
    return &none;
}

static void drop_extra(struct fw_thread *t)
{
    if (t->extra)
        fw_piece_drop(t->extra);
    t->extra = NULL;
}

/*
 * A thread that is not known yet, or no more, must not run handlers of the program.  What the C
 * library needs for itself, and mistakes, are let through.
 */
static uint64_t set_signals(uint64_t mask)
{
    uint64_t before = 0;

    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof mask);
    return before;
}

static uint64_t block_signals(void)
{
    static const int let_through[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 32, 33 };
    uint64_t mask = UINT64_MAX;

    for (unsigned i = 0; i < sizeof let_through / sizeof *let_through; i++)
        mask &= ~((uint64_t)1 << (let_through[i] - 1));
    return set_signals(mask);
}

/* --- creating ------------------------------------------------------------------------------ */

static void *run(void *argument)
{
    struct fw_thread *t = argument;
    const struct fw_thread_extra *extra = t->extra;
    void *(*start)(void *) = extra->start;
    int (*start_c11)(void *) = extra->start_c11;
    uint64_t signals = extra->signals;
    bool own_signals = extra->own_signals;

    argument = extra->argument;
    fw_thread_begin(t);
    if (!own_signals)
        set_signals(signals);
    return start ? start(argument) : (void *)(intptr_t)start_c11(argument);
}

/* The attributes to use: the program's, or `copy` with a stack that has room for us. */
static const pthread_attr_t *with_room(const pthread_attr_t *attributes, pthread_attr_t *copy)
{
    void *stack = NULL;
    size_t bytes = 0;

    if (!attributes || pthread_attr_getstack(attributes, &stack, &bytes) != 0)
        return attributes;
    if ((uintptr_t)stack + bytes != 0 || bytes >= SMALL_STACK || bytes < 16384)
        return attributes; /* the program's own memory, or large enough, or the default */
    *copy = *attributes;
    return pthread_attr_setstacksize(copy, bytes + MORE_STACK) == 0 ? copy : attributes;
}

static bool is_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;

    return attributes && pthread_attr_getdetachstate(attributes, &state) == 0 &&
           state == PTHREAD_CREATE_DETACHED;
}

static bool has_signals(const pthread_attr_t *attributes)
{
    sigset_t mask;

    return attributes && pthread_attr_getsigmask_np(attributes, &mask) == 0;
}

int fw_threads_create(struct fw_thread *t, pthread_t *handle, const pthread_attr_t *attributes,
                      const struct fw_thread_extra *what, uintptr_t pc)
{
    struct fw_thread_extra *extra = fw_piece_get();
    struct fw_thread *other;
    pthread_attr_t copy;
    int status;

    find_real();
    if (!extra)
        return EAGAIN;
    *extra = *what;
    extra->detached = is_detached(attributes);
    fw_access(t, handle, sizeof *handle, true, pc); /* before the new thread can look at it */
    other = fw_thread_create(t, pc);
    if (!other) {
        fw_piece_drop(extra);
        return EAGAIN;
    }
    other->extra = extra;
    extra->own_signals = has_signals(attributes);
    extra->signals = block_signals();
    status = real.create(handle, with_room(attributes, &copy), run, other);
    set_signals(extra->signals);
    if (fw_values_on)
        fw_values_forget((uintptr_t)handle, sizeof *handle); /* it is written only now */
    if (status == 0) {
        fw_thread_set_handle(other, *handle);
        fw_thread_ready(other);
    } else {
        drop_extra(other);
        fw_thread_cancel_create(other);
    }
    return status;
}

int (*fw_create_otherwise)(const struct fw_creation *creation, uintptr_t pc);

int fw_threads_create_otherwise(pthread_t *handle, const pthread_attr_t *attributes,
                                const struct fw_thread_extra *what, uintptr_t pc)
{
    struct fw_creation creation = { .handle = handle,
                                    .attributes = attributes,
                                    .start = what->start,
                                    .start_c11 = what->start_c11,
                                    .argument = what->argument };

    find_real();
    creation.real = real.create;
    return fw_create_otherwise ? fw_create_otherwise(&creation, pc) : FW_CREATE_PLAINLY;
}

FW_EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                             void *(*start)(void *), void *argument)
{
    struct fw_thread *t = fw_enter_on(handle);
    struct fw_thread_extra what = { .start = start, .argument = argument };
    int status;

    find_real();
    if (!t) {
        status = fw_threads_create_otherwise(handle, attributes, &what, FW_PC);
        if (status == FW_CREATE_PLAINLY)
            status = real.create(handle, attributes, start, argument);
        return status;
    }
    status = fw_threads_create(t, handle, attributes, &what, FW_PC);
    fw_point(t);
    fw_leave(t);
    return status;
}

/* --- joining ------------------------------------------------------------------------------- */

static void outside_cancelled(void *argument)
{
    struct fw_thread *t = argument;

    fw_outside_end(t);
    fw_extra(t)->exiting = true;
    fw_leave(t);
}

/* A thread that we do not know. */
static int join_unknown(struct fw_thread *t, pthread_t handle, void **result, struct fw_limit limit)
{
    int status;

    fw_outside_begin(t);
    pthread_cleanup_push(outside_cancelled, t);
    if (limit.clock < 0)
        status = real.join(handle, result);
    else
        status = real.clockjoin(handle, result, limit.clock, limit.when);
    pthread_cleanup_pop(0);
    fw_outside_end(t);
    return status;
}

/*
 * It has finished and is about to end: no time to speak of, and nobody else needs to run for it, so
 * that the token is kept.  Only if the program does something lengthy there it is given away.
 */
static int join_really(struct fw_thread *t, pthread_t handle, void **result)
{
    struct timespec when;
    int status, state;

    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec++;
    real.setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    status = real.clockjoin(handle, result, CLOCK_MONOTONIC, &when);
    if (status == ETIMEDOUT) {
        fw_outside_begin(t);
        status = real.join(handle, result);
        fw_outside_end(t);
    }
    real.setcancelstate(state, NULL);
    return status;
}

/* It has finished: takes its result and says so. */
static int join_finished(struct fw_thread *t, struct fw_thread *other, void **result, uintptr_t pc)
{
    uint32_t number = fw_thread_number(other);
    pthread_t handle = other->handle;
    int status;

    drop_extra(other);
    fw_thread_forget(other); /* the handle may be used again as soon as the real join is done */
    status = join_really(t, handle, result);
    if (status != 0)
        return status;
    fw_sync(t, FW_WIRE_JOIN, (const void *)(uintptr_t)number, pc);
    if (fw_control_on)
        fw_control_gone();
    if (result)
        fw_access(t, result, sizeof *result, true, pc);
    return 0;
}

int fw_threads_join(struct fw_thread *t, pthread_t handle, void **result, struct fw_limit limit,
                    bool *cancelled, uintptr_t pc)
{
    struct fw_thread *other = fw_thread_find(handle);
    uint64_t deadline;

    find_real();
    *cancelled = false;
    if (!other)
        return join_unknown(t, handle, result, limit);
    if (fw_extra(other)->detached)
        return EINVAL;
    if (other == t)
        return EDEADLK;
    if (fw_extra(other)->joiner)
        return EINVAL;
    if (limit.clock >= 0 && !fw_time_is_valid(limit.when))
        return EINVAL;
    deadline = fw_limit_deadline(limit);
    fw_extra(other)->joiner = t;
    if (limit.clock < 0 && !fw_thread_finished(other))
        fw_wait_begin(t, FW_WIRE_WAIT_JOIN, other, pc);
    while (!fw_thread_finished(other)) {
        enum fw_woken woken = fw_block(t, other, deadline, FW_BLOCK_TIMED | fw_cancel_flag(t));

        if (woken != FW_CANCELLED && (woken != FW_TIMED_OUT || fw_thread_finished(other)))
            continue;
        fw_extra(other)->joiner = NULL;
        fw_wait_end(t);
        *cancelled = woken == FW_CANCELLED;
        return ETIMEDOUT;
    }
    fw_wait_end(t);
    return join_finished(t, other, result, pc);
}

static int join_and_leave(struct fw_thread *t, pthread_t handle, void **result,
                          struct fw_limit limit, uintptr_t pc)
{
    bool cancelled;
    int status = fw_threads_join(t, handle, result, limit, &cancelled, pc);

    fw_leave(t);
    while (cancelled) {
        fw_cancel_act(t);
        t = fw_enter_again();
        status = fw_threads_join(t, handle, result, limit, &cancelled, pc);
        fw_leave(t);
    }
    return status;
}

FW_EXPORT int pthread_join(pthread_t handle, void **result)
{
    struct fw_thread *t = fw_enter_on((const void *)handle);

    find_real();
    return t ? join_and_leave(t, handle, result, FW_UNLIMITED, FW_PC) : real.join(handle, result);
}

FW_EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *when)
{
    struct fw_thread *t = fw_enter_on((const void *)handle);
    struct fw_limit limit = { when ? CLOCK_REALTIME : -1, when };

    find_real();
    return t ? join_and_leave(t, handle, result, limit, FW_PC)
             : real.timedjoin(handle, result, when);
}

FW_EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                   const struct timespec *when)
{
    struct fw_thread *t = fw_clock_is_valid(clock) ? fw_enter_on((const void *)handle) : NULL;
    struct fw_limit limit = { when ? clock : -1, when };

    find_real();
    return t ? join_and_leave(t, handle, result, limit, FW_PC)
             : real.clockjoin(handle, result, clock, when);
}

FW_EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct fw_thread *t = fw_enter_on((const void *)handle), *other;
    bool cancelled;
    int status;

    find_real();
    if (!t)
        return real.tryjoin(handle, result);
    other = fw_thread_find(handle);
    if (!other) {
        status = real.tryjoin(handle, result);
    } else if (fw_thread_finished(other)) {
        status = fw_threads_join(t, handle, result, FW_UNLIMITED, &cancelled, FW_PC);
    } else {
        status = EBUSY;
        fw_unmodelled("pthread_tryjoin_np that found its thread running");
        fw_control_in_vain(t, other); /* it may be tried again until it has finished */
    }
    fw_leave(t);
    return status;
}

/* --- the rest ------------------------------------------------------------------------------ */

int fw_threads_detach(struct fw_thread *t, pthread_t handle)
{
    struct fw_thread *other = fw_thread_find(handle);
    int status;

    (void)t;
    find_real();
    status = real.detach(handle);
    if (status != 0 || !other)
        return status;
    fw_extra(other)->detached = true;
    if (fw_thread_finished(other)) {
        drop_extra(other);
        fw_thread_forget(other);
    }
    return 0;
}

void fw_threads_finish(struct fw_thread *t)
{
    block_signals();
    if (fw_signals_waiting) { /* they came before the end */
        t->inside--;
        fw_signals_deliver(t);
        t->inside++;
    }
    fw_sync_finish(t);
    if (!t->extra || !fw_extra(t)->detached)
        return;
    drop_extra(t);
    fw_thread_forget(t);
}

FW_EXPORT int pthread_detach(pthread_t handle)
{
    struct fw_thread *t = fw_enter_on((const void *)handle);
    int status;

    find_real();
    if (!t)
        return real.detach(handle);
    status = fw_threads_detach(t, handle);
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
    struct fw_thread *t = fw_enter_on((const void *)handle), *other;
    int status;

    find_real();
    status = real.setname(handle, name);
    if (!t)
        return status;
    other = status == 0 ? fw_thread_find(handle) : NULL;
    if (other)
        fw_record_text(t, FW_WIRE_NAME, fw_thread_number(other), name);
    fw_leave(t);
    return status;
}
