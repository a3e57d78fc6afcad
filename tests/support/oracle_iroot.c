/*
 * oracle_iroot.c - the oracle's own word on interleaving idioms.
 *
 * An instance is a few events that stand in their threads as an idiom wants
 * it; whether it can happen is read off the graph of states: some path does
 * all of them, and at no step between the two of a dependency an access that
 * parts them.  The definitions are those of iroot/iroot.h, taken word for word.
 */
#include "support/oracle_iroot.h"
#include "support/oracle_internal.h"

/* ---- accesses ---- */

static bool is_lock_operation(unsigned kind)
{
    switch (kind) {
    case FW_ACQUIRE:
    case FW_TRY_ACQUIRE:
    case FW_SHARED_ACQUIRE:
    case FW_TRY_SHARED_ACQUIRE:
    case FW_RELEASE:
    case FW_SHARED_RELEASE:
        return true;
    default:
        return false;
    }
}

static bool is_variable_operation(unsigned kind)
{
    switch (kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
    case FW_FREE:
        return true;
    default:
        return false;
    }
}

static bool is_access(const struct fw_oracle *o, uint32_t e)
{
    return is_lock_operation(oracle_event(o, e)->kind) ||
           is_variable_operation(oracle_event(o, e)->kind);
}

static bool is_writing(const struct fw_oracle *o, uint32_t e)
{
    switch (oracle_event(o, e)->kind) {
    case FW_READ:
    case FW_ATOMIC_LOAD:
    case FW_SHARED_ACQUIRE:
    case FW_TRY_SHARED_ACQUIRE:
    case FW_SHARED_RELEASE:
    case FW_SHARED_REQUEST:
        return false;
    default:
        return true;
    }
}

static uint32_t thread_of(const struct fw_oracle *o, uint32_t e)
{
    return oracle_event(o, e)->thread;
}

static bool of_one_object(const struct fw_oracle *o, uint32_t a, uint32_t b)
{
    return oracle_event(o, a)->target == oracle_event(o, b)->target &&
           is_variable_operation(oracle_event(o, a)->kind) ==
               is_variable_operation(oracle_event(o, b)->kind);
}

static bool may_depend(const struct fw_oracle *o, uint32_t a, uint32_t b)
{
    unsigned first = oracle_event(o, a)->kind, second = oracle_event(o, b)->kind;

    if (!is_access(o, a) || !is_access(o, b) || !of_one_object(o, a, b) ||
        thread_of(o, a) == thread_of(o, b) || (!is_writing(o, a) && !is_writing(o, b)))
        return false;
    return is_variable_operation(first) || ((first == FW_RELEASE || first == FW_SHARED_RELEASE) &&
                                            second != FW_RELEASE && second != FW_SHARED_RELEASE);
}

/* ---- within a thread ---- */

enum ban {
    BAN_NOTHING,
    BAN_OBJECTS,  /* accesses of the objects of either one */
    BAN_RELEASES, /* of the first one's lock */
};

/* The second is behind the first, and not too far. */
static bool behind(const struct fw_oracle *o, uint32_t first, uint32_t second, uint32_t window,
                   enum ban ban)
{
    uint32_t t = thread_of(o, first), from = o->facts[first].place, to = o->facts[second].place;
    uint32_t accesses = 0;

    if (thread_of(o, second) != t || to <= from)
        return false;
    for (uint32_t i = from + 1; i < to; i++) {
        uint32_t e = o->threads[t].events.at[i];
        unsigned kind = oracle_event(o, e)->kind;

        accesses += is_access(o, e);
        if (ban == BAN_OBJECTS && is_access(o, e) &&
            (of_one_object(o, e, first) || of_one_object(o, e, second)))
            return false;
        if (ban == BAN_RELEASES && (kind == FW_RELEASE || kind == FW_SHARED_RELEASE) &&
            of_one_object(o, e, first))
            return false;
    }
    return accesses + 1 <= window;
}

/* ---- idioms ---- */

static bool is_acquire(const struct fw_oracle *o, uint32_t e)
{
    unsigned kind = oracle_event(o, e)->kind;

    return is_lock_operation(kind) && kind != FW_RELEASE && kind != FW_SHARED_RELEASE;
}

static bool may_wait(const struct fw_oracle *o, uint32_t e)
{
    unsigned kind = oracle_event(o, e)->kind;

    return kind == FW_ACQUIRE || kind == FW_SHARED_ACQUIRE || kind == FW_REQUEST ||
           kind == FW_SHARED_REQUEST;
}

/* The waiting one wants what the other one holds. */
static bool would_wait(const struct fw_oracle *o, uint32_t holds, uint32_t waits)
{
    return is_acquire(o, holds) && may_wait(o, waits) && of_one_object(o, holds, waits) &&
           thread_of(o, holds) != thread_of(o, waits) &&
           (is_writing(o, holds) || is_writing(o, waits));
}

bool fw_oracle_waits(const struct fw_oracle *o, const uint32_t *e, uint32_t count, uint32_t window)
{
    return count == 4 && would_wait(o, e[0], e[1]) && would_wait(o, e[2], e[3]) &&
           !of_one_object(o, e[0], e[2]) && behind(o, e[0], e[3], window, BAN_RELEASES) &&
           behind(o, e[2], e[1], window, BAN_RELEASES);
}

unsigned fw_oracle_idiom(const struct fw_oracle *o, const uint32_t *e, uint32_t count,
                         uint32_t window)
{
    bool one;

    if (count < 2 || !may_depend(o, e[0], e[1]))
        return 0;
    if (count == 2)
        return 1;
    if (count == 3)
        return may_depend(o, e[1], e[2]) && behind(o, e[0], e[2], window, BAN_NOTHING) ? 2 : 0;
    if (count != 4 || !may_depend(o, e[2], e[3]))
        return 0;
    one = of_one_object(o, e[0], e[2]);
    if (behind(o, e[0], e[3], window, BAN_OBJECTS) && behind(o, e[1], e[2], window, BAN_NOTHING))
        return one ? 3 : 4;
    if (!one && behind(o, e[0], e[3], window, BAN_NOTHING) &&
        behind(o, e[2], e[1], window, BAN_NOTHING))
        return 5;
    if (!one && behind(o, e[0], e[2], window, BAN_NOTHING) &&
        behind(o, e[1], e[3], window, BAN_NOTHING))
        return 6;
    return 0;
}

/* ---- what is possible ---- */

bool fw_oracle_parts(const struct fw_oracle *o, uint32_t e, uint32_t a, uint32_t b)
{
    if (!is_access(o, e) || !of_one_object(o, e, a))
        return false;
    return thread_of(o, e) == thread_of(o, a) || thread_of(o, e) == thread_of(o, b) ||
           is_writing(o, e) || (is_writing(o, a) && is_writing(o, b));
}

/* May the event happen in this state, as far as a => b is concerned? */
static bool keeps(const struct fw_oracle *o, const uint8_t *state, uint32_t e, uint32_t a,
                  uint32_t b)
{
    if (e == b)
        return oracle_done(o, state, a);
    return !oracle_done(o, state, a) || oracle_done(o, state, b) || !fw_oracle_parts(o, e, a, b);
}

static bool keeps_all(const struct fw_oracle *o, const uint8_t *state, uint32_t e,
                      const uint32_t *events, uint32_t count)
{
    uint32_t second = count == 3 ? 1 : 2;

    return keeps(o, state, e, events[0], events[1]) &&
           (count == 2 || keeps(o, state, e, events[second], events[second + 1]));
}

static const uint8_t *state_of(const struct fw_oracle *o, uint32_t node)
{
    return o->states.at + (size_t)node * o->state_size;
}

static bool all_done(const struct fw_oracle *o, const uint8_t *state, const uint32_t *events,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!oracle_done(o, state, events[i]))
            return false;
    return true;
}

static bool is_next(const struct fw_oracle *o, const uint8_t *state, uint32_t e)
{
    return oracle_next(o, state, thread_of(o, e)) == e;
}

static bool shown_in(const struct fw_oracle *o, const uint8_t *state, const uint32_t *events,
                     uint32_t count, bool waits)
{
    return waits ? is_next(o, state, events[1]) && is_next(o, state, events[3])
                 : all_done(o, state, events, count);
}

bool fw_oracle_iroot(const struct fw_oracle *o, const uint32_t *events, uint32_t count,
                     uint32_t window)
{
    bool waits = fw_oracle_waits(o, events, count, window), found = false;
    uint32_t nodes = fw_oracle_state_count(o);
    uint8_t *reached;

    if (!waits && !fw_oracle_idiom(o, events, count, window))
        return false;
    reached = fw_xcalloc(nodes + 1, sizeof *reached);
    reached[0] = 1;
    /* Node numbers rise along edges, so one pass in their order visits all that is reachable. */
    for (uint32_t i = 0; i < nodes && !found; i++) {
        if (!reached[i])
            continue;
        found = shown_in(o, state_of(o, i), events, count, waits);
        for (uint32_t k = o->nodes.at[i].first_edge; k < o->nodes.at[i + 1].first_edge; k++)
            if (waits || keeps_all(o, state_of(o, i), o->edges.at[k].event, events, count))
                reached[o->edges.at[k].to] = 1;
    }
    free(reached);
    return found;
}

bool fw_oracle_shows_iroot(const struct fw_oracle *o, const struct fw_witness *w, uint32_t window)
{
    bool waits = fw_oracle_waits(o, w->events, w->event_count, window);
    uint8_t state[FW_ORACLE_STATE_BYTES] = { 0 };

    if (!waits && !fw_oracle_idiom(o, w->events, w->event_count, window))
        return false;
    for (uint32_t i = 0; i < w->order_count; i++) {
        if (w->order[i] >= o->count || !is_next(o, state, w->order[i]) ||
            !oracle_may(o, state, w->order[i]) ||
            (!waits && !keeps_all(o, state, w->order[i], w->events, w->event_count)))
            return false;
        oracle_step(o, state, w->order[i]);
    }
    return shown_in(o, state, w->events, w->event_count, waits);
}

/* ---- all instances ---- */

static void add(struct fw_instances *list, unsigned idiom, bool waits, const uint32_t *events,
                uint32_t count)
{
    struct fw_instance instance = { .idiom = idiom, .waits = waits, .count = count };

    memcpy(instance.events, events, count * sizeof *events);
    fw_vec_push(list, instance);
}

/* Those that begin with this dependency. */
static void extend(const struct fw_oracle *o, uint32_t a, uint32_t b, uint32_t window,
                   struct fw_instances *list)
{
    for (uint32_t c = 0; c < o->count; c++) {
        uint32_t e[4] = { a, b, c, 0 };

        if (fw_oracle_idiom(o, e, 3, window) == 2)
            add(list, 2, false, e, 3);
        for (e[3] = 0; e[3] < o->count; e[3]++) {
            unsigned idiom = fw_oracle_idiom(o, e, 4, window);

            if (idiom)
                add(list, idiom, false, e, 4);
        }
    }
}

static void extend_waiting(const struct fw_oracle *o, uint32_t a, uint32_t b, uint32_t window,
                           struct fw_instances *list)
{
    for (uint32_t c = 0; c < o->count; c++)
        for (uint32_t d = 0; d < o->count && is_acquire(o, c); d++) {
            uint32_t e[4] = { a, b, c, d };

            if (fw_oracle_waits(o, e, 4, window))
                add(list, 5, true, e, 4);
        }
}

void fw_oracle_instances(const struct fw_oracle *o, uint32_t window, struct fw_instances *list)
{
    for (uint32_t a = 0; a < o->count; a++)
        for (uint32_t b = 0; b < o->count; b++) {
            uint32_t e[2] = { a, b };

            if (may_depend(o, a, b)) {
                add(list, 1, false, e, 2);
                extend(o, a, b, window, list);
            } else if (would_wait(o, a, b)) {
                extend_waiting(o, a, b, window, list);
            }
        }
}
