/*
 * oracle_step.c - the rules of correct reorderings, one function each.
 *
 * A state determines the future: where each thread stands (and so which locks
 * it holds), the last write of each variable, what is tainted, and which
 * notifies came after the release they must follow.
 */
#include "support/oracle_internal.h"

bool oracle_tainted(const struct fw_oracle *o, const uint8_t *state, uint32_t thread)
{
    return oracle_bit(state + o->at_thread_taint, thread);
}

bool oracle_any_tainted(const struct fw_oracle *o, const uint8_t *state)
{
    for (uint32_t i = o->at_thread_taint; i < o->at_wake; i++)
        if (state[i])
            return true;
    return false;
}

static bool is_started(const struct fw_oracle *o, const uint8_t *state, uint32_t thread)
{
    uint32_t fork = o->threads[thread].fork;

    return fork == FW_NO_EVENT || oracle_done(o, state, fork);
}

/* Strict model: the virtual branch behind the thread's latest read, which it cannot take. */
static bool at_virtual_branch(const struct fw_oracle *o, const uint8_t *state, uint32_t thread)
{
    uint32_t place = state[thread];

    return o->strict && place > 0 && oracle_tainted(o, state, thread) &&
           fw_is_read(oracle_event(o, o->threads[thread].events.at[place - 1])->kind);
}

uint32_t oracle_next(const struct fw_oracle *o, const uint8_t *state, uint32_t thread)
{
    if (state[thread] == o->threads[thread].events.len || !is_started(o, state, thread) ||
        at_virtual_branch(o, state, thread))
        return FW_NO_EVENT;
    return o->threads[thread].events.at[state[thread]];
}

enum oracle_hold oracle_holds(const struct fw_oracle *o, const uint8_t *state, uint32_t thread,
                              uint32_t lock)
{
    return o->threads[thread].holds[state[thread] * o->lock_count + lock];
}

bool oracle_waits_for(const struct fw_oracle *o, const uint8_t *state, uint32_t acquire,
                      uint32_t holder)
{
    const struct fw_event *event = oracle_event(o, acquire);
    enum oracle_hold hold = oracle_holds(o, state, holder, event->target);

    if (holder == event->thread)
        return false;
    return fw_is_class(event->kind, FW_CLASS_SHARED) ? hold == ORACLE_EXCLUSIVE
                                                     : hold != ORACLE_FREE;
}

/* Mutual exclusion: nobody else holds the lock in a conflicting mode. */
static bool may_acquire(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    for (uint32_t t = 0; t < o->thread_count; t++)
        if (oracle_waits_for(o, state, event, t))
            return false;
    return true;
}

/* A failed try needs the lock held by another thread, in any mode. */
static bool may_try_fail(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    for (uint32_t t = 0; t < o->thread_count; t++)
        if (t != oracle_event(o, event)->thread &&
            oracle_holds(o, state, t, oracle_event(o, event)->target) != ORACLE_FREE)
            return true;
    return false;
}

/* A wake comes after the notify it answers, which came after the waiter's own release. */
static bool may_wake(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    const struct oracle_fact *fact = &o->facts[event];

    if (fact->answers == FW_NO_EVENT)
        return true;
    return oracle_done(o, state, fact->answers) &&
           (fact->released == FW_NO_EVENT || oracle_bit(state + o->at_wake, fact->wake));
}

static bool may_pend(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    uint32_t post = o->facts[event].answers;

    return post == FW_NO_EVENT || oracle_done(o, state, post);
}

/* Have all ins of this round of the event's barrier happened? */
static bool round_is_in(const struct fw_oracle *o, const uint8_t *state, uint32_t event,
                        uint32_t round)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (oracle_event(o, i)->kind == FW_BARRIER_IN && o->facts[i].round == round &&
            oracle_event(o, i)->target == oracle_event(o, event)->target &&
            !oracle_done(o, state, i))
            return false;
    return true;
}

/* All events of the joined thread, the virtual branch behind a last read included. */
static bool may_join(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    uint32_t child = oracle_event(o, event)->target;

    return is_started(o, state, child) && state[child] == o->threads[child].events.len &&
           !at_virtual_branch(o, state, child);
}

uint32_t oracle_sees(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    uint32_t slot = o->facts[event].slot;

    if (slot == ORACLE_NO_SLOT || state[o->at_last + slot] == 0)
        return FW_NO_EVENT;
    return o->writes[slot][state[o->at_last + slot] - 1];
}

bool oracle_may(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    unsigned kind = oracle_event(o, event)->kind;

    switch (kind) {
    case FW_BRANCH:
        return !oracle_tainted(o, state, oracle_event(o, event)->thread);
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_RMW:
        return !o->facts[event].must_see || oracle_sees(o, state, event) == o->facts[event].writer;
    case FW_ACQUIRE:
    case FW_TRY_ACQUIRE:
    case FW_SHARED_ACQUIRE:
    case FW_TRY_SHARED_ACQUIRE:
        return may_acquire(o, state, event);
    case FW_TRY_FAIL:
        return may_try_fail(o, state, event);
    case FW_WAKE:
        return may_wake(o, state, event);
    case FW_PEND:
        return may_pend(o, state, event);
    case FW_BARRIER_IN:
        return o->facts[event].round == 0 ||
               round_is_in(o, state, event, o->facts[event].round - 1);
    case FW_BARRIER_OUT:
        return round_is_in(o, state, event, o->facts[event].round);
    case FW_JOIN:
        return may_join(o, state, event);
    default:
        return true;
    }
}

/* Another write than in the trace (with values: unless of the same value), or a tainted one. */
static bool is_changed(const struct fw_oracle *o, const uint8_t *state, uint32_t read)
{
    uint32_t slot = o->facts[read].slot, sees = oracle_sees(o, state, read);

    if (sees != o->facts[read].writer && !(sees != FW_NO_EVENT && oracle_same_value(o, read, sees)))
        return true;
    return slot != ORACLE_NO_SLOT && oracle_bit(state + o->at_variable_taint, slot);
}

/* Remembers for each wake that answers this notify whether its release has happened. */
static void note_notify(const struct fw_oracle *o, uint8_t *state, uint32_t notify)
{
    for (uint32_t i = 0; i < o->count; i++) {
        const struct oracle_fact *fact = &o->facts[i];

        if (oracle_event(o, i)->kind == FW_WAKE && fact->answers == notify &&
            fact->released != FW_NO_EVENT)
            oracle_set_bit(state + o->at_wake, fact->wake, oracle_done(o, state, fact->released));
    }
}

static void note_write(const struct fw_oracle *o, uint8_t *state, uint32_t event)
{
    const struct oracle_fact *fact = &o->facts[event];

    if (fact->slot == ORACLE_NO_SLOT)
        return;
    state[o->at_last + fact->slot] = (uint8_t)fact->writing;
    oracle_set_bit(state + o->at_variable_taint, fact->slot,
                   oracle_tainted(o, state, oracle_event(o, event)->thread));
}

void oracle_step(const struct fw_oracle *o, uint8_t *state, uint32_t event)
{
    const struct fw_event *e = oracle_event(o, event);
    uint8_t *taint = state + o->at_thread_taint;

    if (fw_is_read(e->kind) && is_changed(o, state, event))
        oracle_set_bit(taint, e->thread, true);
    if (fw_is_write(e->kind))
        note_write(o, state, event);
    if (e->kind == FW_FORK && oracle_bit(taint, e->thread))
        oracle_set_bit(taint, e->target, true);
    if (e->kind == FW_JOIN && oracle_bit(taint, e->target))
        oracle_set_bit(taint, e->thread, true);
    if (e->kind == FW_NOTIFY || e->kind == FW_NOTIFY_ALL)
        note_notify(o, state, event);
    state[e->thread]++;
}

void oracle_normalise(const struct fw_oracle *o, uint8_t *state)
{
    uint64_t wanted = 0;

    for (uint32_t t = 0; t < o->thread_count; t++) {
        const struct oracle_thread *thread = &o->threads[t];

        wanted |= (oracle_tainted(o, state, t) ? thread->reads_tainted : thread->reads)[state[t]];
    }
    for (uint32_t s = 0; s < o->slot_count; s++) {
        if (wanted >> s & 1)
            continue;
        state[o->at_last + s] = 0;
        oracle_set_bit(state + o->at_variable_taint, s, false);
    }
    for (uint32_t i = 0; o->wake_count && i < o->count; i++)
        if (oracle_event(o, i)->kind == FW_WAKE && oracle_done(o, state, i))
            oracle_set_bit(state + o->at_wake, o->facts[i].wake, false);
}

void fw_oracle_start(const struct fw_oracle *oracle, struct fw_oracle_state *state)
{
    (void)oracle;
    memset(state, 0, sizeof *state);
}

uint32_t fw_oracle_next(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                        uint32_t thread)
{
    return oracle_next(oracle, state->bytes, thread);
}

bool fw_oracle_may(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                   uint32_t event)
{
    return oracle_may(oracle, state->bytes, event);
}

void fw_oracle_step(const struct fw_oracle *oracle, struct fw_oracle_state *state, uint32_t event)
{
    oracle_step(oracle, state->bytes, event);
}

uint32_t fw_oracle_sees(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                        uint32_t event)
{
    return oracle_sees(oracle, state->bytes, event);
}

bool fw_oracle_tainted(const struct fw_oracle *oracle, const struct fw_oracle_state *state,
                       uint32_t thread)
{
    return oracle_tainted(oracle, state->bytes, thread);
}
