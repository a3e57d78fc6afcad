/*
 * prop_index.c - the index says what looking through the trace says.
 *
 * Every entry is worked out again for each event by searching the trace from
 * the definition, quadratic and without state, and compared.
 */
#include "support/oracle.h"
#include "support/property.h"

#include "trace/index.h"

#include <stdio.h>
#include <string.h>

struct check {
    const struct fw_trace *trace;
    const struct fw_oracle *oracle;
    const struct fw_index *index;
    char *why;
    size_t why_size;
};

static const struct fw_event *at(const struct check *c, uint32_t event)
{
    return &c->trace->events[event];
}

static bool same_thread(const struct check *c, uint32_t a, uint32_t b)
{
    return at(c, a)->thread == at(c, b)->thread;
}

static bool same_target(const struct check *c, uint32_t a, uint32_t b)
{
    return at(c, a)->target == at(c, b)->target;
}

static bool fail(const struct check *c, const char *what, uint32_t event, uint32_t got,
                 uint32_t wanted)
{
    snprintf(c->why, c->why_size, "%s of event %u is %d, should be %d", what, event, (int)got,
             (int)wanted);
    return false;
}

/* Acquire and release of the same lock in the same mode, the nearest in the thread. */
static uint32_t naive_release(const struct check *c, uint32_t acquire)
{
    unsigned shared = fw_kind_info[at(c, acquire)->kind].classes & FW_CLASS_SHARED;

    for (uint32_t i = acquire + 1; i < c->trace->count; i++)
        if (fw_is_class(at(c, i)->kind, FW_CLASS_RELEASE) && same_thread(c, i, acquire) &&
            same_target(c, i, acquire) &&
            (fw_kind_info[at(c, i)->kind].classes & FW_CLASS_SHARED) == shared)
            return i;
    return FW_NO_EVENT;
}

static uint32_t naive_acquire(const struct check *c, uint32_t release)
{
    for (uint32_t i = release; i-- > 0;)
        if (fw_is_class(at(c, i)->kind, FW_CLASS_ACQUIRE) && same_thread(c, i, release) &&
            same_target(c, i, release))
            return i;
    return FW_NO_EVENT;
}

static uint32_t naive_barrier_in(const struct check *c, uint32_t out)
{
    for (uint32_t i = out; i-- > 0;)
        if (at(c, i)->kind == FW_BARRIER_IN && same_thread(c, i, out) && same_target(c, i, out))
            return i;
    return FW_NO_EVENT;
}

/* The first or last event of the thread that is forked or joined. */
static uint32_t naive_child(const struct check *c, uint32_t event, bool first)
{
    uint32_t found = FW_NO_EVENT;

    for (uint32_t i = 0; i < c->trace->count; i++)
        if (at(c, i)->thread == at(c, event)->target && (found == FW_NO_EVENT || !first))
            found = i;
    return found;
}

/* The opening event that this closing one closes: the nearest that is still open before it. */
static uint32_t naive_opening(const struct check *c, uint32_t closing, enum fw_kind open,
                              enum fw_kind close)
{
    for (uint32_t i = closing; i-- > 0;) {
        bool closed = false;

        if (at(c, i)->kind != open || !same_thread(c, i, closing) || !same_target(c, i, closing))
            continue;
        /* Closed already, by its own closing event or by one that closes a call around it? */
        for (uint32_t k = i + 1; k < closing && !closed; k++)
            closed = at(c, k)->kind == close && same_thread(c, k, i) &&
                     naive_opening(c, k, open, close) <= i;
        if (!closed)
            return i;
    }
    return FW_NO_EVENT;
}

static uint32_t naive_closing(const struct check *c, uint32_t opening, enum fw_kind open,
                              enum fw_kind close)
{
    for (uint32_t i = opening + 1; i < c->trace->count; i++)
        if (at(c, i)->kind == close && same_thread(c, i, opening) &&
            naive_opening(c, i, open, close) == opening)
            return i;
    return FW_NO_EVENT;
}

static uint32_t naive_partner(const struct check *c, uint32_t event)
{
    unsigned kind = at(c, event)->kind;

    if (fw_is_read(kind))
        return fw_oracle_writer(c->oracle, event);
    if (fw_is_class(kind, FW_CLASS_ACQUIRE))
        return naive_release(c, event);
    if (fw_is_class(kind, FW_CLASS_RELEASE))
        return naive_acquire(c, event);
    switch (kind) {
    case FW_WAKE:
    case FW_PEND:
        return fw_oracle_answers(c->oracle, event);
    case FW_BARRIER_OUT:
        return naive_barrier_in(c, event);
    case FW_FORK:
        return naive_child(c, event, true);
    case FW_JOIN:
        return naive_child(c, event, false);
    case FW_BEGIN:
        return naive_closing(c, event, FW_BEGIN, FW_END);
    case FW_END:
        return naive_opening(c, event, FW_BEGIN, FW_END);
    case FW_CALL:
        return naive_closing(c, event, FW_CALL, FW_RETURN);
    case FW_RETURN:
        return naive_opening(c, event, FW_CALL, FW_RETURN);
    default:
        return FW_NO_EVENT;
    }
}

static bool check_partners(const struct check *c)
{
    for (uint32_t i = 0; i < c->trace->count; i++) {
        uint32_t wanted = naive_partner(c, i);

        if (c->index->partner[i] != wanted)
            return fail(c, "partner", i, c->index->partner[i], wanted);
    }
    return true;
}

/* Is the lock held in that mode by the event's thread just before the event? */
static bool naive_holds(const struct check *c, uint32_t event, uint32_t lock, bool shared)
{
    for (uint32_t i = 0; i < event; i++)
        if (fw_is_class(at(c, i)->kind, FW_CLASS_ACQUIRE) && same_thread(c, i, event) &&
            at(c, i)->target == lock && fw_is_class(at(c, i)->kind, FW_CLASS_SHARED) == shared &&
            naive_release(c, i) >= event)
            return true;
    return false;
}

static bool check_lock_set(const struct check *c, uint32_t event)
{
    uint32_t set = c->index->lock_set[event], found = 0;
    const uint32_t *row = fw_row(&c->index->lock_sets, set);
    uint32_t locks = fw_symbols_count(c->trace->symbols, FW_SPACE_LOCK);

    for (uint32_t key = 0; key < locks * 2; key++) {
        bool wanted = naive_holds(c, event, key / 2, key & 1);
        bool got = found < fw_row_count(&c->index->lock_sets, set) && row[found] == key;

        if (wanted != got)
            return fail(c, "lock set", event, got, wanted);
        found += got;
    }
    return found == fw_row_count(&c->index->lock_sets, set) ||
           fail(c, "size of the lock set", event, fw_row_count(&c->index->lock_sets, set), found);
}

/* Equal sets have equal ids. */
static bool check_lock_sets(const struct check *c)
{
    const struct fw_rows *sets = &c->index->lock_sets;

    for (uint32_t i = 0; i < c->trace->count; i++)
        if (!check_lock_set(c, i))
            return false;
    for (uint32_t a = 0; a < sets->rows; a++)
        for (uint32_t b = 0; b < a; b++)
            if (fw_row_count(sets, a) == fw_row_count(sets, b) &&
                memcmp(fw_row(sets, a), fw_row(sets, b), fw_row_count(sets, a) * 4) == 0)
                return fail(c, "a second id of lock set", b, a, b);
    return true;
}

/* Is a barout of the same round of the barrier between `from` and `to`? */
static bool left_between(const struct check *c, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i < to; i++)
        if (at(c, i)->kind == FW_BARRIER_OUT && same_target(c, i, from) &&
            c->index->round_of[naive_barrier_in(c, i)] == c->index->round_of[from])
            return true;
    return false;
}

/* A barin is of the round of the barrier's barin before it, unless that round was left. */
static bool check_barrier_in(const struct check *c, uint32_t in, uint32_t *rounds)
{
    uint32_t before = in, round = c->index->round_of[in], first = FW_NO_EVENT;

    while (before > 0 &&
           !(at(c, before - 1)->kind == FW_BARRIER_IN && same_target(c, before - 1, in)))
        before--;
    for (uint32_t i = 0; i < in && first == FW_NO_EVENT && before > 0; i++)
        if (at(c, i)->kind == FW_BARRIER_IN && same_target(c, i, in) &&
            c->index->round_of[i] == c->index->round_of[before - 1])
            first = i;
    if (before > 0 && !left_between(c, first, in))
        return round == c->index->round_of[before - 1] ||
               fail(c, "round", in, round, c->index->round_of[before - 1]);
    return round == (*rounds)++ || fail(c, "round", in, round, *rounds - 1);
}

static bool check_round_row(const struct check *c, uint32_t round)
{
    const uint32_t *row = fw_row(&c->index->rounds, round);
    uint32_t found = 0;

    for (uint32_t i = 0; i < c->trace->count; i++)
        if (at(c, i)->kind == FW_BARRIER_IN && c->index->round_of[i] == round)
            if (found >= fw_row_count(&c->index->rounds, round) || row[found++] != i)
                return fail(c, "row of round", round, i, found);
    return found == fw_row_count(&c->index->rounds, round);
}

static bool check_rounds(const struct check *c)
{
    uint32_t rounds = 0;

    for (uint32_t i = 0; c->index->round_of && i < c->trace->count; i++) {
        unsigned kind = at(c, i)->kind;

        if (kind == FW_BARRIER_IN && !check_barrier_in(c, i, &rounds))
            return false;
        if (kind == FW_BARRIER_OUT &&
            c->index->round_of[i] != c->index->round_of[naive_barrier_in(c, i)])
            return fail(c, "round", i, c->index->round_of[i], 0);
    }
    if (c->index->rounds.rows != rounds)
        return fail(c, "number of rounds, not", 0, c->index->rounds.rows, rounds);
    for (uint32_t i = 0; i < rounds; i++)
        if (!check_round_row(c, i))
            return false;
    return true;
}

static bool in_row(const struct check *c, uint32_t event, enum fw_space space, uint32_t row)
{
    if (space == FW_SPACE_THREAD)
        return at(c, event)->thread == row;
    return fw_kind_info[at(c, event)->kind].space == space && at(c, event)->target == row &&
           !fw_is_class(at(c, event)->kind, FW_CLASS_REQUEST);
}

static bool check_rows(const struct check *c, const struct fw_rows *rows, enum fw_space space)
{
    if (rows->rows != fw_symbols_count(c->trace->symbols, space))
        return fail(c, "number of rows, space", space, rows->rows, 0);
    for (uint32_t r = 0; r < rows->rows; r++) {
        uint32_t found = 0;

        for (uint32_t i = 0; i < c->trace->count; i++) {
            if (!in_row(c, i, space, r))
                continue;
            if (found >= fw_row_count(rows, r) || fw_row(rows, r)[found] != i)
                return fail(c, "row", r, i, found);
            if (space == FW_SPACE_THREAD && c->index->in_thread[i] != found)
                return fail(c, "place in thread", i, c->index->in_thread[i], found);
            found++;
        }
        if (found != fw_row_count(rows, r))
            return fail(c, "length of row", r, fw_row_count(rows, r), found);
    }
    return true;
}

static bool check_forks(const struct check *c)
{
    for (uint32_t t = 0; t < fw_trace_thread_count(c->trace); t++) {
        uint32_t fork = FW_NO_EVENT, join = FW_NO_EVENT;

        for (uint32_t i = c->trace->count; i-- > 0;) {
            if (at(c, i)->kind == FW_FORK && at(c, i)->target == t)
                fork = i;
            if (at(c, i)->kind == FW_JOIN && at(c, i)->target == t)
                join = i;
        }
        if (c->index->fork_of[t] != fork)
            return fail(c, "fork of thread, not", t, c->index->fork_of[t], fork);
        if (c->index->join_of[t] != join)
            return fail(c, "join of thread, not", t, c->index->join_of[t], join);
    }
    return true;
}

static bool index_is_right(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct check c = { .why = why, .why_size = why_size };
    struct fw_trace *trace = fw_load_sample(sample, why, why_size);
    struct fw_oracle *oracle;
    struct fw_index *index;
    bool good;

    if (!trace)
        return false;
    c.trace = trace;
    c.oracle = oracle = fw_oracle_create(trace);
    c.index = index = fw_index_create(trace);
    good = check_rows(&c, &index->by_thread, FW_SPACE_THREAD) &&
           check_rows(&c, &index->by_variable, FW_SPACE_VARIABLE) &&
           check_rows(&c, &index->by_lock, FW_SPACE_LOCK) && check_partners(&c) &&
           check_lock_sets(&c) && check_rounds(&c) && check_forks(&c);
    fw_index_destroy(index);
    fw_oracle_destroy(oracle);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "everything", "blocks", "waits", "semaphores",
                                            "barriers",   "shared", "forks", "heap",
                                            "two",        "long",   NULL };

    return fw_property_run("prop_index", profiles, 20000, index_is_right);
}
