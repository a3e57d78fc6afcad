/*
 * sync_sem.c - POSIX semaphores.
 *
 * A token is taken with the real sem_trywait; if there is none the thread is blocked on the
 * semaphore's address.  Every pend names the post whose token it took: tokens are thought of as
 * taken in the order in which they came.  The tokens of the beginning are posts of the thread that
 * initialises the semaphore, as many as are likely to be told apart; so a semaphore that lets two
 * in at once is not taken for a lock.  What takes or gives tokens out of our sight (other
 * processes) is noticed by the real value and made up for.
 *
 * Named and process-shared semaphores are waited for in the kernel.
 */
#include "runtime/control.h"
#include "runtime/sync.h"

#include <errno.h>

#define FIRST_POSTS 64u

static struct {
    __typeof__(&sem_init) init;
    __typeof__(&sem_destroy) destroy;
    __typeof__(&sem_wait) wait;
    __typeof__(&sem_trywait) trywait;
    __typeof__(&sem_timedwait) timedwait;
    __typeof__(&sem_clockwait) clockwait;
    __typeof__(&sem_post) post;
    __typeof__(&sem_getvalue) getvalue;
} real;

static void find_real(void)
{
    if (FW_LIKELY(real.getvalue))
        return;
    FW_REAL(real.init, "sem_init");
    FW_REAL(real.destroy, "sem_destroy");
    FW_REAL(real.wait, "sem_wait");
    FW_REAL(real.trywait, "sem_trywait");
    FW_REAL(real.timedwait, "sem_timedwait");
    FW_REAL(real.clockwait, "sem_clockwait");
    FW_REAL(real.post, "sem_post");
    FW_REAL(real.getvalue, "sem_getvalue");
}

/* The C library's struct new_sem: value and waiters in 8 bytes, then whether processes share it. */
static bool is_shared(const sem_t *semaphore)
{
    return ((const int *)semaphore)[2] != 0;
}

static uint32_t value_of(sem_t *semaphore)
{
    int value = 0;

    return real.getvalue(semaphore, &value) == 0 && value > 0 ? (uint32_t)value : 0;
}

/* --- tokens -------------------------------------------------------------------------------- */

/* To be called before the real value changes. */
static struct fw_cell *cell_of(sem_t *semaphore)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_SEMAPHORE, semaphore, 0);

    if (cell)
        return cell;
    cell = fw_cell_get(FW_CELL_SEMAPHORE, semaphore, 0);
    if (cell)
        cell->of.semaphore.initial = value_of(semaphore);
    return cell;
}

static void push(struct fw_cell *cell, uint64_t record)
{
    struct fw_post *post = fw_piece_get();

    if (!post)
        return;
    post->record = record;
    if (cell->of.semaphore.last)
        cell->of.semaphore.last->next = post;
    else
        cell->of.semaphore.first = post;
    cell->of.semaphore.last = post;
    cell->of.semaphore.posted++;
}

static uint64_t pop(struct fw_cell *cell)
{
    struct fw_post *post = cell->of.semaphore.first;
    uint64_t record;

    if (cell->of.semaphore.initial) {
        cell->of.semaphore.initial--;
        return 0;
    }
    if (!post)
        return 0;
    record = post->record;
    cell->of.semaphore.first = post->next;
    if (!post->next)
        cell->of.semaphore.last = NULL;
    cell->of.semaphore.posted--;
    fw_piece_drop(post);
    return record;
}

/* A new semaphore. */
static void fill(struct fw_thread *t, sem_t *semaphore, unsigned value, uintptr_t pc)
{
    unsigned posts = value < FIRST_POSTS ? value : FIRST_POSTS;
    struct fw_cell *cell = fw_cell_get(FW_CELL_SEMAPHORE, semaphore, 0);

    if (!cell)
        return;
    cell->of.semaphore.initial = value - posts;
    while (posts--)
        push(cell, fw_sync(t, FW_WIRE_POST, semaphore, pc));
}

/* t has taken a token. */
static void took(struct fw_thread *t, sem_t *semaphore, uintptr_t pc)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_SEMAPHORE, semaphore, 0);
    uint32_t left = value_of(semaphore);
    uint64_t post = 0;

    if (cell) {
        while (cell->of.semaphore.initial + cell->of.semaphore.posted > left + 1)
            pop(cell); /* somebody else has taken it */
        post = pop(cell);
    }
    fw_sync_answer(t, FW_WIRE_PEND, semaphore, post, pc);
}

static void forget(struct fw_thread *t, sem_t *semaphore, uintptr_t pc)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_SEMAPHORE, semaphore, 0);

    if (!cell)
        return;
    cell->of.semaphore.initial = 0;
    while (cell->of.semaphore.first)
        pop(cell);
    fw_sync(t, FW_WIRE_DESTROY, semaphore, pc);
    fw_cell_drop(cell);
}

/* --- waiting ------------------------------------------------------------------------------- */

static void outside_cancelled(void *argument)
{
    struct fw_thread *t = argument;

    fw_outside_end(t);
    fw_extra(t)->exiting = true;
    fw_leave(t);
}

/* All here: 0 or the error. */
static int wait_in_kernel(struct fw_thread *t, sem_t *semaphore, struct fw_limit limit)
{
    int status;

    fw_unmodelled("process-shared semaphore");
    fw_outside_begin(t);
    pthread_cleanup_push(outside_cancelled, t);
    if (limit.clock < 0)
        status = real.wait(semaphore);
    else
        status = real.clockwait(semaphore, limit.clock, limit.when);
    pthread_cleanup_pop(0);
    fw_outside_end(t);
    return status == 0 ? 0 : errno;
}

static int block_until(struct fw_thread *t, sem_t *semaphore, uint64_t deadline)
{
    for (;;) {
        enum fw_woken woken = fw_block(t, semaphore, deadline,
                                       FW_BLOCK_SIGNALS | FW_BLOCK_TIMED | fw_cancel_flag(t));

        if (woken == FW_CANCELLED)
            return ECANCELED;
        if (woken == FW_INTERRUPTED)
            return EINTR;
        if (real.trywait(semaphore) == 0)
            return 0;
        if (woken == FW_TIMED_OUT)
            return ETIMEDOUT;
    }
}

static int wait_virtually(struct fw_thread *t, sem_t *semaphore, struct fw_limit limit,
                          uintptr_t pc)
{
    int status;

    if (limit.clock < 0)
        fw_wait_begin(t, FW_WIRE_WAIT_SEMAPHORE, semaphore, pc);
    status = block_until(t, semaphore, fw_limit_deadline(limit));
    fw_wait_end(t);
    return status;
}

static int wait_for_token(struct fw_thread *t, sem_t *semaphore, struct fw_limit limit,
                          uintptr_t pc)
{
    int status;

    fw_point(t);
    cell_of(semaphore);
    if (real.trywait(semaphore) == 0)
        status = 0;
    else if (is_shared(semaphore))
        status = wait_in_kernel(t, semaphore, limit);
    else
        status = wait_virtually(t, semaphore, limit, pc);
    if (status == 0)
        took(t, semaphore, pc);
    return status;
}

static int wait_and_leave(struct fw_thread *t, sem_t *semaphore, struct fw_limit limit,
                          uintptr_t pc)
{
    int saved = errno, status;

    fw_cancel_let(t); /* at the point: others have had their turn */
    status = wait_for_token(t, semaphore, limit, pc);
    fw_leave(t);
    while (status == ECANCELED) {
        fw_cancel_act(t);
        t = fw_enter_again();
        status = wait_for_token(t, semaphore, limit, pc);
        fw_leave(t);
    }
    errno = status ? status : saved;
    return status ? -1 : 0;
}

/* --- interceptors -------------------------------------------------------------------------- */

FW_EXPORT int sem_wait(sem_t *semaphore)
{
    struct fw_thread *t;

    find_real();
    fw_cancel_test();
    t = fw_enter_on(semaphore);
    return t ? wait_and_leave(t, semaphore, FW_UNLIMITED, FW_PC) : real.wait(semaphore);
}

FW_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *when)
{
    struct fw_thread *t;

    find_real();
    if (!fw_time_is_valid(when))
        return real.timedwait(semaphore, when);
    fw_cancel_test();
    t = fw_enter_on(semaphore);
    return t ? wait_and_leave(t, semaphore, (struct fw_limit) { CLOCK_REALTIME, when }, FW_PC)
             : real.timedwait(semaphore, when);
}

FW_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *when)
{
    struct fw_thread *t;

    find_real();
    if (!fw_clock_is_valid(clock) || !fw_time_is_valid(when))
        return real.clockwait(semaphore, clock, when);
    fw_cancel_test();
    t = fw_enter_on(semaphore);
    return t ? wait_and_leave(t, semaphore, (struct fw_limit) { clock, when }, FW_PC)
             : real.clockwait(semaphore, clock, when);
}

FW_EXPORT int sem_trywait(sem_t *semaphore)
{
    struct fw_thread *t = fw_enter_on(semaphore);
    int status, saved;

    find_real();
    if (!t)
        return real.trywait(semaphore);
    fw_point(t);
    cell_of(semaphore);
    status = real.trywait(semaphore);
    saved = errno;
    if (status == 0) {
        took(t, semaphore, FW_PC);
    } else {
        fw_unmodelled("semaphore that was tried and had no token");
        fw_control_in_vain(t, semaphore); /* it may be tried again until there is one */
    }
    fw_leave(t);
    errno = saved;
    return status;
}

FW_EXPORT int sem_post(sem_t *semaphore)
{
    struct fw_thread *t = fw_enter_on(semaphore);
    struct fw_cell *cell;
    int status, saved;

    find_real();
    if (!t) {
        status = real.post(semaphore);
        fw_changed_unseen();
        return status;
    }
    cell = cell_of(semaphore);
    status = real.post(semaphore);
    saved = errno;
    if (status == 0) {
        uint64_t record = fw_sync(t, FW_WIRE_POST, semaphore, FW_PC);

        if (cell)
            push(cell, record);
        fw_wake(semaphore, 1, 0);
        fw_point(t);
    }
    fw_leave(t);
    errno = saved;
    return status;
}

FW_EXPORT int sem_getvalue(sem_t *semaphore, int *value)
{
    struct fw_thread *t = fw_enter_on(semaphore);

    find_real();
    if (t) {
        fw_unmodelled("value of a semaphore");
        fw_point(t);
        fw_leave(t);
    }
    return real.getvalue(semaphore, value);
}

FW_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    struct fw_thread *t = fw_enter();
    int status, saved;

    find_real();
    if (t)
        forget(t, semaphore, FW_PC);
    status = real.init(semaphore, shared, value);
    saved = errno;
    if (t) {
        if (status == 0)
            fill(t, semaphore, value, FW_PC);
        fw_leave(t);
        errno = saved;
    }
    return status;
}

FW_EXPORT int sem_destroy(sem_t *semaphore)
{
    struct fw_thread *t = fw_enter();
    int status;

    find_real();
    status = real.destroy(semaphore);
    if (!t)
        return status;
    forget(t, semaphore, FW_PC);
    fw_leave(t);
    return status;
}
