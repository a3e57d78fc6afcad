/*
 * sync_cond.c - condition variables.
 *
 * A wait is: release the mutex, wait, WAKE (which names its notify), acquire the mutex.  Waiters
 * stand in a list of ours, on their own stacks; a notify marks them and wakes them, first come
 * first served.  So no notify is lost, whatever else ends a wait (a signal handler, a time limit),
 * and nobody wakes without reason.  The real condition has no waiters, ever; a notify from a thread
 * that we do not know is counted, and makes those wake without reason who find nothing else to do.
 *
 * Conditions that processes share are waited for in the kernel: who woke whom is not known then,
 * and happens-before marks stand for it.
 */
#include "runtime/control.h"
#include "runtime/sync.h"

#include <dlfcn.h>
#include <errno.h>

#define SHARED    1u /* bits of __wrefs */
#define MONOTONIC 2u

static _Atomic uint32_t unseen; /* notifies by threads that we do not know */

void fw_cond_notify_unseen(void)
{
    if (!fw_serial)
        return;
    atomic_fetch_add(&unseen, 1);
    fw_changed_unseen();
}

static struct {
    __typeof__(&pthread_cond_wait) wait;
    __typeof__(&pthread_cond_timedwait) timedwait;
    __typeof__(&pthread_cond_clockwait) clockwait;
    __typeof__(&pthread_cond_signal) signal;
    __typeof__(&pthread_cond_broadcast) broadcast;
    __typeof__(&pthread_cond_init) init;
    __typeof__(&pthread_cond_destroy) destroy;
} real;

/* The C library has two versions of most of these; without a version the old one would be found. */
static void *find(const char *name)
{
    void *symbol = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");

    return symbol ? symbol : fw_real_symbol(name);
}

__attribute__((constructor(101))) static void find_real(void)
{
    if (FW_LIKELY(real.destroy))
        return;
    real.wait = (__typeof__(real.wait))find("pthread_cond_wait");
    real.timedwait = (__typeof__(real.timedwait))find("pthread_cond_timedwait");
    real.clockwait = (__typeof__(real.clockwait))find("pthread_cond_clockwait");
    real.signal = (__typeof__(real.signal))find("pthread_cond_signal");
    real.broadcast = (__typeof__(real.broadcast))find("pthread_cond_broadcast");
    real.init = (__typeof__(real.init))find("pthread_cond_init");
    real.destroy = (__typeof__(real.destroy))find("pthread_cond_destroy");
}

static bool is_shared(const pthread_cond_t *cond)
{
    return cond->__data.__wrefs & SHARED;
}

static struct fw_limit limit_of(const pthread_cond_t *cond, const struct timespec *when)
{
    bool monotonic = cond->__data.__wrefs & MONOTONIC;

    return (struct fw_limit) { monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, when };
}

/* --- the list of waiters ------------------------------------------------------------------- */

static void append(struct fw_cell *cell, struct fw_waiter *waiter)
{
    waiter->next = NULL;
    if (cell->of.condition.last)
        cell->of.condition.last->next = waiter;
    else
        cell->of.condition.first = waiter;
    cell->of.condition.last = waiter;
}

static void take_out(struct fw_cell *cell, struct fw_waiter *waiter)
{
    struct fw_waiter *before = NULL, *w = cell->of.condition.first;

    for (; w && w != waiter; w = w->next)
        before = w;
    if (!w)
        return;
    if (before)
        before->next = w->next;
    else
        cell->of.condition.first = w->next;
    if (cell->of.condition.last == w)
        cell->of.condition.last = before;
}

/* --- waiting ------------------------------------------------------------------------------- */

/* 0, ETIMEDOUT or ECANCELED.  before: unseen notifies while t still had the mutex. */
static int wait_virtually(struct fw_thread *t, struct fw_cell *cell, struct fw_waiter *waiter,
                          uint64_t deadline, uint32_t before)
{
    unsigned flag = fw_cancel_flag(t);
    int status = 0;

    while (!waiter->notified && status == 0) {
        switch (fw_block(t, waiter, deadline, flag | FW_BLOCK_TIMED)) {
        case FW_TIMED_OUT:
            status = ETIMEDOUT;
            break;
        case FW_CANCELLED:
            status = ECANCELED;
            break;
        case FW_RETRY:
            if (atomic_load(&unseen) != before) {
                take_out(cell, waiter);
                return 0;
            }
            break;
        default:
            break;
        }
    }
    if (waiter->notified)
        return 0;
    take_out(cell, waiter);
    return status;
}

static void answer(struct fw_thread *t, struct fw_cell *cell, const struct fw_waiter *waiter,
                   uintptr_t pc)
{
    if (!waiter->notified)
        return;
    if (waiter->notify)
        fw_sync_answer(t, FW_WIRE_WAKE, cell->object, waiter->notify, pc);
    if (--cell->of.condition.leaving == 0)
        fw_wake(&cell->of.condition.leaving, FW_WAKE_ALL, 0); /* who destroys it */
}

/* A wait that a cancellation ends has its mutex again when cleanup handlers run. */
struct outside_wait {
    struct fw_thread *t;
    pthread_cond_t *cond;
    pthread_mutex_t *mutex;
    uintptr_t pc;
};

static void outside_over(void *argument)
{
    struct outside_wait *wait = argument;

    fw_outside_end(wait->t);
    fw_sync(wait->t, FW_WIRE_AFTER, wait->cond, wait->pc);
    fw_lock_got(wait->t, wait->mutex, FW_WIRE_ACQUIRE, wait->pc);
}

static void outside_cancelled(void *argument)
{
    struct outside_wait *wait = argument;

    outside_over(wait);
    fw_extra(wait->t)->exiting = true;
    fw_leave(wait->t);
}

static int wait_in_kernel(struct fw_thread *t, pthread_cond_t *cond, pthread_mutex_t *mutex,
                          struct fw_limit limit, uintptr_t pc)
{
    struct outside_wait wait = { t, cond, mutex, pc };
    int status;

    fw_unmodelled("process-shared condition variable");
    fw_lock_released(t, mutex, pc);
    fw_wake(mutex, FW_WAKE_ALL, 0);
    fw_outside_begin(t);
    pthread_cleanup_push(outside_cancelled, &wait);
    if (limit.clock < 0)
        status = real.wait(cond, mutex);
    else
        status = real.clockwait(cond, mutex, limit.clock, limit.when);
    pthread_cleanup_pop(0);
    outside_over(&wait);
    return status;
}

int fw_cond_wait(struct fw_thread *t, pthread_cond_t *cond, pthread_mutex_t *mutex,
                 struct fw_limit limit, bool *cancelled, uintptr_t pc)
{
    struct fw_waiter waiter = { 0 };
    uint32_t before = atomic_load(&unseen);
    struct fw_cell *cell;
    int result, status;

    find_real();
    *cancelled = false;
    if (limit.clock >= 0 && !fw_time_is_valid(limit.when))
        return EINVAL;
    if (is_shared(cond))
        return wait_in_kernel(t, cond, mutex, limit, pc);
    cell = fw_cell_get(FW_CELL_CONDITION, cond, 0);
    if (!cell)
        return wait_in_kernel(t, cond, mutex, limit, pc);
    status = fw_mutex_unlock(t, mutex, pc);
    if (status != 0)
        return status;
    append(cell, &waiter);
    if (limit.clock < 0)
        fw_wait_begin(t, FW_WIRE_WAIT_CONDITION, cond, pc);
    result = wait_virtually(t, cell, &waiter, fw_limit_deadline(limit), before);
    fw_wait_end(t);
    answer(t, cell, &waiter, pc);
    status = fw_mutex_lock(t, mutex, FW_WIRE_ACQUIRE, FW_UNLIMITED, pc);
    *cancelled = result == ECANCELED;
    return status ? status : *cancelled ? 0 : result;
}

/* --- notifying and the end ----------------------------------------------------------------- */

void fw_cond_notify(struct fw_thread *t, pthread_cond_t *cond, bool all, uintptr_t pc)
{
    uint64_t record = fw_sync(t, all ? FW_WIRE_NOTIFY_ALL : FW_WIRE_NOTIFY, cond, pc);
    struct fw_cell *cell = fw_cell_find(FW_CELL_CONDITION, cond, 0);
    struct fw_waiter *waiter;

    if (!cell && record)
        cell = fw_cell_get(FW_CELL_CONDITION, cond, 0);
    if (cell && record)
        cell->of.condition.notify = record;
    if (!all && cell && cell->of.condition.first != cell->of.condition.last)
        fw_chance_wakes(2, 1);
    while (cell && (waiter = cell->of.condition.first)) {
        take_out(cell, waiter);
        waiter->notified = true;
        waiter->notify = record;
        cell->of.condition.leaving++;
        fw_wake(waiter, 1, 0);
        if (!all)
            break;
    }
    find_real();
    if (!is_shared(cond) && cell)
        return;
    fw_sync(t, FW_WIRE_BEFORE, cond, pc);
    (all ? real.broadcast : real.signal)(cond);
}

/* Waits, as the real one does, until all who were notified have gone. */
void fw_cond_destroy(struct fw_thread *t, pthread_cond_t *cond, uintptr_t pc)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_CONDITION, cond, 0);

    if (!cell)
        return;
    while (cell->of.condition.leaving || cell->of.condition.first)
        fw_block(t, &cell->of.condition.leaving, FW_NO_DEADLINE, 0);
    fw_sync(t, FW_WIRE_DESTROY, cond, pc);
    fw_cell_drop(cell);
}

/* --- interceptors -------------------------------------------------------------------------- */

static int wait_and_leave(struct fw_thread *t, pthread_cond_t *cond, pthread_mutex_t *mutex,
                          struct fw_limit limit, uintptr_t pc)
{
    bool cancelled;
    int status = fw_cond_wait(t, cond, mutex, limit, &cancelled, pc);

    fw_leave(t);
    if (cancelled)
        fw_cancel_act(t);
    return status;
}

/* Around the real ones: a thread that is cancelled there has the mutex, and is not known to. */
static void wait_really_begin(pthread_mutex_t *mutex)
{
    if (fw_mutex_follow)
        fw_mutex_follow(mutex, false);
}

static int wait_really_end(pthread_mutex_t *mutex, int status)
{
    if (fw_mutex_follow && (status == 0 || status == ETIMEDOUT))
        fw_mutex_follow(mutex, true);
    return status;
}

FW_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    struct fw_thread *t = fw_enter_on(cond);

    find_real();
    if (t)
        return wait_and_leave(t, cond, mutex, FW_UNLIMITED, FW_PC);
    wait_really_begin(mutex);
    return wait_really_end(mutex, real.wait(cond, mutex));
}

FW_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                     const struct timespec *when)
{
    struct fw_thread *t = fw_enter_on(cond);

    find_real();
    if (t)
        return wait_and_leave(t, cond, mutex, limit_of(cond, when), FW_PC);
    wait_really_begin(mutex);
    return wait_really_end(mutex, real.timedwait(cond, mutex, when));
}

FW_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *when)
{
    struct fw_thread *t = fw_clock_is_valid(clock) ? fw_enter_on(cond) : NULL;

    find_real();
    if (t)
        return wait_and_leave(t, cond, mutex, (struct fw_limit) { clock, when }, FW_PC);
    wait_really_begin(mutex);
    return wait_really_end(mutex, real.clockwait(cond, mutex, clock, when));
}

static int notify(pthread_cond_t *cond, bool all, const char *name, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, name, cond);

    find_real();
    if (!t) {
        fw_cond_notify_unseen();
        return (all ? real.broadcast : real.signal)(cond);
    }
    fw_cond_notify(t, cond, all, pc);
    fw_point(t);
    fw_leave(t);
    return 0;
}

FW_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    return notify(cond, false, __func__, FW_PC);
}

FW_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    return notify(cond, true, __func__, FW_PC);
}

FW_EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    struct fw_thread *t = fw_enter();
    struct fw_cell *cell;
    int status;

    find_real();
    status = real.init(cond, attributes);
    if (!t)
        return status;
    cell = status == 0 ? fw_cell_find(FW_CELL_CONDITION, cond, 0) : NULL;
    if (cell && !cell->of.condition.first && !cell->of.condition.leaving) {
        fw_sync(t, FW_WIRE_DESTROY, cond, FW_PC);
        fw_cell_drop(cell);
    }
    fw_leave(t);
    return status;
}

FW_EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct fw_thread *t = fw_enter();

    find_real();
    if (t) {
        fw_cond_destroy(t, cond, FW_PC);
        fw_leave(t);
    }
    return real.destroy(cond);
}
