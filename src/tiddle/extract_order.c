/*
 * extract_order.c - which accesses synchronisation orders.
 *
 * What comes after one event by happens-before is found in one walk: a mark goes from thread to
 * thread through whatever one of them leaves and the other takes.  An extract has few accesses, so
 * a walk for each of them costs less than clocks for all threads would.  A mark is the number of
 * the walk, so that nothing has to be wiped off.
 */
#include "tiddle/extract_state.h"

#include "base/alloc.h"

struct fw_extract_order {
    uint32_t walk;
    uint32_t *thread, *lock, *shared; /* a shared release is not taken over by shared acquires */
    uint32_t *loaded;                 /* thread → it loaded what a later fence acquires */
    uint32_t *fenced;                 /* thread → its stores release: a fence came before */
    uint32_t *round;                  /* of a barrier */
    uint32_t *left;                   /* notify, post, store that releases → carries the mark */
    uint32_t *reached;                /* event → its thread had the mark */
};

static uint32_t *make_marks(uint32_t count)
{
    return fw_xcalloc(count, sizeof(uint32_t));
}

struct fw_extract_order *fw_extract_order_create(const struct fw_index *index)
{
    struct fw_extract_order *order = fw_xcalloc(1, sizeof *order);
    uint32_t threads = fw_trace_thread_count(index->trace);
    uint32_t locks = fw_symbols_count(index->trace->symbols, FW_SPACE_LOCK);

    order->thread = make_marks(threads);
    order->loaded = make_marks(threads);
    order->fenced = make_marks(threads);
    order->lock = make_marks(locks);
    order->shared = make_marks(locks);
    order->round = make_marks(index->rounds.rows);
    order->left = make_marks(index->trace->count);
    order->reached = make_marks(index->trace->count);
    return order;
}

void fw_extract_order_destroy(struct fw_extract_order *order)
{
    if (!order)
        return;
    free(order->thread);
    free(order->loaded);
    free(order->fenced);
    free(order->lock);
    free(order->shared);
    free(order->round);
    free(order->left);
    free(order->reached);
    free(order);
}

/* ---- one walk ---- */

struct walk {
    struct fw_extract_order *order;
    const struct fw_extract_state *state;
    const struct fw_event *event;
    uint32_t at; /* its position */
};

static void leave(const struct walk *walk, uint32_t *place)
{
    if (walk->order->thread[walk->event->thread] == walk->order->walk)
        *place = walk->order->walk;
}

static void take(const struct walk *walk, const uint32_t *place)
{
    if (*place == walk->order->walk)
        walk->order->thread[walk->event->thread] = walk->order->walk;
}

static void pass_lock(const struct walk *walk)
{
    unsigned kind = walk->event->kind;
    uint32_t *lock = &walk->order->lock[walk->event->target];
    uint32_t *shared = &walk->order->shared[walk->event->target];

    if (fw_is_class(kind, FW_CLASS_RELEASE))
        leave(walk, fw_is_class(kind, FW_CLASS_SHARED) ? shared : lock);
    if (!fw_is_class(kind, FW_CLASS_ACQUIRE))
        return;
    take(walk, lock);
    if (!fw_is_class(kind, FW_CLASS_SHARED))
        take(walk, shared);
}

static void pass_fence(const struct walk *walk)
{
    if (fw_order_acquires(walk->event->order))
        take(walk, &walk->order->loaded[walk->event->thread]);
    if (fw_order_releases(walk->event->order))
        leave(walk, &walk->order->fenced[walk->event->thread]);
}

static void pass_atomic(const struct walk *walk)
{
    struct fw_extract_order *order = walk->order;
    const struct fw_event *event = walk->event;
    uint32_t write = fw_is_read(event->kind) ? walk->state->writer[walk->at] : FW_NO_EVENT;
    bool carries = write != FW_NO_EVENT && order->left[write] == order->walk;

    if (carries && fw_order_acquires(event->order))
        order->thread[event->thread] = order->walk;
    else if (carries)
        order->loaded[event->thread] = order->walk;
    if (!fw_is_write(event->kind))
        return;
    if (fw_order_releases(event->order))
        leave(walk, &order->left[walk->at]);
    if (order->fenced[event->thread] == order->walk || carries) /* or a release sequence goes on */
        order->left[walk->at] = order->walk;
}

static void pass(const struct walk *walk)
{
    const struct fw_index *index = walk->state->index;
    struct fw_extract_order *order = walk->order;
    uint32_t partner = index->partner[walk->at];

    switch (walk->event->kind) {
    case FW_FORK:
        leave(walk, &order->thread[walk->event->target]);
        break;
    case FW_JOIN:
        take(walk, &order->thread[walk->event->target]);
        break;
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
    case FW_POST:
        leave(walk, &order->left[walk->at]);
        break;
    case FW_WAKE:
    case FW_PEND:
        if (partner != FW_NO_EVENT)
            take(walk, &order->left[partner]);
        break;
    case FW_BARRIER_IN:
        leave(walk, &order->round[index->round_of[walk->at]]);
        break;
    case FW_BARRIER_OUT:
        take(walk, &order->round[index->round_of[walk->at]]);
        break;
    case FW_FENCE:
        pass_fence(walk);
        break;
    default:
        if (fw_kind_info[walk->event->kind].space == FW_SPACE_LOCK)
            pass_lock(walk);
        else if (fw_is_class(walk->event->kind, FW_CLASS_ATOMIC))
            pass_atomic(walk);
        break;
    }
}

/* Marks what comes after this place of the list. */
static void spread(const struct fw_extract_state *state, const struct fw_positions *list,
                   size_t from)
{
    struct fw_extract_order *order = state->order;
    struct walk walk = { .order = order, .state = state };

    order->walk++;
    order->thread[state->trace->events[list->at[from]].thread] = order->walk;
    for (size_t i = from; i < list->len; i++) {
        walk.at = list->at[i];
        walk.event = &state->trace->events[walk.at];
        pass(&walk);
        leave(&walk, &order->reached[walk.at]);
    }
}

/* ---- the pairs ---- */

static bool is_access(const struct fw_extract_state *state, uint32_t e)
{
    return state->role[e] == FW_ROLE_MUST &&
           fw_is_class(state->trace->events[e].kind, FW_CLASS_CONFLICT);
}

static bool conflict(const struct fw_extract_state *state, uint32_t a, uint32_t b)
{
    const struct fw_event *first = &state->trace->events[a], *second = &state->trace->events[b];

    return first->target == second->target && first->thread != second->thread &&
           fw_kinds_conflict(first->kind, second->kind);
}

static void note(const struct fw_extract_state *state, const struct fw_positions *list,
                 struct fw_extract_pairs *pairs)
{
    fw_vec_clear(pairs);
    for (size_t i = 0; i < list->len; i++) {
        uint32_t first = list->at[i];

        if (!is_access(state, first))
            continue;
        spread(state, list, i);
        for (size_t k = i + 1; k < list->len; k++)
            if (is_access(state, list->at[k]) && conflict(state, first, list->at[k]) &&
                state->order->reached[list->at[k]] == state->order->walk)
                fw_vec_push(pairs, ((struct fw_extract_pair) { first, list->at[k] }));
    }
}

static bool keeps(const struct fw_extract_state *state, const struct fw_positions *list,
                  const struct fw_extract_pairs *pairs)
{
    size_t pair = 0;

    for (size_t i = 0; i < list->len && pair < pairs->len; i++) {
        if (pairs->at[pair].first != list->at[i])
            continue;
        spread(state, list, i);
        for (; pair < pairs->len && pairs->at[pair].first == list->at[i]; pair++)
            if (state->order->reached[pairs->at[pair].second] != state->order->walk)
                return false;
    }
    return true;
}

void fw_extract_note_order(struct fw_extract_state *state)
{
    note(state, &state->list, &state->pairs);
    note(state, &state->other, &state->other_pairs);
}

bool fw_extract_keeps_order(struct fw_extract_state *state)
{
    return keeps(state, &state->list, &state->pairs) &&
           keeps(state, &state->other, &state->other_pairs);
}
