/*
 * sync_locks.c - who holds which lock, as the trace tells it.
 *
 * A trace is well-formed if nobody acquires what another one holds, only holders release, and a try
 * fails only while another one holds the lock.  What really happens can differ from what is
 * recorded: the program may have told us to ignore an operation, a mutex may be unlocked by another
 * thread than its owner, memory with a held lock in it may be freed and used again.  So all lock
 * events go through here, and what would contradict the events before is mended:
 *
 *   - releasing what is not held as recorded sends nothing (or, if another thread holds it, a
 *     happens-before mark, so that the order that it makes is kept);
 *   - getting what another thread holds as recorded makes the lock a new one first (DESTROY);
 *   - a failed try is sent only if another thread holds the lock as recorded.
 */
#include "runtime/control_quick.h"
#include "runtime/sync.h"

static uint32_t robust_held; /* robust locks that are held */

static struct fw_reader *reader_of(struct fw_cell *cell, uint32_t thread)
{
    struct fw_reader *reader = cell->of.lock.readers;

    while (reader && reader->thread != thread)
        reader = reader->next;
    return reader;
}

static void drop_reader(struct fw_cell *cell, struct fw_reader *reader)
{
    struct fw_reader **at = &cell->of.lock.readers;

    while (*at != reader)
        at = &(*at)->next;
    *at = reader->next;
    fw_piece_drop(reader);
}

static void forget_holders(struct fw_cell *cell)
{
    if (cell->of.lock.robust && cell->of.lock.holder)
        robust_held--;
    while (cell->of.lock.readers)
        drop_reader(cell, cell->of.lock.readers);
    cell->of.lock.holder = 0;
    cell->of.lock.depth = 0;
}

/* Does another thread hold it in any mode? */
static bool held_by_other(const struct fw_cell *cell, uint32_t thread)
{
    const struct fw_reader *reader;

    if (cell->of.lock.holder && cell->of.lock.holder != thread + 1)
        return true;
    for (reader = cell->of.lock.readers; reader; reader = reader->next)
        if (reader->thread != thread)
            return true;
    return false;
}

/* What is recorded contradicts what has happened: from here on it is another lock. */
static void renew(struct fw_thread *t, struct fw_cell *cell, uintptr_t pc)
{
    forget_holders(cell);
    fw_sync(t, FW_WIRE_DESTROY, cell->object, pc);
    if (cell->of.lock.passed)
        fw_sync(t, FW_WIRE_AFTER, cell->object, pc);
    cell->of.lock.passed = false;
}

static void got_shared(struct fw_thread *t, struct fw_cell *cell, enum fw_wire_kind kind,
                       uintptr_t pc)
{
    uint32_t self = fw_thread_number(t);
    struct fw_reader *reader = reader_of(cell, self);

    if (reader) {
        reader->depth++;
        return;
    }
    if (cell->of.lock.holder)
        renew(t, cell, pc);
    reader = fw_piece_get();
    if (!reader)
        return;
    if (!fw_sync(t, kind, cell->object, pc)) {
        fw_piece_drop(reader);
        return;
    }
    reader->thread = self;
    reader->depth = 1;
    reader->next = cell->of.lock.readers;
    cell->of.lock.readers = reader;
    t->plan.held++;
}

void fw_lock_got(struct fw_thread *t, const void *lock, enum fw_wire_kind kind, uintptr_t pc)
{
    uint32_t self = fw_thread_number(t);
    struct fw_cell *cell;

    if (fw_sync_is_ignored(t))
        return;
    cell = fw_cell_get(FW_CELL_LOCK, lock, 0);
    if (!cell)
        return;
    if (kind == FW_WIRE_SHARED_ACQUIRE || kind == FW_WIRE_TRY_SHARED_ACQUIRE) {
        got_shared(t, cell, kind, pc);
        return;
    }
    if (cell->of.lock.holder == self + 1)
        return; /* its release was not recorded */
    if (cell->of.lock.holder || cell->of.lock.readers)
        renew(t, cell, pc);
    if (!fw_sync(t, kind, lock, pc))
        return;
    cell->of.lock.holder = self + 1;
    t->plan.held++;
    if (cell->of.lock.robust)
        robust_held++;
}

void fw_lock_taken(struct fw_thread *t, const void *lock)
{
    struct fw_cell *cell = fw_cell_get(FW_CELL_LOCK, lock, 0);

    if (!cell) {
        t->plan.held--;
        return;
    }
    forget_holders(cell);
    cell->of.lock.passed = cell->of.lock.robust = false;
    cell->of.lock.holder = fw_thread_number(t) + 1;
}

void fw_lock_released(struct fw_thread *t, const void *lock, uintptr_t pc)
{
    uint32_t self = fw_thread_number(t);
    struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);
    struct fw_reader *reader;

    if (!cell || fw_sync_is_ignored(t))
        return;
    if (cell->of.lock.holder == self + 1) {
        fw_sync(t, FW_WIRE_RELEASE, lock, pc);
        forget_holders(cell);
        t->plan.held--;
        return;
    }
    reader = reader_of(cell, self);
    if (reader) {
        if (--reader->depth)
            return;
        fw_sync(t, FW_WIRE_SHARED_RELEASE, lock, pc);
        drop_reader(cell, reader);
        t->plan.held--;
    } else if (held_by_other(cell, self)) {
        fw_unmodelled("lock released by another thread than its holder");
        fw_sync(t, FW_WIRE_BEFORE, lock, pc);
        cell->of.lock.passed = true;
        fw_quick_never(); /* its cell is wrong until somebody looks at it */
    }
}

void fw_lock_failed(struct fw_thread *t, const void *lock, uintptr_t pc)
{
    const struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);

    if (cell && held_by_other(cell, fw_thread_number(t)))
        fw_sync(t, FW_WIRE_TRY_FAIL, lock, pc);
}

bool fw_lock_is_held(const void *lock)
{
    const struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);

    return cell && (cell->of.lock.holder || cell->of.lock.readers);
}

uint32_t fw_lock_keeper(const void *lock, bool shared, unsigned i)
{
    const struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);
    const struct fw_reader *reader = cell && !shared ? cell->of.lock.readers : NULL;

    if (cell && cell->of.lock.holder && i-- == 0)
        return cell->of.lock.holder - 1;
    for (; reader && i; i--)
        reader = reader->next;
    return reader ? reader->thread : FW_NO_KEEPER;
}

void fw_lock_gone(struct fw_thread *t, const void *lock, uintptr_t pc)
{
    struct fw_cell *cell = fw_cell_find(FW_CELL_LOCK, lock, 0);

    if (!cell || fw_sync_is_ignored(t))
        return;
    forget_holders(cell);
    fw_sync(t, FW_WIRE_DESTROY, lock, pc);
    fw_cell_drop(cell);
}

static void finish_one(struct fw_cell *cell, void *context)
{
    struct fw_thread *t = context;

    if (!cell->of.lock.robust || cell->of.lock.holder != fw_thread_number(t) + 1)
        return;
    fw_sync(t, FW_WIRE_RELEASE, cell->object, 0);
    forget_holders(cell);
}

/* The kernel gives robust locks back when their holder ends; the next one gets EOWNERDEAD. */
void fw_sync_finish(struct fw_thread *t)
{
    if (fw_quick_held)
        fw_quick_settle();
    if (robust_held)
        fw_cell_each(FW_CELL_LOCK, finish_one, t);
}
