/* naive.c - see naive.h. */
#include "support/naive.h"

#include "base/alloc.h"

#include <stdlib.h>

struct build {
    const struct fw_index *index;
    const struct fw_trace *trace;
    uint32_t n;
    struct fw_naive *to;
};

static void set(const struct build *b, bool *matrix, uint32_t i, uint32_t j)
{
    if (i != FW_NO_EVENT && j != FW_NO_EVENT && i < j)
        matrix[i * b->n + j] = true;
}

bool fw_naive_clash(const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    const struct fw_event *x = &trace->events[a], *y = &trace->events[b];

    return fw_is_class(x->kind, FW_CLASS_CONFLICT) && fw_is_class(y->kind, FW_CLASS_CONFLICT) &&
           x->target == y->target && x->thread != y->thread &&
           fw_kinds_conflict(x->kind, y->kind);
}

/* Like a clash, but atomic accesses depend on each other too: what rule (a) looks for. */
static bool depends(const struct fw_trace *trace, uint32_t a, uint32_t b)
{
    const struct fw_event *x = &trace->events[a], *y = &trace->events[b];
    bool writes = fw_is_write(x->kind) || fw_is_write(y->kind) || x->kind == FW_FREE ||
                  y->kind == FW_FREE;

    return fw_is_class(x->kind, FW_CLASS_CONFLICT) && fw_is_class(y->kind, FW_CLASS_CONFLICT) &&
           x->target == y->target && x->thread != y->thread && writes;
}

static void add_fork_and_join(struct build *b, uint32_t i)
{
    const struct fw_event *event = &b->trace->events[i];
    const uint32_t *row = fw_row(&b->index->by_thread, event->target);
    uint32_t count = fw_row_count(&b->index->by_thread, event->target);

    if (event->kind == FW_JOIN) /* also of a thread without events */
        set(b, b->to->hard, b->index->fork_of[event->target], i);
    for (uint32_t j = 0; j < count; j++) {
        if (event->kind == FW_FORK)
            set(b, b->to->hard, i, row[j]);
        else
            set(b, b->to->hard, row[j], i);
    }
}

static bool is_fence(const struct fw_event *event, bool releases)
{
    return event->kind == FW_FENCE &&
           (releases ? fw_order_releases(event->order) : fw_order_acquires(event->order));
}

/* Event i is the store, if it releases, or a releasing fence of its thread before it. */
static bool releases(const struct build *b, uint32_t i, uint32_t store)
{
    const struct fw_event *events = b->trace->events;

    if (i == store)
        return fw_order_releases(events[store].order);
    return events[i].thread == events[store].thread && is_fence(&events[i], true);
}

/* Event j is the load, if it acquires, or an acquiring fence of its thread behind it. */
static bool acquires(const struct build *b, uint32_t load, uint32_t j)
{
    const struct fw_event *events = b->trace->events;

    if (j == load)
        return fw_order_acquires(events[load].order);
    return events[j].thread == events[load].thread && is_fence(&events[j], false);
}

/*
 * Release and acquire atomics: for each store in the release sequence that the
 * load reads from, the store (if it releases) or a releasing fence before it is
 * ordered before the load (if it acquires) or an acquiring fence after it.
 */
static void add_atomic(struct build *b, uint32_t load)
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t s = b->index->partner[load]; s != FW_NO_EVENT;
         s = events[s].kind == FW_ATOMIC_RMW ? b->index->partner[s] : FW_NO_EVENT) {
        if (!fw_is_class(events[s].kind, FW_CLASS_ATOMIC))
            return;
        for (uint32_t i = 0; i <= s; i++) {
            for (uint32_t j = load; releases(b, i, s) && j < b->n; j++)
                if (acquires(b, load, j))
                    set(b, b->to->hard, i, j);
        }
    }
}

/* The ins of earlier rounds come before those of later ones. */
static void add_rounds_before(struct build *b, uint32_t in)
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t i = 0; i < in; i++)
        if (events[i].kind == FW_BARRIER_IN && events[i].target == events[in].target &&
            b->index->round_of[i] != b->index->round_of[in])
            set(b, b->to->hard, i, in);
}

static void add_event(struct build *b, uint32_t i)
{
    const struct fw_event *event = &b->trace->events[i];

    switch (event->kind) {
    case FW_FORK:
    case FW_JOIN:
        add_fork_and_join(b, i);
        break;
    case FW_WAKE:
    case FW_PEND:
        set(b, b->to->hard, b->index->partner[i], i);
        break;
    case FW_BARRIER_OUT:
        for (uint32_t j = 0; j < fw_row_count(&b->index->rounds, b->index->round_of[i]); j++)
            set(b, b->to->hard, fw_row(&b->index->rounds, b->index->round_of[i])[j], i);
        break;
    case FW_BARRIER_IN:
        add_rounds_before(b, i);
        break;
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_RMW:
        add_atomic(b, i);
        break;
    default:
        break;
    }
}

/* Release to later acquire of the same lock, unless both are shared. */
static void add_locks(struct build *b)
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t i = 0; i < b->n; i++) {
        for (uint32_t j = i + 1; fw_is_class(events[i].kind, FW_CLASS_RELEASE) && j < b->n; j++) {
            bool shared_i = fw_is_class(events[i].kind, FW_CLASS_SHARED);
            bool shared_j = fw_is_class(events[j].kind, FW_CLASS_SHARED);

            if (!fw_is_class(events[j].kind, FW_CLASS_ACQUIRE) ||
                events[i].target != events[j].target || (shared_i && shared_j))
                continue;
            set(b, b->to->hb, i, j);
            if (shared_i || shared_j)
                set(b, b->to->hard, i, j);
        }
    }
}

static void close_transitively(bool *matrix, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = k + 1; matrix[i * n + k] && j < n; j++)
                matrix[i * n + j] |= matrix[k * n + j];
}

/* The end of a section: its release, or the last event of its thread. */
static uint32_t end_of(const struct build *b, uint32_t acquire)
{
    uint32_t thread = b->trace->events[acquire].thread;
    uint32_t count = fw_row_count(&b->index->by_thread, thread);

    if (b->index->partner[acquire] != FW_NO_EVENT)
        return b->index->partner[acquire];
    return fw_row(&b->index->by_thread, thread)[count - 1];
}

static bool sections_clash(const struct build *b, uint32_t k, uint32_t h)
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t x = k + 1; x < end_of(b, k); x++)
        for (uint32_t e = h + 1; events[x].thread == events[k].thread && e <= end_of(b, h); e++)
            if (events[e].thread == events[h].thread && depends(b->trace, x, e))
                return true;
    return false;
}

static bool is_exclusive_acquire(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_ACQUIRE) && !fw_is_class(event->kind, FW_CLASS_SHARED);
}

/* before or equal, by happens-before */
static bool upto(const struct build *b, uint32_t i, uint32_t j)
{
    return i == j || b->to->hb[i * b->n + j];
}

/* Rule (c): an edge from r to a orders all before r with all after a; true if that is news. */
static bool add_edge(struct build *b, uint32_t r, uint32_t a)
{
    bool news = false;

    for (uint32_t i = 0; i <= r; i++) {
        for (uint32_t j = a; upto(b, i, r) && j < b->n; j++) {
            if (upto(b, a, j) && !b->to->cp[i * b->n + j])
                news = b->to->cp[i * b->n + j] = true;
        }
    }
    return news;
}

static bool apply_rule_b(struct build *b)
{
    const struct fw_event *events = b->trace->events;
    bool news = false;

    for (uint32_t h = 0; h < b->n; h++) {
        for (uint32_t k = 0; is_exclusive_acquire(&events[h]) && k < h; k++) {
            if (is_exclusive_acquire(&events[k]) && events[k].target == events[h].target &&
                b->index->partner[h] != FW_NO_EVENT &&
                b->to->cp[k * b->n + b->index->partner[h]])
                news |= add_edge(b, b->index->partner[k], h);
        }
    }
    return news;
}

static void build_cp(struct build *b)
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t j = i + 1; j < b->n; j++)
            if (b->to->hard[i * b->n + j])
                add_edge(b, i, j);
    for (uint32_t h = 0; h < b->n; h++)
        for (uint32_t k = 0; is_exclusive_acquire(&events[h]) && k < h; k++)
            if (is_exclusive_acquire(&events[k]) && events[k].target == events[h].target &&
                sections_clash(b, k, h))
                add_edge(b, b->index->partner[k], h);
    while (apply_rule_b(b))
        ;
}

bool *fw_naive_lockless(const struct fw_index *index, bool atomics)
{
    struct fw_naive to = { .count = index->trace->count };
    struct build b = { .index = index, .trace = index->trace, .n = to.count, .to = &to };

    to.hard = fw_xcalloc((size_t)b.n * b.n + 1, sizeof *to.hard);
    for (uint32_t i = 0; i < b.n; i++) {
        for (uint32_t j = i + 1; j < b.n; j++)
            if (b.trace->events[i].thread == b.trace->events[j].thread)
                set(&b, to.hard, i, j);
        if (atomics || !fw_is_class(b.trace->events[i].kind, FW_CLASS_ATOMIC))
            add_event(&b, i);
    }
    close_transitively(to.hard, b.n);
    return to.hard;
}

struct fw_naive *fw_naive_create(const struct fw_index *index)
{
    struct fw_naive *to = fw_xcalloc(1, sizeof *to);
    struct build b = { index, index->trace, index->trace->count, to };
    size_t cells = (size_t)b.n * b.n;

    to->count = b.n;
    to->hard = fw_xcalloc(cells, sizeof *to->hard);
    to->hb = fw_xcalloc(cells, sizeof *to->hb);
    to->cp = fw_xcalloc(cells, sizeof *to->cp);
    for (uint32_t i = 0; i < b.n; i++) {
        add_event(&b, i);
        for (uint32_t j = i + 1; j < b.n; j++)
            if (b.trace->events[i].thread == b.trace->events[j].thread)
                to->hb[i * b.n + j] = true;
    }
    add_locks(&b);
    for (size_t i = 0; i < cells; i++)
        to->hb[i] |= to->hard[i];
    close_transitively(to->hb, b.n);
    build_cp(&b);
    return to;
}

void fw_naive_destroy(struct fw_naive *naive)
{
    free(naive->hard);
    free(naive->hb);
    free(naive->cp);
    free(naive);
}
