/* stuck.c - see stuck.h. */
#include "runtime/control.h"
#include "runtime/sink.h"
#include "runtime/sync.h"

static bool all_told;     /* that all wait, and nothing has changed since */
static uint64_t searches; /* for cycles */

/* --- what t waits for ---------------------------------------------------------------------- */

static bool is_lock(const struct fw_wait *wait)
{
    return wait->kind == FW_WIRE_WAIT_LOCK || wait->kind == FW_WIRE_WAIT_SHARED;
}

/* The i-th thread that keeps this one waiting for a lock, by its number; FW_NO_KEEPER: no more. */
static uint32_t keeper(const struct fw_thread *t, unsigned i)
{
    return fw_lock_keeper(t->wait.object, t->wait.kind == FW_WIRE_WAIT_SHARED, i);
}

static bool keeps_itself(const struct fw_thread *t)
{
    uint32_t number;

    for (unsigned i = 0; (number = keeper(t, i)) != FW_NO_KEEPER; i++)
        if (number == t->number)
            return true;
    return false;
}

/* --- states -------------------------------------------------------------------------------- */

/* The cycle t → ... → last → t; `from` leads back from the last one. */
static struct fw_stuck cycle_to(struct fw_thread *t, struct fw_thread *last)
{
    struct fw_stuck stuck = { .kind = FW_WIRE_STUCK_CYCLE };
    struct fw_thread *at;

    for (at = last;; at = at->wait.from) {
        at->wait.next = stuck.first;
        stuck.first = at;
        stuck.count++;
        if (at == t)
            return stuck;
    }
}

/* Whoever waits for a lock waits for all who keep it: so one way back to t is enough. */
struct fw_stuck fw_stuck_cycle(struct fw_thread *t)
{
    struct fw_thread *queue = t, *end = t;

    searches++;
    t->wait.next = NULL;
    if (is_lock(&t->wait) && keeps_itself(t))
        return cycle_to(t, t);
    for (; queue && is_lock(&t->wait); queue = queue->wait.next) {
        uint32_t number;

        for (unsigned i = 0; (number = keeper(queue, i)) != FW_NO_KEEPER; i++) {
            struct fw_thread *other = fw_thread_numbered(number);

            if (other == t)
                return cycle_to(t, queue);
            if (!other || other->wait.seen == searches || !is_lock(&other->wait))
                continue;
            other->wait.seen = searches;
            other->wait.from = queue;
            other->wait.next = NULL;
            end->wait.next = other;
            end = other;
        }
    }
    return (struct fw_stuck) { .kind = FW_WIRE_STUCK_NOT };
}

/* Can only another thread of ours wake it?  A lock that nobody holds as recorded is given back out
 * of our sight. */
static bool needs_another(const struct fw_thread *t)
{
    return is_lock(&t->wait) ? keeper(t, 0) != FW_NO_KEEPER : t->wait.kind != FW_WIRE_WAIT_NONE;
}

struct look {
    const struct fw_thread *self;
    bool ends;
    struct fw_stuck stuck;
    struct fw_thread *last;
};

static void look_at(struct fw_thread *t, void *context)
{
    struct look *look = context;
    bool is_self = t == look->self;

    if (t->state == FW_STATE_DEAD || (is_self && look->ends))
        return;
    if ((!is_self && t->state != FW_STATE_BLOCKED) || !needs_another(t))
        look->stuck.kind = FW_WIRE_STUCK_NOT;
    t->wait.next = NULL;
    if (look->last)
        look->last->wait.next = t;
    else
        look->stuck.first = t;
    look->last = t;
    look->stuck.count++;
}

struct fw_stuck fw_stuck_all(struct fw_thread *t, bool ends)
{
    struct look look = { .self = t, .ends = ends, .stuck = { .kind = FW_WIRE_STUCK_ALL } };

    fw_sched_lock();
    fw_thread_each(look_at, &look);
    fw_sched_unlock();
    if (!look.stuck.count)
        look.stuck.kind = FW_WIRE_STUCK_NOT;
    return look.stuck;
}

/* --- telling ------------------------------------------------------------------------------- */

static uint64_t operand_of(const struct fw_wait *wait)
{
    if (wait->kind == FW_WIRE_WAIT_JOIN)
        return ((const struct fw_thread *)wait->object)->number;
    return (uintptr_t)wait->object;
}

static void tell(struct fw_thread *t, const struct fw_stuck *stuck)
{
    struct fw_thread *at;

    if (stuck->kind == FW_WIRE_STUCK_CYCLE)
        fw_control_deadlocked(t);
    if (!fw_sink.on)
        return;
    fw_sink_put_more(t, FW_WIRE_STUCK, stuck->count, stuck->kind, 0, 0);
    for (at = stuck->first; at; at = at->wait.next) {
        uint32_t held = is_lock(&at->wait) ? keeper(at, 0) : FW_NO_KEEPER;

        if (stuck->kind == FW_WIRE_STUCK_CYCLE)
            held = (at->wait.next ? at->wait.next : stuck->first)->number;
        fw_sink_put_more(t, FW_WIRE_STUCK_AT, operand_of(&at->wait),
                         at->number | (uint64_t)at->wait.kind << 32,
                         held == FW_NO_KEEPER ? 0 : held + 1ull, at->wait.pc);
    }
    /* release: pairs with the recorder's acquire, the records are published */
    atomic_fetch_add_explicit(stuck->kind == FW_WIRE_STUCK_CYCLE ? &fw_sink.ring->cycles
                                                                 : &fw_sink.ring->idle,
                              1, memory_order_release);
}

void fw_stuck_nobody_ready(struct fw_thread *t, bool ends)
{
    struct fw_stuck stuck;
    struct fw_thread *at;

    if (all_told)
        return;
    stuck = fw_stuck_all(t, ends);
    if (stuck.kind == FW_WIRE_STUCK_NOT)
        return;
    all_told = true;
    for (at = stuck.first; at; at = at->wait.next)
        if (at->wait.told) {
            if (fw_sink.on)
                atomic_fetch_add(&fw_sink.ring->still, 1);
            return; /* the cycle says why */
        }
    tell(t, &stuck);
}

/* --- waiting ------------------------------------------------------------------------------- */

static void begin(struct fw_thread *t)
{
    struct fw_stuck stuck;

    if (!is_lock(&t->wait))
        return;
    fw_sync(t,
            keeps_itself(t)                       ? FW_WIRE_RELOCK
            : t->wait.kind == FW_WIRE_WAIT_SHARED ? FW_WIRE_SHARED_REQUEST
                                                  : FW_WIRE_REQUEST,
            t->wait.object, t->wait.pc);
    stuck = fw_stuck_cycle(t);
    if (stuck.kind == FW_WIRE_STUCK_NOT || t->wait.told)
        return;
    t->wait.told = true;
    tell(t, &stuck);
}

void fw_wait_begin(struct fw_thread *t, enum fw_wire_wait kind, const void *object, uintptr_t pc)
{
    t->wait = (struct fw_wait) { .kind = kind, .object = object, .pc = pc };
    begin(t);
}

void fw_wait_end(struct fw_thread *t)
{
    t->wait.kind = FW_WIRE_WAIT_NONE;
    all_told = false;
}

struct fw_wait fw_wait_suspend(struct fw_thread *t)
{
    struct fw_wait wait = t->wait;

    if (wait.kind != FW_WIRE_WAIT_NONE)
        fw_wait_end(t);
    return wait;
}

void fw_wait_resume(struct fw_thread *t, const struct fw_wait *wait)
{
    t->wait = *wait;
    begin(t);
}
