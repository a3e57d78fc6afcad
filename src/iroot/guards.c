/* guards.c - see guards.h. */
#include "iroot/guards.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>

struct held {
    uint32_t lock;
    bool shared;
};

/* From where a thread holds a lock to where it holds none is a phase; all are numbered from 1. */
struct holder {
    FW_VEC(struct held) held;
    uint32_t phase, taken; /* locks that were taken in it */
};

/* What may still be the object's guard. */
struct guarded {
    uint32_t lock[FW_GUARD_CHOICES];
    uint32_t count;
    uint32_t thread, phase, taken; /* at the latest access with a lock; phase 0: there was none */
};

struct fw_guards {
    FW_VEC(struct holder) threads;
    FW_VEC(struct guarded) variables;
    FW_VEC(bool) is_guard; /* by lock */
    uint32_t phases, guarded;
};

struct fw_guards *fw_guards_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_guards));
}

void fw_guards_destroy(struct fw_guards *guards)
{
    if (!guards)
        return;
    for (size_t i = 0; i < guards->threads.len; i++)
        fw_vec_release(&guards->threads.at[i].held);
    fw_vec_release(&guards->threads);
    fw_vec_release(&guards->variables);
    fw_vec_release(&guards->is_guard);
    free(guards);
}

static struct holder *holder_of(struct fw_guards *guards, uint32_t thread)
{
    fw_vec_extend(&guards->threads, (size_t)thread + 1);
    return &guards->threads.at[thread];
}

void fw_guards_lock(struct fw_guards *guards, uint32_t thread, uint32_t lock, bool shared)
{
    struct holder *holder = holder_of(guards, thread);

    if (!holder->held.len) {
        holder->phase = ++guards->phases;
        holder->taken = 0;
    }
    holder->taken++;
    fw_vec_push(&holder->held, ((struct held) { lock, shared }));
}

void fw_guards_unlock(struct fw_guards *guards, uint32_t thread, uint32_t lock)
{
    struct holder *holder = holder_of(guards, thread);

    for (size_t i = 0; i < holder->held.len; i++) {
        if (holder->held.at[i].lock != lock)
            continue;
        holder->held.at[i] = fw_vec_pop(&holder->held);
        return;
    }
}

static bool holds(const struct holder *holder, uint32_t lock)
{
    bool any = false;

    for (size_t i = 0; i < holder->held.len; i++) {
        if (holder->held.at[i].lock != lock)
            continue;
        if (holder->held.at[i].shared)
            return false;
        any = true;
    }
    return any;
}

static void begin(struct guarded *guarded, const struct holder *holder)
{
    for (size_t i = 0; i < holder->held.len && guarded->count < FW_GUARD_CHOICES; i++)
        guarded->lock[guarded->count++] = holder->held.at[i].lock;
}

/* Was a lock taken since the object's access before, in one go?  Of another thread's phase that is
 * not over, it may yet be. */
static bool is_mixed(const struct fw_guards *guards, const struct guarded *guarded,
                     const struct holder *holder)
{
    const struct holder *before = &guards->threads.at[guarded->thread];

    if (guarded->phase == holder->phase)
        return guarded->taken != holder->taken;
    return before->held.len && before->phase == guarded->phase;
}

void fw_guards_access(struct fw_guards *guards, uint32_t thread, uint32_t variable)
{
    struct holder *holder = holder_of(guards, thread);
    struct guarded *guarded;
    uint32_t kept = 0;

    if (!holder->held.len)
        return;
    fw_vec_extend(&guards->variables, (size_t)variable + 1);
    guarded = &guards->variables.at[variable];
    if (!guarded->phase)
        begin(guarded, holder);
    else if (is_mixed(guards, guarded, holder))
        guarded->count = 0;
    for (uint32_t i = 0; i < guarded->count; i++)
        if (holds(holder, guarded->lock[i]))
            guarded->lock[kept++] = guarded->lock[i];
    guarded->count = kept;
    guarded->thread = thread;
    guarded->phase = holder->phase;
    guarded->taken = holder->taken;
}

uint32_t fw_guards_of(const struct fw_guards *guards, uint32_t variable)
{
    return variable < guards->variables.len && guards->variables.at[variable].count
               ? guards->variables.at[variable].lock[0]
               : FW_GUARD_NONE;
}

void fw_guards_finish(struct fw_guards *guards)
{
    for (uint32_t i = 0; i < guards->variables.len; i++) {
        uint32_t lock = fw_guards_of(guards, i);

        if (lock == FW_GUARD_NONE)
            continue;
        fw_vec_extend(&guards->is_guard, (size_t)lock + 1);
        guards->is_guard.at[lock] = true;
        guards->guarded++;
    }
}

uint32_t fw_guards_guarded(const struct fw_guards *guards)
{
    return guards->guarded;
}

uint32_t fw_guards_locks(const struct fw_guards *guards)
{
    return (uint32_t)guards->is_guard.len;
}

bool fw_guards_is(const struct fw_guards *guards, uint32_t lock)
{
    return lock < guards->is_guard.len && guards->is_guard.at[lock];
}
