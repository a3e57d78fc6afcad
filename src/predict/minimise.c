/*
 * minimise.c - see minimise.h.
 *
 * Works from the end, where the bug is: the thread that is last in the order
 * runs backwards as far as it can, then the thread of the last event that is
 * left, and so on.  (From the beginning, threads run on as far as they can
 * before they are needed and are in the way later: about four times as many
 * switches beyond the fewest possible.)
 *
 * Two passes over the order.  The first one draws tickets: what still follows
 * at an object when the event's turn comes.  For a variable that is the number
 * of writes behind a read, and the number of all accesses behind a write: reads
 * between the same two writes may change places (unless an idiom is claimed of
 * the variable, where who reads first matters), everything else on the
 * variable may not.  For a lock it is the number of all operations.  Who is
 * waited for by a certain event (fork, post, notify, barriers, the last event
 * of a thread) waits for it in turn.
 *
 * The second pass plays.  The thread of the last event that is left can always
 * run, since all that must follow it comes behind it in the order given.  So
 * every event is looked at a bounded number of times.
 *
 * Witnesses have millions of steps, and this is a good part of what a finding
 * costs: two passes, little memory touched for a step.
 */
#include "predict/minimise.h"

#include "base/bug.h"
#include "base/vec.h"
#include "predict/schedule.h"

/* What follows at a variable or a lock; nothing unless `since` is the present pass. */
struct turn {
    uint32_t since, all, writes;
};

/* The first event stays before the second one. */
struct pair {
    uint32_t before, after;
};

struct thread {
    uint32_t length; /* its events in the order */
    uint32_t left;   /* of these have not run yet: a prefix */
    uint32_t joins;  /* of the thread that have not run yet */
};

/* A round of a barrier: who of it has not run yet. */
struct round {
    uint32_t ins, outs;
};

struct fw_minimiser {
    const struct fw_index *index;
    const struct fw_trace *trace;
    const struct fw_witness *witness;
    uint32_t pass; /* number of the present one */
    struct turn *variables, *locks;
    struct thread *threads;
    struct round *rounds;
    uint32_t *round_behind;    /* round → the next one of its barrier, or FW_NO_EVENT */
    FW_VEC(struct pair) pairs; /* of waits and semaphores; sorted */
    uint32_t *tickets;         /* event → its ticket; RUN: it has run */
    uint32_t *order;           /* the result; its places from `at` on are filled */
    uint32_t size, at;
};

#define RUN UINT32_MAX

/* --- life cycle -------------------------------------------------------------------------- */

static void link_rounds(struct fw_minimiser *m)
{
    const struct fw_rows *rounds = &m->index->rounds;
    uint32_t barriers = fw_symbols_count(m->trace->symbols, FW_SPACE_BARRIER);
    uint32_t *behind = fw_xmalloc(((size_t)barriers + 1) * sizeof *behind);

    memset(behind, 0xff, ((size_t)barriers + 1) * sizeof *behind);
    m->rounds = fw_xcalloc(rounds->rows, sizeof *m->rounds);
    m->round_behind = fw_xcalloc(rounds->rows, sizeof *m->round_behind);
    for (uint32_t i = rounds->rows; i-- > 0;) {
        uint32_t barrier;

        m->round_behind[i] = FW_NO_EVENT;
        if (!fw_row_count(rounds, i))
            continue;
        barrier = m->trace->events[fw_row(rounds, i)[0]].target;
        m->round_behind[i] = behind[barrier];
        behind[barrier] = i;
    }
    free(behind);
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
    free(m->round_behind);
    free(m->tickets);
    free(m->order);
    fw_vec_release(&m->pairs);
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

/* Is it of a variable that the claim is about, and must nothing there change places? */
static bool is_held(const struct fw_witness *w, const struct fw_trace *trace, uint32_t variable)
{
    for (uint32_t i = 0; w->claim == FW_CLAIM_IROOT && i < w->event_count; i++)
        if (trace->events[w->events[i]].target == variable)
            return true;
    return false;
}

/* May it change places with its like? */
static bool only_reads(const struct fw_minimiser *m, const struct fw_event *event)
{
    return (event->kind == FW_READ || event->kind == FW_ATOMIC_LOAD) &&
           !is_held(m->witness, m->trace, event->target);
}

static uint32_t ticket_now(const struct fw_minimiser *m, const struct turn *turn,
                           const struct fw_event *event)
{
    return only_reads(m, event) ? turn->writes : turn->all;
}

static void take_turn(const struct fw_minimiser *m, struct turn *turn,
                      const struct fw_event *event)
{
    turn->all++;
    turn->writes += !only_reads(m, event);
}

static void start_pass(struct fw_minimiser *m)
{
    m->pass++;
    FW_ASSERT(m->pass);
}

/* --- who must follow --------------------------------------------------------------------- */

static bool has_run(const struct fw_minimiser *m, uint32_t event)
{
    return m->index->in_thread[event] >= m->threads[m->trace->events[event].thread].left;
}

static void add_pair(struct fw_minimiser *m, uint32_t before, uint32_t after)
{
    if (before != FW_NO_EVENT)
        fw_vec_push(&m->pairs, ((struct pair) { before, after }));
}

/* The thread's latest release before the event: with it the wait that a wake ends began. */
static uint32_t release_before(const struct fw_minimiser *m, uint32_t event)
{
    const uint32_t *row = fw_row(&m->index->by_thread, m->trace->events[event].thread);
    uint32_t i = m->index->in_thread[event];

    while (i-- > 0)
        if (fw_is_class(m->trace->events[row[i]].kind, FW_CLASS_RELEASE))
            return row[i];
    return FW_NO_EVENT;
}

/* A wake comes after its notify, which comes after the waiter's release. */
static void pair_wake(struct fw_minimiser *m, uint32_t wake)
{
    uint32_t notify = m->index->partner[wake];

    add_pair(m, notify, wake);
    if (notify != FW_NO_EVENT)
        add_pair(m, release_before(m, wake), notify);
}

static struct round *round_of(const struct fw_minimiser *m, uint32_t event)
{
    uint32_t round = m->index->round_of[event];

    return round == FW_NO_EVENT ? NULL : &m->rounds[round];
}

/* The event is in the order: others may have to wait for it. */
static void note(struct fw_minimiser *m, uint32_t at, const struct fw_event *event)
{
    struct round *round;

    switch (event->kind) {
    case FW_WAKE:
        pair_wake(m, at);
        break;
    case FW_PEND:
        add_pair(m, m->index->partner[at], at);
        break;
    case FW_JOIN:
        m->threads[event->target].joins++;
        break;
    case FW_BARRIER_IN:
    case FW_BARRIER_OUT:
        round = round_of(m, at);
        if (round)
            ++*(event->kind == FW_BARRIER_IN ? &round->ins : &round->outs);
        break;
    default:
        break;
    }
}

/* The event has run. */
static void forget(struct fw_minimiser *m, uint32_t at, const struct fw_event *event)
{
    struct round *round;

    if (event->kind == FW_JOIN) {
        m->threads[event->target].joins--;
    } else if (event->kind == FW_BARRIER_IN || event->kind == FW_BARRIER_OUT) {
        round = round_of(m, at);
        if (round)
            --*(event->kind == FW_BARRIER_IN ? &round->ins : &round->outs);
    }
}

static bool pairs_let(const struct fw_minimiser *m, uint32_t event)
{
    size_t low = 0, high = m->pairs.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (m->pairs.at[middle].before < event)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->pairs.len && m->pairs.at[low].before == event; low++)
        if (!has_run(m, m->pairs.at[low].after))
            return false;
    return true;
}

static bool round_lets(const struct fw_minimiser *m, uint32_t event)
{
    uint32_t round = m->index->round_of[event];

    return round == FW_NO_EVENT ||
           (!m->rounds[round].outs &&
            (m->round_behind[round] == FW_NO_EVENT || !m->rounds[m->round_behind[round]].ins));
}

static bool child_lets(const struct fw_minimiser *m, uint32_t fork, uint32_t child)
{
    return m->index->fork_of[child] != fork ||
           (!m->threads[child].left && !m->threads[child].joins);
}

/* The events of a claim about an order keep that order. */
static bool claim_lets(const struct fw_minimiser *m, uint32_t event)
{
    const struct fw_witness *w = m->witness;

    if (w->claim != FW_CLAIM_ORDER && w->claim != FW_CLAIM_ATOMICITY)
        return true;
    for (uint32_t i = 1; i < w->event_count; i++)
        if (w->events[i - 1] == event && !has_run(m, w->events[i]))
            return false;
    return true;
}

/* Has all that must follow it run, its turn at an object aside? */
static bool followers_let(const struct fw_minimiser *m, uint32_t at, const struct fw_event *event)
{
    switch (event->kind) {
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
    case FW_POST:
    case FW_RELEASE:
    case FW_SHARED_RELEASE:
        return !m->pairs.len || pairs_let(m, at);
    case FW_BARRIER_IN:
        return round_lets(m, at);
    case FW_FORK:
        return child_lets(m, at, event->target);
    default:
        return true;
    }
}

/* --- the first pass ---------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return (x->before > y->before) - (x->before < y->before);
}

static void clear(struct fw_minimiser *m, uint32_t count)
{
    start_pass(m);
    memset(m->threads, 0, m->index->by_thread.rows * sizeof *m->threads);
    if (m->rounds)
        memset(m->rounds, 0, m->index->rounds.rows * sizeof *m->rounds);
    fw_vec_clear(&m->pairs);
    if (m->size < count) {
        free(m->order);
        m->order = fw_xmalloc(count * sizeof *m->order);
        m->size = count;
    }
}

/* `left` counts down to the place of the next event; a thread's last one says where to begin. */
static bool in_program_order(struct fw_minimiser *m, uint32_t at, struct thread *thread,
                             uint32_t *missing)
{
    uint32_t place = m->index->in_thread[at];

    if (!thread->length) {
        thread->left = thread->length = place + 1;
        *missing += place + 1;
    }
    --*missing;
    return thread->left-- == place + 1;
}

/* Counts the switches; false if it is no order of prefixes of the threads at all. */
static bool draw_tickets(struct fw_minimiser *m, const uint32_t *order, uint32_t count,
                         uint32_t *switches)
{
    uint32_t missing = 0, latest = count ? m->trace->events[order[count - 1]].thread : 0;

    for (uint32_t i = count; i-- > 0;) {
        const struct fw_event *event = &m->trace->events[order[i]];
        struct turn *turn = turn_of(m, event);

        if (!in_program_order(m, order[i], &m->threads[event->thread], &missing))
            return false;
        *switches += event->thread != latest;
        latest = event->thread;
        m->tickets[order[i]] = turn ? ticket_now(m, turn, event) : 0;
        if (turn)
            take_turn(m, turn, event);
        else
            note(m, order[i], event);
    }
    if (m->pairs.len)
        qsort(m->pairs.at, m->pairs.len, sizeof *m->pairs.at, by_first);
    return missing == 0;
}

/* --- the second pass --------------------------------------------------------------------- */

/* Runs the thread's last event that is left, if its turn has come. */
static bool step(struct fw_minimiser *m, struct thread *thread, uint32_t at)
{
    const struct fw_event *event = &m->trace->events[at];
    struct turn *turn = turn_of(m, event);

    if (turn && ticket_now(m, turn, event) != m->tickets[at])
        return false;
    if (thread->joins || !followers_let(m, at, event) || !claim_lets(m, at))
        return false;
    if (turn)
        take_turn(m, turn, event);
    else
        forget(m, at, event);
    thread->left--;
    m->tickets[at] = RUN;
    m->order[--m->at] = at;
    return true;
}

/* Backwards, as far as it can; false: not one step. */
static bool run_thread(struct fw_minimiser *m, uint32_t t)
{
    struct thread *thread = &m->threads[t];
    const uint32_t *row = fw_row(&m->index->by_thread, t);
    uint32_t before = m->at;

    while (thread->left && step(m, thread, row[thread->left - 1]))
        ;
    return m->at < before;
}

/*
 * The thread of the end's first event goes first, which is no switch then.  The
 * two of a race may change places: what ends the order given says which.
 */
static void run_end(struct fw_minimiser *m, const uint32_t *order, uint32_t count, uint32_t fixed)
{
    const struct fw_event *events = m->trace->events;
    uint32_t first, second;

    if (!fixed || !count)
        return;
    first = events[order[count]].thread;
    second = fixed == 2 ? events[order[count + 1]].thread : first;
    if (events[order[count - 1]].thread == second) {
        run_thread(m, second);
        return;
    }
    if (!run_thread(m, first))
        run_thread(m, second);
}

/* Counts the switches; false if nobody can run: the order given is not correct. */
static bool play(struct fw_minimiser *m, const uint32_t *order, uint32_t count, uint32_t fixed,
                 uint32_t *switches)
{
    uint32_t end = count;

    start_pass(m);
    for (uint32_t t = 0; t < m->index->by_thread.rows; t++)
        m->threads[t].left = m->threads[t].length;
    m->at = count;
    run_end(m, order, count, fixed);
    while (m->at) {
        *switches += m->at < count; /* the one before was held up: this is another thread */
        while (m->tickets[order[end - 1]] == RUN)
            end--;
        if (!run_thread(m, m->trace->events[order[end - 1]].thread))
            return false;
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
static void add_end(struct fw_minimiser *m, const uint32_t *order, uint32_t count, uint32_t fixed)
{
    const struct fw_event *events = m->trace->events;
    bool swap = fixed == 2 && count &&
                events[m->order[count - 1]].thread == events[order[count + 1]].thread;

    for (uint32_t i = 0; i < fixed; i++)
        m->order[count + i] = order[count + (swap ? fixed - 1 - i : i)];
}

const uint32_t *fw_minimise(struct fw_minimiser *m, const struct fw_witness *witness)
{
    const uint32_t *order = witness->order;
    uint32_t count = witness->order_count, fixed = fixed_end(witness), given = 0, mine = 0;
    uint32_t tail = fixed < count ? fixed + 1 : count; /* the end and the step before it */

    m->witness = witness;
    clear(m, count);
    if (count < fixed || !draw_tickets(m, order, count - fixed, &given) ||
        !play(m, order, count - fixed, fixed, &mine))
        return order;
    add_end(m, order, count - fixed, fixed);
    given += fw_count_switches(m->trace, order + count - tail, fixed ? tail : 0);
    mine += fw_count_switches(m->trace, m->order + count - tail, fixed ? tail : 0);
    return mine < given ? m->order : order;
}
