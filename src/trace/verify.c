/*
 * verify.c - see verify.h: does a witness show what it claims?
 *
 * Every claim is judged in the same way: is the claim well-formed (the right
 * number and kinds of events), is its order a correct reordering (verify_play),
 * and does the order, or the state it leads to, show the claim.
 */
#include "trace/verify.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/verify_claim.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fw_claim_names[] = {
    [FW_CLAIM_RACE] = "race",
    [FW_CLAIM_DEADLOCK] = "deadlock",
    [FW_CLAIM_ORDER] = "order",
    [FW_CLAIM_ATOMICITY] = "atomicity",
    [FW_CLAIM_NONDETERMINISM] = "nondeterminism",
    [FW_CLAIM_FINAL] = "final",
    [FW_CLAIM_IROOT] = "iroot",
};

struct fw_verifier {
    struct fw_player player;
};

bool fw_claim_refuse(struct fw_player *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(p->verdict->reason, sizeof p->verdict->reason, fmt, args);
    va_end(args);
    return false;
}

static const struct fw_event *event_at(const struct fw_player *p, uint32_t e)
{
    return &p->trace->events[e];
}

struct fw_label fw_claim_label(const struct fw_player *p, uint32_t e)
{
    struct fw_label full = fw_play_label(p, e);
    size_t len = strlen(full.text);

    snprintf(full.text + len, sizeof full.text - len, " by %.16s",
             fw_thread_name(p->trace->symbols, event_at(p, e)->thread));
    return full;
}

static bool events_exist(struct fw_player *p, const struct fw_witness *w)
{
    for (uint32_t i = 0; i < w->event_count; i++)
        if (w->events[i] >= p->trace->count)
            return fw_claim_refuse(p, "event %" PRIu32 " of the claim is not in the trace", i + 1);
    return true;
}

/* ---- race ---- */

static bool pair_conflicts(struct fw_player *p, uint32_t a, uint32_t b)
{
    const struct fw_event *ea = event_at(p, a), *eb = event_at(p, b);

    if (ea->thread == eb->thread)
        return fw_claim_refuse(p, "%s and %s are of one thread", fw_claim_label(p, a).text,
                               fw_claim_label(p, b).text);
    if (!fw_kinds_conflict(ea->kind, eb->kind) || ea->target != eb->target)
        return fw_claim_refuse(p, "%s and %s do not conflict", fw_claim_label(p, a).text,
                               fw_claim_label(p, b).text);
    return true;
}

static bool ends_with(const struct fw_witness *w, uint32_t a, uint32_t b)
{
    uint32_t n = w->order_count;

    return n >= 2 && w->order[n - 2] == a && w->order[n - 1] == b;
}

/*
 * The order ends with the pair.  What comes before it is a correct reordering,
 * and then both events are next in their threads: so both can happen now, in
 * any order or at once.  The pair itself is not played: neither event has to
 * be possible after the other one.
 */
static bool shows_race(struct fw_player *p, const struct fw_witness *w)
{
    uint32_t a, b;

    if (w->event_count != 2)
        return fw_claim_refuse(p, "a race has 2 events, not %" PRIu32, w->event_count);
    a = w->events[0];
    b = w->events[1];
    if (!pair_conflicts(p, a, b))
        return false;
    if (!ends_with(w, a, b) && !ends_with(w, b, a))
        return fw_claim_refuse(p, "the order does not end with the two events of the race");
    return fw_play(p, w->order, w->order_count - 2) && fw_play_is_next(p, a) &&
           fw_play_is_next(p, b);
}

/* ---- deadlock ---- */

static bool gather_set(struct fw_player *p, const struct fw_witness *w)
{
    bool alone = w->event_count == 1 && event_at(p, w->events[0])->kind == FW_RELOCK;

    if (w->event_count < 2 && !alone)
        return fw_claim_refuse(p, "a deadlock has at least 2 waiting threads, not %" PRIu32,
                               w->event_count);
    for (uint32_t i = 0; i < w->event_count; i++) {
        uint32_t e = w->events[i];
        struct fw_play_thread *thread = fw_play_thread(p, event_at(p, e)->thread);

        if (!fw_is_class(event_at(p, e)->kind, FW_CLASS_BLOCKING))
            return fw_claim_refuse(p, "%s does not wait for a lock", fw_claim_label(p, e).text);
        if (thread->in_set)
            return fw_claim_refuse(p, "%s: its thread is already in the deadlock",
                                   fw_claim_label(p, e).text);
        thread->in_set = true;
    }
    return true;
}

/* Does another thread of the set hold the lock in a mode that keeps this one waiting? */
static bool waits_for_set(struct fw_player *p, uint32_t e)
{
    const struct fw_event *event = event_at(p, e);
    const struct fw_play_lock *lock = fw_play_lock(p, event->target);
    bool exclusive = !fw_is_class(event->kind, FW_CLASS_SHARED);
    uint32_t own = p->facts.marks[e] & FW_FACT_READER ? 1 : 0;

    if (event->kind == FW_RELOCK) /* by its own thread */
        return own || lock->writer == event->thread;
    if (lock->writer != FW_NO_EVENT)
        return lock->writer != event->thread && fw_play_thread(p, lock->writer)->in_set;
    return exclusive && lock->set_readers > own;
}

/* After the order, every thread of the set is next at an acquire that the set itself blocks. */
static bool shows_deadlock(struct fw_player *p, const struct fw_witness *w)
{
    if (!gather_set(p, w) || !fw_play(p, w->order, w->order_count))
        return false;
    for (uint32_t i = 0; i < w->event_count; i++)
        if (!fw_play_is_next(p, w->events[i]))
            return false;
    for (uint32_t i = 0; i < w->event_count; i++)
        if (!waits_for_set(p, w->events[i]))
            return fw_play_refuse(p, w->events[i],
                                  "no other thread of the deadlock keeps it waiting");
    return true;
}

/* ---- order and atomicity ---- */

static bool shows_order(struct fw_player *p, const struct fw_witness *w)
{
    if (w->event_count == 0)
        return fw_claim_refuse(p, "an order has at least 1 event");
    if (!fw_play(p, w->order, w->order_count))
        return false;
    for (uint32_t i = 0; i < w->event_count; i++) {
        uint32_t e = w->events[i];

        if (!fw_play_done(p, e))
            return fw_claim_refuse(p, "%s is not in the order", fw_claim_label(p, e).text);
        if (i > 0 && p->when[e] <= p->when[w->events[i - 1]])
            return fw_claim_refuse(p, "%s does not come after %s", fw_claim_label(p, e).text,
                                   fw_claim_label(p, w->events[i - 1]).text);
    }
    return true;
}

/* What an access does: reads, writes, or both at once. */
static unsigned access_classes(const struct fw_player *p, uint32_t e)
{
    return fw_kind_info[event_at(p, e)->kind].classes & (FW_CLASS_READ | FW_CLASS_WRITE);
}

/*
 * Can b between a1 and a2 not be moved before a1 or behind a2 without somebody
 * noticing?  An armw is a read and a write: whichever fits.
 */
static bool unserialisable(unsigned a1, unsigned b, unsigned a2)
{
    const unsigned r = FW_CLASS_READ, w = FW_CLASS_WRITE;

    return (a1 & r && b & w && a2 & r) || (a1 & w && b & w && a2 & r) ||
           (a1 & w && b & r && a2 & w) || (a1 & r && b & w && a2 & w);
}

/* Is a2 the first access of its thread to its variable after a1? */
static bool consecutive(const struct fw_player *p, uint32_t a1, uint32_t a2)
{
    uint32_t e = p->facts.next[a1];

    while (e != FW_NO_EVENT &&
           !(event_at(p, e)->target == event_at(p, a1)->target && access_classes(p, e)))
        e = p->facts.next[e];
    return e == a2;
}

static bool is_triple(struct fw_player *p, uint32_t a1, uint32_t b, uint32_t a2)
{
    unsigned c1 = access_classes(p, a1), cb = access_classes(p, b), c2 = access_classes(p, a2);
    uint32_t x = event_at(p, a1)->target, t = event_at(p, a1)->thread;

    if (!c1 || !cb || !c2 || event_at(p, b)->target != x || event_at(p, a2)->target != x)
        return fw_claim_refuse(p, "the three events are not accesses to one variable");
    if (event_at(p, a2)->thread != t || event_at(p, b)->thread == t)
        return fw_claim_refuse(p,
                               "the first and the last event must be of one thread, the second of "
                               "another");
    if (!unserialisable(c1, cb, c2))
        return fw_claim_refuse(p, "%s between %s and %s can be serialised",
                               fw_claim_label(p, b).text, fw_play_label(p, a1).text,
                               fw_play_label(p, a2).text);
    return true;
}

/* A feasible order a1 < b < a2 of consecutive accesses, that no serial execution explains. */
static bool shows_atomicity(struct fw_player *p, const struct fw_witness *w)
{
    if (w->event_count != 3)
        return fw_claim_refuse(p, "an atomicity violation has 3 events, not %" PRIu32,
                               w->event_count);
    if (!is_triple(p, w->events[0], w->events[1], w->events[2]) || !shows_order(p, w))
        return false;
    /* Between a1 and a2 the walk meets only events of the order: linear in the witness. */
    if (!consecutive(p, w->events[0], w->events[2]))
        return fw_claim_refuse(p, "%s is not the next access to its variable after %s",
                               fw_claim_label(p, w->events[2]).text,
                               fw_play_label(p, w->events[0]).text);
    return true;
}

/* ---- nondeterminism ---- */

static bool is_nondeterminism(struct fw_player *p, const struct fw_witness *w)
{
    uint32_t read, instead;

    if (w->event_count < 1 || w->event_count > 2)
        return fw_claim_refuse(p, "nondeterminism has 1 or 2 events, not %" PRIu32, w->event_count);
    read = w->events[0];
    instead = w->event_count == 2 ? w->events[1] : FW_NO_EVENT;
    if (!fw_is_read(event_at(p, read)->kind))
        return fw_claim_refuse(p, "%s is not a read", fw_claim_label(p, read).text);
    if (instead == p->facts.answer[read])
        return fw_claim_refuse(p, "%s sees in the trace what it is claimed to see instead",
                               fw_claim_label(p, read).text);
    if (fw_play_is_same(p, read, instead))
        return fw_claim_refuse(p, "%s got the value in the trace that %s leaves",
                               fw_claim_label(p, read).text, fw_claim_label(p, instead).text);
    if (w->order_count == 0 || w->order[w->order_count - 1] != read)
        return fw_claim_refuse(p, "the order does not end with %s", fw_claim_label(p, read).text);
    return true;
}

/* The order ends with the read, which sees something else; every other read is unchanged. */
/* Every read so far sees what it saw. */
static bool nothing_changed(struct fw_player *p)
{
    if (p->changed == FW_NO_EVENT)
        return true;
    p->verdict->step = (uint32_t)(p->when[p->changed] - p->begun) - 1;
    return fw_claim_refuse(p, "step %" PRIu32 ": %s, but it does not see what it saw in the trace",
                           p->verdict->step + 1, fw_claim_label(p, p->changed).text);
}

static bool shows_nondeterminism(struct fw_player *p, const struct fw_witness *w)
{
    uint32_t instead = w->event_count == 2 ? w->events[1] : FW_NO_EVENT;
    uint32_t before = w->order_count - 1;

    if (!is_nondeterminism(p, w) || !fw_play(p, w->order, before) || !nothing_changed(p))
        return false;
    if (!fw_play(p, &w->order[before], 1))
        return false;
    if (p->seen != instead && instead == FW_NO_EVENT)
        return fw_claim_refuse(p, "%s is claimed to see no write, but sees event %" PRIu64,
                               fw_claim_label(p, w->events[0]).text,
                               fw_trace_index(p->trace, p->seen));
    if (p->seen != instead)
        return fw_claim_refuse(p, "%s does not see %s", fw_claim_label(p, w->events[0]).text,
                               fw_claim_label(p, instead).text);
    return true;
}

/* ---- the judge ---- */

/* ---- the values at the end ---- */

/* The last write of the variable in this order of all events, or in the trace. */
static uint32_t last_write(const struct fw_player *p, uint32_t variable, const uint32_t *order)
{
    for (uint32_t i = p->trace->count; i-- > 0;) {
        uint32_t e = order ? order[i] : i;

        if (fw_is_write(event_at(p, e)->kind) && event_at(p, e)->target == variable)
            return e;
    }
    return FW_NO_EVENT;
}

/* All events, every read as in the trace, and another write is the last one of its variable. */
static bool shows_final(struct fw_player *p, const struct fw_witness *w)
{
    uint32_t write, last;

    if (w->event_count != 1 || !fw_is_write(event_at(p, w->events[0])->kind))
        return fw_claim_refuse(p, "a final value is claimed by one write");
    write = w->events[0];
    last = last_write(p, event_at(p, write)->target, NULL);
    if (last == write || fw_play_leave_same(p, last, write))
        return fw_claim_refuse(p, "%s leaves the last value in the trace as well",
                               fw_claim_label(p, write).text);
    if (!fw_play(p, w->order, w->order_count) || !nothing_changed(p))
        return false;
    if (w->order_count != p->trace->count)
        return fw_claim_refuse(p, "the order does not hold all events of the trace");
    if (last_write(p, event_at(p, write)->target, w->order) != write)
        return fw_claim_refuse(p, "%s is not the last write of its variable",
                               fw_claim_label(p, write).text);
    return true;
}

static bool shows(struct fw_player *p, const struct fw_witness *w)
{
    if (!events_exist(p, w))
        return false;
    switch (w->claim) {
    case FW_CLAIM_RACE:
        return shows_race(p, w);
    case FW_CLAIM_DEADLOCK:
        return shows_deadlock(p, w);
    case FW_CLAIM_ORDER:
        return shows_order(p, w);
    case FW_CLAIM_ATOMICITY:
        return shows_atomicity(p, w);
    case FW_CLAIM_NONDETERMINISM:
        return shows_nondeterminism(p, w);
    case FW_CLAIM_FINAL:
        return shows_final(p, w);
    case FW_CLAIM_IROOT:
        return fw_claim_iroot(p, w);
    }
    FW_BUG("unknown claim %d", (int)w->claim);
}

struct fw_verdict fw_verify(struct fw_verifier *verifier, const struct fw_witness *witness)
{
    struct fw_verdict verdict = { .step = witness->order_count };

    fw_play_begin(&verifier->player, &verdict);
    verdict.accepted = shows(&verifier->player, witness);
    return verdict;
}

struct fw_verifier *fw_verifier_create(const struct fw_trace *trace)
{
    struct fw_verifier *verifier = fw_xmalloc(sizeof *verifier);

    fw_player_init(&verifier->player, trace);
    verifier->player.window = FW_VERIFY_WINDOW;
    return verifier;
}

void fw_verifier_use_values(struct fw_verifier *verifier, bool on)
{
    verifier->player.values = on;
}

void fw_verifier_use_window(struct fw_verifier *verifier, uint32_t window)
{
    verifier->player.window = window;
}

void fw_verifier_destroy(struct fw_verifier *verifier)
{
    if (!verifier)
        return;
    fw_player_release(&verifier->player);
    free(verifier);
}
