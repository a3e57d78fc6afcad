/*
 * guard.c - initialisation of static locals in C++ (__cxa_guard_acquire and relatives).
 *
 * Compiled code reads the guard's first byte with an atomic load that acquires and calls us only if
 * it is 0.  So the end of an initialisation is recorded as an atomic store to that byte that
 * releases, and who waited for it has loaded it.  The C++ library keeps the guard's state; waiting
 * for another thread's initialisation is done here.
 */
#include "runtime/shadow.h"
#include "runtime/sink.h"
#include "runtime/sync.h"

typedef uint64_t guard_t;

FW_EXPORT int __cxa_guard_acquire(guard_t *guard);
FW_EXPORT void __cxa_guard_release(guard_t *guard);
FW_EXPORT void __cxa_guard_abort(guard_t *guard);

static struct {
    __typeof__(&__cxa_guard_acquire) acquire;
    __typeof__(&__cxa_guard_release) release;
    __typeof__(&__cxa_guard_abort) abort;
} real;

/* What a program that is linked without the C++ library gets: the state that all of them share. */
static int plain_acquire(guard_t *guard)
{
    return __atomic_load_n((unsigned char *)guard, __ATOMIC_ACQUIRE) == 0;
}

static void plain_release(guard_t *guard)
{
    /* release: pairs with the acquire of compiled code and of plain_acquire */
    __atomic_store_n((unsigned char *)guard, 1, __ATOMIC_RELEASE);
}

static void plain_abort(guard_t *guard)
{
    (void)guard;
}

/* At the beginning, if the program has the C++ library. */
__attribute__((constructor(101))) static void look_up(void)
{
    real.abort = (__typeof__(real.abort))fw_real_symbol("__cxa_guard_abort");
    if (!real.abort)
        return;
    real.release = (__typeof__(real.release))fw_real_symbol("__cxa_guard_release");
    real.acquire = (__typeof__(real.acquire))fw_real_symbol("__cxa_guard_acquire");
}

/* Before fw_enter: it may have come with a plugin, and looking takes the loader's lock. */
static void find_real(void)
{
    if (FW_LIKELY(real.acquire))
        return;
    look_up();
    if (real.acquire && real.release && real.abort)
        return;
    real.abort = plain_abort;
    real.release = plain_release;
    real.acquire = plain_acquire;
}

static void record(struct fw_thread *t, enum fw_wire_kind kind, const guard_t *guard, int order,
                   uintptr_t pc)
{
    if (fw_sync_is_ignored(t))
        return;
    fw_sink_put(t, kind, (uintptr_t)guard, 1, (unsigned)order & FW_WIRE_ORDER, pc);
    fw_segment_next(t);
    fw_shadow_forget((uintptr_t)guard);
    if (kind == FW_WIRE_ATOMIC_LOAD)
        t->hot->has_read = true;
}

/* Waits until nobody initialises it; is there nothing left to do? */
static bool wait_until_done(struct fw_thread *t, guard_t *guard, uintptr_t pc)
{
    for (;;) {
        struct fw_cell *cell = fw_cell_find(FW_CELL_ONCE, guard, 0);
        /* acquire: pairs with the release of the C++ library */
        bool done = __atomic_load_n((unsigned char *)guard, __ATOMIC_ACQUIRE) != 0;

        if (done || !cell || !cell->of.once.runner) {
            fw_wait_end(t);
            return done;
        }
        if (t->wait.kind == FW_WIRE_WAIT_NONE)
            fw_wait_begin(t, FW_WIRE_WAIT_ONCE, guard, pc);
        fw_block(t, guard, FW_NO_DEADLINE, 0);
    }
}

FW_EXPORT int __cxa_guard_acquire(guard_t *guard)
{
    struct fw_cell *cell;
    struct fw_thread *t;

    find_real();
    t = fw_enter_on(guard);
    if (!t)
        return real.acquire(guard);
    fw_point(t);
    if (wait_until_done(t, guard, FW_PC) || !real.acquire(guard)) {
        record(t, FW_WIRE_ATOMIC_LOAD, guard, __ATOMIC_ACQUIRE, FW_PC);
        fw_leave(t);
        return 0;
    }
    cell = fw_cell_get(FW_CELL_ONCE, guard, 0);
    if (cell) {
        if (cell->of.once.failed)
            fw_sync(t, FW_WIRE_AFTER, guard, FW_PC);
        cell->of.once.runner = fw_thread_number(t) + 1;
    }
    fw_leave(t);
    return 1;
}

static void over(struct fw_thread *t, guard_t *guard, bool failed)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_ONCE, guard, 0);

    if (cell && failed) {
        cell->of.once.runner = 0;
        cell->of.once.failed = true;
    } else if (cell) {
        fw_cell_drop(cell);
    }
    fw_wake(guard, FW_WAKE_ALL, 0);
    fw_point(t);
    fw_leave(t);
}

FW_EXPORT void __cxa_guard_release(guard_t *guard)
{
    struct fw_thread *t;

    find_real();
    t = fw_enter_on(guard);
    real.release(guard);
    if (!t)
        return;
    record(t, FW_WIRE_ATOMIC_STORE, guard, __ATOMIC_RELEASE, FW_PC);
    over(t, guard, false);
}

/* The initialisation has thrown: the next one tries, and sees what was done. */
FW_EXPORT void __cxa_guard_abort(guard_t *guard)
{
    struct fw_thread *t;

    find_real();
    t = fw_enter_on(guard);
    real.abort(guard);
    if (!t)
        return;
    fw_sync(t, FW_WIRE_BEFORE, guard, FW_PC);
    over(t, guard, true);
}
