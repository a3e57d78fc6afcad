/*
 * oracle_judge.c - is this sequence a witness?  and: all sequences.
 *
 * The judge runs the sequence by the step rules and then looks whether the
 * state it leads to is what the claim says.
 */
#include "support/oracle_internal.h"
#include "support/oracle_iroot.h"

/* Runs the first `count` events of the order; false if one of them may not happen. */
static bool run(const struct fw_oracle *o, uint8_t *state, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] >= o->count ||
            oracle_next(o, state, oracle_event(o, order[i])->thread) != order[i] ||
            !oracle_may(o, state, order[i]))
            return false;
        oracle_step(o, state, order[i]);
    }
    return true;
}

/* Where the event stands in the order; order_count if it does not. */
static uint32_t place_of(const struct fw_witness *w, uint32_t event)
{
    uint32_t i = 0;

    while (i < w->order_count && w->order[i] != event)
        i++;
    return i;
}

static bool is_next(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    return oracle_next(o, state, oracle_event(o, event)->thread) == event;
}

/* The order ends with the pair, in any order; before it both are next. */
static bool shows_race(const struct fw_oracle *o, const struct fw_witness *w, uint8_t *state)
{
    const uint32_t *last, *e = w->events;

    if (w->event_count != 2 || w->order_count < 2)
        return false;
    last = w->order + w->order_count - 2;
    if (!(last[0] == e[0] && last[1] == e[1]) && !(last[0] == e[1] && last[1] == e[0]))
        return false;
    return run(o, state, w->order, w->order_count - 2) && is_next(o, state, e[0]) &&
           is_next(o, state, e[1]) && oracle_conflict(o, e[0], e[1]);
}

/* Is the ith of the claimed acquires one that waits for a lock of another one's thread? */
static bool waits_in_set(const struct fw_oracle *o, const struct fw_witness *w,
                         const uint8_t *state, uint32_t i)
{
    for (uint32_t k = 0; k < w->event_count; k++)
        if (oracle_waits_for(o, state, w->events[i], oracle_event(o, w->events[k])->thread))
            return true;
    return false;
}

static bool shows_deadlock(const struct fw_oracle *o, const struct fw_witness *w, uint8_t *state)
{
    if (w->event_count < 2 || !run(o, state, w->order, w->order_count))
        return false;
    for (uint32_t i = 0; i < w->event_count; i++) {
        if (!is_next(o, state, w->events[i]) ||
            !fw_is_class(oracle_event(o, w->events[i])->kind, FW_CLASS_BLOCKING))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (w->events[k] == w->events[i])
                return false;
    }
    for (uint32_t i = 0; i < w->event_count; i++)
        if (!waits_in_set(o, w, state, i))
            return false;
    return true;
}

static bool shows_order(const struct fw_oracle *o, const struct fw_witness *w, uint8_t *state)
{
    if (w->event_count < 1 || !run(o, state, w->order, w->order_count))
        return false;
    for (uint32_t i = 0; i < w->event_count; i++) {
        if (place_of(w, w->events[i]) == w->order_count)
            return false;
        if (i > 0 && place_of(w, w->events[i - 1]) >= place_of(w, w->events[i]))
            return false;
    }
    return true;
}

static bool shows_atomicity(const struct fw_oracle *o, const struct fw_witness *w, uint8_t *state)
{
    return w->event_count == 3 && shows_order(o, w, state) &&
           oracle_consecutive(o, w->events[0], w->events[2]) &&
           oracle_unserialisable(o, w->events[0], w->events[1], w->events[2]);
}

/* The order ends with the read; up to it no read is changed; it sees the other write or none. */
static bool shows_nondeterminism(const struct fw_oracle *o, const struct fw_witness *w,
                                 uint8_t *state)
{
    uint32_t read, sees;

    if (w->event_count < 1 || w->event_count > 2 || w->order_count < 1)
        return false;
    read = w->events[0];
    if (w->order[w->order_count - 1] != read || !fw_is_read(oracle_event(o, read)->kind))
        return false;
    if (!run(o, state, w->order, w->order_count - 1) || oracle_any_tainted(o, state))
        return false;
    if (!is_next(o, state, read) || !oracle_may(o, state, read))
        return false;
    sees = oracle_sees(o, state, read);
    return sees != o->facts[read].writer &&
           !(sees != FW_NO_EVENT && oracle_same_value(o, read, sees)) &&
           (w->event_count == 1 ? sees == FW_NO_EVENT : sees == w->events[1]);
}

/* The last write of the event's variable in the order; NULL: in the trace. */
static uint32_t last_write(const struct fw_oracle *o, const uint32_t *order, uint32_t of)
{
    uint32_t last = FW_NO_EVENT;

    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t e = order ? order[i] : i;

        if (fw_is_write(oracle_event(o, e)->kind) &&
            oracle_event(o, e)->target == oracle_event(o, of)->target)
            last = e;
    }
    return last;
}

/* Values are left to the verifier's own tests. */
static bool shows_final(const struct fw_oracle *o, const struct fw_witness *w, uint8_t *state)
{
    uint32_t write = w->events[0];

    return w->event_count == 1 && fw_is_write(oracle_event(o, write)->kind) &&
           w->order_count == o->count && run(o, state, w->order, w->order_count) &&
           !oracle_any_tainted(o, state) && last_write(o, w->order, write) == write &&
           last_write(o, NULL, write) != write;
}

bool fw_oracle_judge(const struct fw_oracle *oracle, const struct fw_witness *witness)
{
    uint8_t state[FW_ORACLE_STATE_BYTES] = { 0 };

    for (uint32_t i = 0; i < witness->event_count; i++)
        if (witness->events[i] >= oracle->count)
            return false;
    switch (witness->claim) {
    case FW_CLAIM_RACE:
        return shows_race(oracle, witness, state);
    case FW_CLAIM_DEADLOCK:
        return shows_deadlock(oracle, witness, state);
    case FW_CLAIM_ORDER:
        return shows_order(oracle, witness, state);
    case FW_CLAIM_ATOMICITY:
        return shows_atomicity(oracle, witness, state);
    case FW_CLAIM_NONDETERMINISM:
        return shows_nondeterminism(oracle, witness, state);
    case FW_CLAIM_FINAL:
        return shows_final(oracle, witness, state);
    case FW_CLAIM_IROOT:
        return fw_oracle_shows_iroot(oracle, witness, FW_VERIFY_WINDOW);
    }
    return false;
}

struct enumeration {
    const struct fw_oracle *o;
    uint64_t calls, limit;
    bool (*each)(void *context, const uint32_t *order, uint32_t count);
    void *context;
    uint32_t *order;
};

/* Returns false when it is time to stop. */
static bool enumerate_from(struct enumeration *job, const uint8_t *state, uint32_t depth)
{
    const struct fw_oracle *o = job->o;
    uint8_t to[FW_ORACLE_STATE_BYTES];

    for (uint32_t t = 0; t < o->thread_count; t++) {
        uint32_t event = oracle_next(o, state, t);

        if (event == FW_NO_EVENT || !oracle_may(o, state, event))
            continue;
        if (job->calls == job->limit)
            return false;
        job->calls++;
        job->order[depth] = event;
        if (!job->each(job->context, job->order, depth + 1))
            return false;
        memcpy(to, state, FW_ORACLE_STATE_BYTES);
        oracle_step(o, to, event);
        if (!enumerate_from(job, to, depth + 1))
            return false;
    }
    return true;
}

uint64_t fw_oracle_enumerate(const struct fw_oracle *oracle, uint64_t limit,
                             bool (*each)(void *context, const uint32_t *order, uint32_t count),
                             void *context)
{
    uint8_t start[FW_ORACLE_STATE_BYTES] = { 0 };
    struct enumeration job = { oracle, 0, limit, each, context, NULL };

    job.order = fw_xcalloc(oracle->count + 1, sizeof *job.order);
    enumerate_from(&job, start, 0);
    free(job.order);
    return job.calls;
}
