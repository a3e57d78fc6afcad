/*
 * plan_shape.c - events that one library call stands for together.
 *
 * A condition wait is rel(m), wake(c), acq(m) in the trace and one call of
 * pthread_cond_wait in C.  The call is used where it must behave as the trace
 * says, whatever the scheduler does: between the notify and the acq nobody else
 * takes m, it is free when the thread wakes, and no other notify can wake the
 * thread or be answered instead.
 * The thread may then come back a little before its turn, which nobody can
 * tell but from events that commute with its return.  Any other wait is spelt
 * out: unlock, a mark for the wake, lock.  (Several waiters woken by one notify
 * compete for m: the first is a real wait, the others are spelt out.)
 *
 * A barrier is barin, barout in the trace and pthread_barrier_wait in C, if
 * every thread that enters leaves next.  Other barriers become marks.
 *
 * A call up to its ret becomes a C function.  Calls without a ret end with the
 * call that encloses them, or the thread.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "tiddle/depend.h"
#include "tiddle/plan.h"

/* --- condition waits --------------------------------------------------------------------- */

struct wait {
    uint32_t rel, notify, wake, acq;
    uint32_t lock, condition;
    bool real;
};

FW_VEC_TYPE(waits, struct wait);

/* Is the thread's event number i the wake of rel, wake, acq with one mutex? */
static bool is_wait_shape(const struct fw_plan *plan, const uint32_t *row, uint32_t count,
                          uint32_t i)
{
    const struct fw_event *events = plan->trace->events;

    return i > 0 && i + 1 < count && events[row[i]].kind == FW_WAKE &&
           plan->index->partner[row[i]] != FW_NO_EVENT && events[row[i - 1]].kind == FW_RELEASE &&
           events[row[i + 1]].kind == FW_ACQUIRE &&
           events[row[i - 1]].target == events[row[i + 1]].target &&
           !plan->shared_lock[events[row[i - 1]].target] &&
           fw_release_is_outermost(plan->index, row[i - 1]);
}

static void collect_waits(const struct fw_plan *plan, struct waits *waits)
{
    const struct fw_index *index = plan->index;
    const struct fw_event *events = plan->trace->events;

    for (uint32_t e = 0; e < plan->trace->count; e++) {
        uint32_t thread = events[e].thread, i = index->in_thread[e];
        const uint32_t *row = fw_row(&index->by_thread, thread);

        /* In the order of the releases. */
        if (is_wait_shape(plan, row, fw_row_count(&index->by_thread, thread), i + 1))
            fw_vec_push(waits, ((struct wait) { .rel = e,
                                                .notify = index->partner[row[i + 1]],
                                                .wake = row[i + 1],
                                                .acq = row[i + 2],
                                                .lock = events[e].target,
                                                .condition = events[row[i + 1]].target,
                                                .real = true }));
    }
}

/* Where the event stands between a wait's rel and its acq. */
enum phase {
    BEFORE_NOTIFY,
    BEFORE_WAKE,
    BEFORE_ACQUIRE,
};

/* Would the event, there, make a real wait go astray? */
static bool disturbs(const struct fw_plan *plan, const struct wait *wait, uint32_t e,
                     enum phase phase)
{
    const struct fw_event *event = &plan->trace->events[e];

    if (event->kind == FW_NOTIFY || event->kind == FW_NOTIFY_ALL)
        return event->target == wait->condition && e != wait->notify;
    if (phase == BEFORE_NOTIFY || fw_kind_info[event->kind].space != FW_SPACE_LOCK ||
        event->target != wait->lock)
        return false;
    /* The mutex must be free for the thread to wake up; it is given back, but not too late. */
    return !fw_is_class(event->kind, FW_CLASS_RELEASE) || phase == BEFORE_ACQUIRE;
}

/* One order in which the events are executed, and its inverse. */
struct order {
    const uint32_t *events;
    uint32_t *place;
};

static bool is_undisturbed(const struct fw_plan *plan, const struct wait *wait,
                           const struct order *order)
{
    const uint32_t *place = order->place;

    for (uint32_t s = place[wait->rel] + 1; s < place[wait->acq]; s++) {
        enum phase phase = BEFORE_NOTIFY;

        if (s > place[wait->notify])
            phase = s < place[wait->wake] ? BEFORE_WAKE : BEFORE_ACQUIRE;
        if (disturbs(plan, wait, order->events[s], phase))
            return false;
    }
    return true;
}

/*
 * Two waits that are fine alone but not together: both wake at one notify; or
 * the second begins while the first, notified, is about to take the mutex that
 * the second gives up (whether it has done so is found out by locking it).
 */
static bool collide(const struct wait *a, const struct wait *b, const struct order *order)
{
    uint32_t begins = order->place[b->rel];

    return a->notify == b->notify || (a->lock == b->lock && begins > order->place[a->notify] &&
                                      begins < order->place[a->acq]);
}

static void check_waits(const struct fw_plan *plan, struct waits *waits, const struct order *order)
{
    for (size_t i = 0; i < waits->len; i++)
        if (waits->at[i].real)
            waits->at[i].real = is_undisturbed(plan, &waits->at[i], order);
    for (size_t i = 0; i < waits->len; i++) {
        for (size_t j = 0; waits->at[i].real && j < waits->len; j++)
            if (j != i && waits->at[j].real && collide(&waits->at[i], &waits->at[j], order))
                waits->at[j].real = false;
    }
}

static void check_waits_in_all_orders(const struct fw_plan *plan, struct waits *waits)
{
    uint32_t count = plan->trace->count;
    uint32_t *as_is = fw_xrealloc(NULL, count, sizeof *as_is);
    struct order order = { .place = fw_xrealloc(NULL, count, sizeof *order.place) };

    for (uint32_t i = 0; i < count; i++)
        as_is[i] = i;
    for (uint32_t k = 0; k < fw_plan_orders(plan); k++) {
        order.events =
            plan->options->order_count ? plan->options->orders + (size_t)k * count : as_is;
        for (uint32_t s = 0; s < count; s++)
            order.place[order.events[s]] = s;
        check_waits(plan, waits, &order);
    }
    free(as_is);
    free(order.place);
}

void fw_plan_waits(struct fw_plan *plan)
{
    struct waits waits = { 0 };

    for (uint32_t i = 0; i < plan->trace->count; i++)
        if (plan->trace->events[i].kind == FW_WAKE)
            plan->form[i] = FW_FORM_MARK;
    collect_waits(plan, &waits);
    /* Running free, a wait checks for its notify in a loop, so every shape will do. */
    if (!plan->options->free)
        check_waits_in_all_orders(plan, &waits);
    for (size_t i = 0; i < waits.len; i++) {
        const struct wait *wait = &waits.at[i];

        if (!wait->real)
            continue;
        plan->form[wait->rel] = FW_FORM_WAIT;
        plan->link[wait->rel] = wait->notify;
        plan->form[wait->wake] = plan->form[wait->acq] = FW_FORM_WAITED;
    }
    fw_vec_release(&waits);
}

/* --- barriers ---------------------------------------------------------------------------- */

static bool is_barrier_event(unsigned kind)
{
    return kind == FW_BARRIER_IN || kind == FW_BARRIER_OUT;
}

/* Does each thread leave right after it entered (or end inside)? */
static bool leaves_next(const struct fw_plan *plan, uint32_t in)
{
    const struct fw_index *index = plan->index;
    const struct fw_event *events = plan->trace->events;
    uint32_t thread = events[in].thread, i = index->in_thread[in] + 1;
    const uint32_t *row = fw_row(&index->by_thread, thread);

    if (i == fw_row_count(&index->by_thread, thread))
        return true;
    return events[row[i]].kind == FW_BARRIER_OUT && events[row[i]].target == events[in].target;
}

static void find_odd_barriers(const struct fw_plan *plan, bool *odd)
{
    const struct fw_trace *trace = plan->trace;

    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->events[i].kind == FW_BARRIER_IN && !leaves_next(plan, i))
            odd[trace->events[i].target] = true;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The threads of a round, sorted; the caller frees. */
static uint32_t *threads_of_round(const struct fw_plan *plan, uint32_t round, uint32_t *count)
{
    const uint32_t *ins = fw_row(&plan->index->rounds, round);
    uint32_t *threads;

    *count = fw_row_count(&plan->index->rounds, round);
    threads = fw_xrealloc(NULL, *count, sizeof *threads);
    for (uint32_t i = 0; i < *count; i++)
        threads[i] = plan->trace->events[ins[i]].thread;
    qsort(threads, *count, sizeof *threads, compare_ids);
    return threads;
}

static bool same_threads(const struct fw_plan *plan, uint32_t round, uint32_t other)
{
    uint32_t count, other_count;
    uint32_t *a = threads_of_round(plan, round, &count);
    uint32_t *b = threads_of_round(plan, other, &other_count);
    bool same = count == other_count && memcmp(a, b, count * sizeof *a) == 0;

    free(a);
    free(b);
    return same;
}

/* The object for a round: that of an earlier round with the same threads, or a new one. */
static uint32_t object_for(struct fw_plan *plan, uint32_t barrier, uint32_t round)
{
    for (size_t i = 0; i < plan->barriers.len; i++)
        if (plan->barriers.at[i].barrier == barrier &&
            same_threads(plan, plan->barriers.at[i].round, round))
            return (uint32_t)i;
    fw_vec_push(&plan->barriers,
                ((struct fw_plan_barrier) { .barrier = barrier,
                                            .count = fw_row_count(&plan->index->rounds, round),
                                            .round = round }));
    return (uint32_t)plan->barriers.len - 1;
}

void fw_plan_barriers(struct fw_plan *plan)
{
    const struct fw_trace *trace = plan->trace;
    bool *odd = fw_xcalloc(fw_symbols_count(trace->symbols, FW_SPACE_BARRIER), sizeof *odd);
    uint32_t *objects = fw_xcalloc(plan->index->rounds.rows, sizeof *objects);

    find_odd_barriers(plan, odd);
    for (uint32_t r = 0; r < plan->index->rounds.rows; r++) {
        uint32_t barrier = trace->events[fw_row(&plan->index->rounds, r)[0]].target;

        /* Marks need an object to name, but it is never waited for. */
        objects[r] = object_for(plan, barrier, r);
    }
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];

        if (!is_barrier_event(event->kind))
            continue;
        plan->link[i] = objects[plan->index->round_of[i]];
        if (odd[event->target])
            plan->form[i] = FW_FORM_MARK;
        else
            plan->form[i] = event->kind == FW_BARRIER_IN ? FW_FORM_BARRIER : FW_FORM_PASSED;
    }
    free(odd);
    free(objects);
}

/* --- calls ------------------------------------------------------------------------------- */

FW_VEC_TYPE(open_calls, uint32_t);

/* The activations above `keep` end before place i of the thread. */
static void end_activations(struct fw_plan *plan, struct open_calls *open, size_t keep, uint32_t i)
{
    while (open->len > keep) {
        uint32_t call = fw_vec_pop(open);

        plan->form[call] = FW_FORM_CALL;
        plan->link[call] = i;
    }
}

static void plan_calls_of_thread(struct fw_plan *plan, uint32_t thread)
{
    const struct fw_index *index = plan->index;
    const struct fw_event *events = plan->trace->events;
    const uint32_t *row = fw_row(&index->by_thread, thread);
    uint32_t count = fw_row_count(&index->by_thread, thread);
    struct open_calls open = { 0 };

    for (uint32_t i = 0; i < count; i++) {
        uint32_t call = index->partner[row[i]];
        size_t keep = open.len;

        if (events[row[i]].kind == FW_CALL)
            fw_vec_push(&open, row[i]);
        if (fw_is_class(events[row[i]].kind, FW_CLASS_REQUEST))
            plan->form[row[i]] = FW_FORM_COMMENT; /* the program goes on without the lock */
        if (events[row[i]].kind != FW_RETURN)
            continue;
        if (call == FW_NO_EVENT) {
            plan->form[row[i]] = FW_FORM_COMMENT;
            continue;
        }
        while (keep > 0 && open.at[keep - 1] != call)
            keep--;
        FW_ASSERT(keep > 0);
        /* Calls inside lost their return: they end before it.  Its own call ends behind it. */
        end_activations(plan, &open, keep, i);
        end_activations(plan, &open, keep - 1, i + 1);
    }
    end_activations(plan, &open, 0, count);
    fw_vec_release(&open);
}

void fw_plan_calls(struct fw_plan *plan)
{
    for (uint32_t t = 0; t < plan->index->by_thread.rows; t++)
        plan_calls_of_thread(plan, t);
}
