/*
 * minimise.c - see minimise.h.
 *
 * Two passes over the order.  The first one draws tickets: what an object must
 * have been through before the event's turn comes.  For a variable that is the
 * number of writes before a read, and the number of all accesses before a
 * write: reads between the same two writes may change places, everything else
 * on the variable may not.  For a lock it is the number of all operations.
 * Who waits for a certain event (join, wake, pend, barriers) just looks whether
 * it has happened.
 *
 * The second pass plays: a thread runs until its next event's turn has not
 * come; then the thread of the earliest event that is left goes on, which can
 * always run, since all that it has to wait for comes before it in the order
 * given.  So every event is looked at a bounded number of times.
 *
 * Witnesses have millions of steps, and this is a good part of what a finding
 * costs: two passes, little memory touched for a step.
 */
#include "predict/minimise.h"

#include "base/bug.h"
#include "base/vec.h"
#include "predict/schedule.h"

/* What a variable or a lock has been through; nothing unless `since` is the present pass. */
struct turn {
    uint32_t since, all, writes;
};

/* The notify comes after the release with which the thread that it wakes began to wait. */
struct watch {
    uint32_t notify, release;
};

struct thread {
    uint32_t length;  /* its events in the order */
    uint32_t done;    /* in the second pass: those that have run */
    uint32_t release; /* in the first pass: its latest one, FW_NO_EVENT: none yet */
};

struct fw_minimiser {
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_witness *witness;
    uint32_t pass; /* number of the present one */
    struct turn *variables, *locks;
    struct thread *threads;
    uint32_t *rounds;       /* barrier round → the pass, and ... */
    uint32_t *arrived;      /* ... how many have come in */
    uint32_t *round_before; /* of the same barrier, or FW_NO_EVENT */
    FW_VEC(struct watch) watches;
    uint32_t *tickets; /* event → its ticket; RUN: it has run */
    FW_VEC(uint32_t) order;
};

#define RUN UINT32_MAX

/* --- life cycle -------------------------------------------------------------------------- */

static void link_rounds(struct fw_minimiser *m)
{
    const struct fw_rows *rounds = &m->index->rounds;
    uint32_t barriers = fw_symbols_count(m->trace->symbols, FW_SPACE_BARRIER);
    uint32_t *latest = fw_xmalloc(((size_t)barriers + 1) * sizeof *latest);

    memset(latest, 0xff, ((size_t)barriers + 1) * sizeof *latest);
    m->rounds = fw_xcalloc((size_t)rounds->rows + 1, sizeof *m->rounds);
    m->arrived = fw_xcalloc((size_t)rounds->rows + 1, sizeof *m->arrived);
    m->round_before = fw_xcalloc((size_t)rounds->rows + 1, sizeof *m->round_before);
    for (uint32_t i = 0; i < rounds->rows; i++) {
        uint32_t barrier;

        m->round_before[i] = FW_NO_EVENT;
        if (!fw_row_count(rounds, i))
            continue;
        barrier = m->trace->events[fw_row(rounds, i)[0]].target;
        m->round_before[i] = latest[barrier];
        latest[barrier] = i;
    }
    free(latest);
}

struct fw_minimiser *fw_minimiser_create(const struct fw_index *index)
{
    struct fw_minimiser *m = fw_xcalloc(1, sizeof *m);

    m->index = index;
    m->trace = index->trace;
    m->variables = fw_xcalloc((size_t)index->by_variable.rows + 1, sizeof *m->variables);
    m->locks = fw_xcalloc((size_t)index->by_lock.rows + 1, sizeof *m->locks);
    m->threads = fw_xcalloc((size_t)index->by_thread.rows + 1, sizeof *m->threads);
    m->tickets = fw_xmalloc(((size_t)m->trace->count + 1) * sizeof *m->tickets);
    if (index->rounds.rows)
        link_rounds(m);
    return m;
}

void fw_minimiser_destroy(struct fw_minimiser *m)
{
    if (!m)
        return;
    free(m->variables);
    free(m->locks);
    free(m->threads);
    free(m->rounds);
    free(m->arrived);
    free(m->round_before);
    fw_vec_release(&m->watches);
    free(m->tickets);
    fw_vec_release(&m->order);
    free(m);
}

/* --- turns ------------------------------------------------------------------------------- */

/* The object that the event takes its turn at; NULL: none. */
static struct turn *turn_of(struct fw_minimiser *m, const struct fw_event *event)
{
    enum fw_space space = fw_kind_info[event->kind].space;
    struct turn *turn;

    if (space == FW_SPACE_VARIABLE)
        turn = &m->variables[event->target];
    else if (space == FW_SPACE_LOCK)
        turn = &m->locks[event->target];
    else
        return NULL;
    if (turn->since != m->pass)
        *turn = (struct turn) { .since = m->pass };
    return turn;
}

/* May it change places with its like? */
static bool only_reads(const struct fw_event *event)
{
    return event->kind == FW_READ || event->kind == FW_ATOMIC_LOAD;
}

static uint32_t ticket_now(const struct turn *turn, const struct fw_event *event)
{
    return only_reads(event) ? turn->writes : turn->all;
}

static void take_turn(struct turn *turn, const struct fw_event *event)
{
    turn->all++;
    turn->writes += !only_reads(event);
}

static void start_pass(struct fw_minimiser *m)
{
    m->pass++;
    FW_ASSERT(m->pass);
}

/* --- the first pass ---------------------------------------------------------------------- */

static void clear_threads(struct fw_minimiser *m)
{
    for (uint32_t t = 0; t < m->index->by_thread.rows; t++)
        m->threads[t] = (struct thread) { .release = FW_NO_EVENT };
}

static void watch_wake(struct fw_minimiser *m, uint32_t wake)
{
    const struct thread *thread = &m->threads[m->trace->events[wake].thread];
    uint32_t notify = m->index->partner[wake];

    if (notify != FW_NO_EVENT && thread->release != FW_NO_EVENT)
        fw_vec_push(&m->watches, ((struct watch) { notify, thread->release }));
}

static int by_notify(const void *a, const void *b)
{
    const struct watch *x = a, *y = b;

    return (x->notify > y->notify) - (x->notify < y->notify);
}

/* Counts the switches; false if it is no order of prefixes of the threads at all. */
static bool draw_tickets(struct fw_minimiser *m, const uint32_t *order, uint32_t count,
                         uint32_t *switches)
{
    uint32_t latest = count ? m->trace->events[order[0]].thread : 0;

    start_pass(m);
    clear_threads(m);
    fw_vec_clear(&m->watches);
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = &m->trace->events[order[i]];
        struct thread *thread = &m->threads[event->thread];
        struct turn *turn = turn_of(m, event);

        if (m->index->in_thread[order[i]] != thread->length++)
            return false;
        *switches += event->thread != latest;
        latest = event->thread;
        if (fw_is_class(event->kind, FW_CLASS_RELEASE))
            thread->release = order[i];
        else if (event->kind == FW_WAKE)
            watch_wake(m, order[i]);
        m->tickets[order[i]] = turn ? ticket_now(turn, event) : 0;
        if (turn)
            take_turn(turn, event);
    }
    if (m->watches.len)
        qsort(m->watches.at, m->watches.len, sizeof *m->watches.at, by_notify);
    return true;
}

/* --- the second pass --------------------------------------------------------------------- */

static bool is_done(const struct fw_minimiser *m, uint32_t event)
{
    return event == FW_NO_EVENT ||
           m->index->in_thread[event] < m->threads[m->trace->events[event].thread].done;
}

/* All that were waiting when it came are waiting. */
static bool notify_may(const struct fw_minimiser *m, uint32_t notify)
{
    size_t low = 0, high = m->watches.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (m->watches.at[middle].notify < notify)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->watches.len && m->watches.at[low].notify == notify; low++)
        if (!is_done(m, m->watches.at[low].release))
            return false;
    return true;
}

static bool round_is_full(const struct fw_minimiser *m, uint32_t round)
{
    return round == FW_NO_EVENT || (m->rounds[round] == m->pass &&
                                    m->arrived[round] == fw_row_count(&m->index->rounds, round));
}

static bool join_may(const struct fw_minimiser *m, uint32_t child)
{
    return m->threads[child].done >= fw_row_count(&m->index->by_thread, child) &&
           is_done(m, m->index->fork_of[child]);
}

/* The events of a claim about an order keep that order. */
static bool claim_lets(const struct fw_minimiser *m, uint32_t event)
{
    const struct fw_witness *w = m->witness;

    if (w->claim != FW_CLAIM_ORDER && w->claim != FW_CLAIM_ATOMICITY)
        return true;
    for (uint32_t i = 1; i < w->event_count; i++)
        if (w->events[i] == event && !is_done(m, w->events[i - 1]))
            return false;
    return true;
}

/* Whom does it wait for, besides its turn at an object? */
static bool partners_let(const struct fw_minimiser *m, uint32_t at, const struct fw_event *event)
{
    uint32_t round;

    switch (event->kind) {
    case FW_WAKE:
    case FW_PEND:
        return is_done(m, m->index->partner[at]);
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
        return notify_may(m, at);
    case FW_BARRIER_IN:
        round = m->index->round_of[at];
        return round == FW_NO_EVENT || round_is_full(m, m->round_before[round]);
    case FW_BARRIER_OUT:
        return round_is_full(m, m->index->round_of[at]);
    case FW_JOIN:
        return join_may(m, event->target);
    default:
        return true;
    }
}

static void arrive(struct fw_minimiser *m, uint32_t at)
{
    uint32_t round = m->index->round_of[at];

    if (round == FW_NO_EVENT)
        return;
    if (m->rounds[round] != m->pass) {
        m->rounds[round] = m->pass;
        m->arrived[round] = 0;
    }
    m->arrived[round]++;
}

/* Runs the thread's next event if its turn has come. */
static bool step(struct fw_minimiser *m, struct thread *thread, uint32_t at)
{
    const struct fw_event *event = &m->trace->events[at];
    struct turn *turn = turn_of(m, event);

    if (turn && ticket_now(turn, event) != m->tickets[at])
        return false;
    if (!turn && !partners_let(m, at, event))
        return false;
    if (thread->done == 0 && !is_done(m, m->index->fork_of[event->thread]))
        return false;
    if (!claim_lets(m, at))
        return false;
    if (turn)
        take_turn(turn, event);
    else if (event->kind == FW_BARRIER_IN)
        arrive(m, at);
    thread->done++;
    m->tickets[at] = RUN;
    m->order.at[m->order.len++] = at; /* there is room */
    return true;
}

static void run_thread(struct fw_minimiser *m, uint32_t t)
{
    struct thread *thread = &m->threads[t];
    const uint32_t *row = fw_row(&m->index->by_thread, t);

    while (thread->done < thread->length && step(m, thread, row[thread->done]))
        ;
}

/* Counts the switches; false if nobody can run: the order given is not correct. */
static bool play(struct fw_minimiser *m, const uint32_t *order, uint32_t count, uint32_t *switches)
{
    uint32_t at = 0;

    start_pass(m);
    fw_vec_clear(&m->order);
    while (m->order.len < count) {
        size_t before = m->order.len;

        while (m->tickets[order[at]] == RUN)
            at++;
        run_thread(m, m->trace->events[order[at]].thread);
        if (m->order.len == before)
            return false;
        *switches += before > 0; /* the thread before was held up: this is another one */
    }
    return true;
}

/* --- the whole --------------------------------------------------------------------------- */

/* What stands behind the part that may be reordered stays: a race's pair, the read in question. */
static uint32_t fixed_end(const struct fw_witness *witness)
{
    switch (witness->claim) {
    case FW_CLAIM_RACE:
        return 2;
    case FW_CLAIM_NONDETERMINISM:
        return 1;
    default:
        return 0;
    }
}

/* The pair of a race comes in either order: first the one whose thread is running. */
static void add_end(struct fw_minimiser *m, const uint32_t *end, uint32_t count)
{
    const struct fw_event *events = m->trace->events;
    bool swap = count == 2 && m->order.len &&
                events[fw_vec_last(&m->order)].thread == events[end[1]].thread;

    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&m->order, end[swap ? count - 1 - i : i]);
}

const uint32_t *fw_minimise(struct fw_minimiser *m, const struct fw_witness *witness)
{
    uint32_t count = witness->order_count, fixed = fixed_end(witness);
    uint32_t tail = fixed < count ? fixed + 1 : count; /* the end and the step before it */
    uint32_t given = 0, mine = 0;

    m->witness = witness;
    fw_vec_reserve(&m->order, count);
    if (count < fixed || !draw_tickets(m, witness->order, count - fixed, &given) ||
        !play(m, witness->order, count - fixed, &mine))
        return witness->order;
    add_end(m, witness->order + count - fixed, fixed);
    given += fw_count_switches(m->trace, witness->order + count - tail, fixed ? tail : 0);
    mine += fw_count_switches(m->trace, m->order.at + count - tail, fixed ? tail : 0);
    return mine < given ? m->order.at : witness->order;
}
