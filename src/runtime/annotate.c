/*
 * annotate.c - annotations of programs: the functions of foreweave/annotate.h, and what generated
 * programs (foreweave tiddle compile) call.
 */
#include "runtime/annotate.h"

#define FOREWEAVE_WEAK /* here they are */
#include <foreweave/annotate.h>

/* What programs made from traces call for events that are no library calls; no header has them. */
FW_EXPORT void foreweave_wake(void *condition);
FW_EXPORT void foreweave_barrier_in(void *barrier);
FW_EXPORT void foreweave_barrier_out(void *barrier);

static const void *plain(const volatile void *object)
{
    return (const void *)(uintptr_t)object;
}

/* --- what all dialects share --------------------------------------------------------------- */

void fw_annotate_sync(enum fw_wire_kind kind, const volatile void *object, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", plain(object));

    if (!t)
        return;
    fw_sync(t, kind, plain(object), pc);
    fw_point(t);
    fw_leave(t);
}

void fw_annotate_expect(const volatile void *address, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_say_at(pc, "annotation", plain(address));

    if (!t)
        return;
    if (bytes)
        fw_record_more(t, FW_WIRE_EXPECT, (uintptr_t)address, bytes, 0, pc);
    fw_said(t);
}

void fw_annotate_access(const volatile void *address, size_t bytes, bool write, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", plain(address));

    if (!t)
        return;
    fw_access(t, plain(address), bytes, write, pc);
    fw_leave(t);
}

void fw_annotate_fresh(const volatile void *address, size_t bytes)
{
    struct fw_thread *t = fw_enter();

    if (!t)
        return;
    if (bytes)
        fw_record_more(t, FW_WIRE_MAP, (uintptr_t)address, bytes, 0, 0);
    fw_fresh(plain(address), bytes);
    fw_leave(t);
}

void fw_annotate_name(const char *name)
{
    struct fw_thread *t = fw_say();

    if (!t)
        return;
    if (name)
        fw_record_text(t, FW_WIRE_NAME, fw_thread_number(t), name);
    fw_said(t);
}

void fw_annotate_lock_gone(const volatile void *lock, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", plain(lock));

    if (!t)
        return;
    fw_lock_gone(t, plain(lock), pc);
    fw_leave(t);
}

static bool is_held_by(const struct fw_cell *cell, const struct fw_thread *t)
{
    return cell && cell->of.lock.holder == fw_thread_number(t) + 1;
}

static void got_recursive(struct fw_thread *t, const void *lock, enum fw_wire_kind kind,
                          unsigned levels, uintptr_t pc)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);

    if (!is_held_by(cell, t)) {
        fw_lock_got(t, lock, kind, pc);
        cell = fw_cell_find(FW_CELL_LOCK, lock, 0);
    }
    if (is_held_by(cell, t))
        cell->of.lock.depth += levels;
}

void fw_annotate_lock_got(const volatile void *lock, enum fw_wire_kind kind, unsigned levels,
                          uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", plain(lock));
    bool shared = kind == FW_WIRE_SHARED_ACQUIRE || kind == FW_WIRE_TRY_SHARED_ACQUIRE;

    if (!t)
        return;
    if (kind == FW_WIRE_TRY_FAIL)
        fw_lock_failed(t, plain(lock), pc);
    else if (levels && !shared)
        got_recursive(t, plain(lock), kind, levels, pc);
    else
        fw_lock_got(t, plain(lock), kind, pc);
    fw_leave(t);
}

unsigned fw_annotate_lock_released(const volatile void *lock, bool all, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", plain(lock));
    struct fw_cell *cell;
    unsigned levels = 1;

    if (!t)
        return 1;
    cell = fw_cell_find(FW_CELL_LOCK, plain(lock), 0);
    if (is_held_by(cell, t) && cell->of.lock.depth) {
        levels = all ? cell->of.lock.depth : 1;
        cell->of.lock.depth -= levels;
    }
    if (!is_held_by(cell, t) || !cell->of.lock.depth)
        fw_lock_released(t, plain(lock), pc);
    fw_leave(t);
    return levels;
}

/* --- atomic blocks ------------------------------------------------------------------------- */

/* Sends the label's text when it is met first, or when another one stands there now. */
static void introduce(struct fw_thread *t, const char *label)
{
    struct fw_cell *cell = fw_cell_get(FW_CELL_LABEL, label, 0);
    uint64_t hash = 0xcbf29ce484222325u;

    for (const char *c = label; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    if (cell && cell->of.hash == hash)
        return;
    fw_record_text(t, FW_WIRE_TEXT, (uintptr_t)label, label);
    if (cell)
        cell->of.hash = hash;
}

static void block(enum fw_wire_kind kind, const char *label, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_at(pc, "annotation", label);

    if (!t)
        return;
    if (label)
        introduce(t, label);
    fw_record(t, kind, (uintptr_t)label, pc);
    fw_leave(t);
}

FW_EXPORT void foreweave_begin(const char *label)
{
    block(FW_WIRE_BEGIN, label, FW_PC);
}

FW_EXPORT void foreweave_end(const char *label)
{
    block(FW_WIRE_END, label, FW_PC);
}

/* --- ignoring ------------------------------------------------------------------------------ */

#define IGNORE(name, what)                                                                         \
    FW_EXPORT void foreweave_ignore_##name##begin(void)                                            \
    {                                                                                              \
        fw_annotate_ignore(what, 1);                                                               \
    }                                                                                              \
    FW_EXPORT void foreweave_ignore_##name##end(void)                                              \
    {                                                                                              \
        fw_annotate_ignore(what, -1);                                                              \
    }
IGNORE(, FW_IGNORE_ALL)
IGNORE(reads_, FW_IGNORE_READS)
IGNORE(writes_, FW_IGNORE_WRITES)
IGNORE(sync_, FW_IGNORE_SYNC)

/* --- the rest ------------------------------------------------------------------------------ */

FW_EXPORT void foreweave_expect_race(const volatile void *address, size_t bytes, const char *why)
{
    (void)why; /* for who reads the program */
    fw_annotate_expect(address, bytes, FW_PC);
}

FW_EXPORT void foreweave_happens_before(const volatile void *object)
{
    fw_annotate_sync(FW_WIRE_BEFORE, object, FW_PC);
}

FW_EXPORT void foreweave_happens_after(const volatile void *object)
{
    fw_annotate_sync(FW_WIRE_AFTER, object, FW_PC);
}

FW_EXPORT void foreweave_lock_created(const volatile void *lock)
{
    fw_annotate_lock_gone(lock, FW_PC);
}

FW_EXPORT void foreweave_lock_destroyed(const volatile void *lock)
{
    fw_annotate_lock_gone(lock, FW_PC);
}

#define LOCK(name, kind)                                                                           \
    FW_EXPORT void foreweave_lock_##name(const volatile void *lock)                                \
    {                                                                                              \
        fw_annotate_lock_got(lock, kind, 0, FW_PC);                                                \
    }
LOCK(acquired, FW_WIRE_ACQUIRE)
LOCK(try_acquired, FW_WIRE_TRY_ACQUIRE)
LOCK(try_failed, FW_WIRE_TRY_FAIL)
LOCK(shared_acquired, FW_WIRE_SHARED_ACQUIRE)
LOCK(shared_try_acquired, FW_WIRE_TRY_SHARED_ACQUIRE)

FW_EXPORT void foreweave_lock_released(const volatile void *lock)
{
    fw_annotate_lock_released(lock, false, FW_PC);
}

FW_EXPORT void foreweave_thread_name(const char *name)
{
    fw_annotate_name(name);
}

/* --- programs made from traces ------------------------------------------------------------- */

/* A wake that no pthread_cond_wait stands for: it answers the latest notify. */
FW_EXPORT void foreweave_wake(void *condition)
{
    struct fw_thread *t = fw_enter();
    struct fw_cell *cell;

    if (!t)
        return;
    cell = fw_cell_find(FW_CELL_CONDITION, condition, 0);
    if (cell && cell->of.condition.notify)
        fw_sync_answer(t, FW_WIRE_WAKE, condition, cell->of.condition.notify, FW_PC);
    fw_leave(t);
}

FW_EXPORT void foreweave_barrier_in(void *barrier)
{
    fw_annotate_sync(FW_WIRE_BARRIER_IN, barrier, FW_PC);
}

FW_EXPORT void foreweave_barrier_out(void *barrier)
{
    fw_annotate_sync(FW_WIRE_BARRIER_OUT, barrier, FW_PC);
}
