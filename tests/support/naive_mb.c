/* naive_mb.c - see naive_mb.h. */
#include "support/naive_mb.h"

#include "base/alloc.h"

#include <stdlib.h>

struct build {
    const struct fw_index *index;
    const struct fw_event *events;
    uint32_t n;
    struct fw_naive_mb *to;
};

static bool is_lock_edge(const struct build *b, uint32_t i, uint32_t j)
{
    return fw_is_class(b->events[i].kind, FW_CLASS_RELEASE) &&
           fw_is_class(b->events[j].kind, FW_CLASS_ACQUIRE) &&
           b->events[i].target == b->events[j].target && b->events[i].thread != b->events[j].thread;
}

static bool is_notify(const struct fw_event *event)
{
    return event->kind == FW_NOTIFY || event->kind == FW_NOTIFY_ALL;
}

/* A clash: same variable, different threads, one writes or frees; atomics included. */
static bool clash(const struct build *b, uint32_t i, uint32_t j)
{
    const struct fw_event *x = &b->events[i], *y = &b->events[j];
    bool writes =
        fw_is_write(x->kind) || fw_is_write(y->kind) || x->kind == FW_FREE || y->kind == FW_FREE;

    return fw_is_class(x->kind, FW_CLASS_CONFLICT) && fw_is_class(y->kind, FW_CLASS_CONFLICT) &&
           x->target == y->target && x->thread != y->thread && writes;
}

static void add_edges(struct build *b, const struct fw_naive *naive)
{
    for (uint32_t i = 0; i < b->n; i++) {
        for (uint32_t j = i + 1; j < b->n; j++) {
            const struct fw_event *x = &b->events[i], *y = &b->events[j];
            bool sync =
                x->thread == y->thread || (naive->hard[i * b->n + j] && !is_lock_edge(b, i, j));
            bool notifies = is_notify(x) && is_notify(y) && x->target == y->target;

            b->to->sync[i * b->n + j] = sync;
            b->to->before[i * b->n + j] = sync || notifies || clash(b, i, j);
        }
    }
}

static void close_transitively(struct build *b)
{
    bool *before = b->to->before;

    for (uint32_t k = 0; k < b->n; k++)
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = k + 1; before[i * b->n + k] && j < b->n; j++)
                before[i * b->n + j] |= before[k * b->n + j];
}

/* Rule (3) for sections h after k: true if it adds an edge. */
static bool apply_rule_3(struct build *b, uint32_t k, uint32_t h)
{
    uint32_t k_end = b->index->partner[k], h_end = b->index->partner[h];
    bool shared = fw_is_class(b->events[k].kind, FW_CLASS_SHARED) &&
                  fw_is_class(b->events[h].kind, FW_CLASS_SHARED);

    if (shared || b->events[k].target != b->events[h].target || k_end == FW_NO_EVENT ||
        h_end == FW_NO_EVENT || !b->to->before[k * b->n + h_end] || b->to->before[k_end * b->n + h])
        return false;
    b->to->before[k_end * b->n + h] = true;
    return true;
}

static bool apply_rule_3_everywhere(struct build *b)
{
    bool news = false;

    for (uint32_t h = 0; h < b->n; h++)
        for (uint32_t k = 0; fw_is_class(b->events[h].kind, FW_CLASS_ACQUIRE) && k < h; k++)
            if (fw_is_class(b->events[k].kind, FW_CLASS_ACQUIRE))
                news |= apply_rule_3(b, k, h);
    return news;
}

static void find_closed(struct build *b)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        held += fw_is_class(b->events[i].kind, FW_CLASS_ACQUIRE);
        held -= fw_is_class(b->events[i].kind, FW_CLASS_RELEASE);
        if (!held)
            b->to->closed = i + 1;
    }
}

struct fw_naive_mb *fw_naive_mb_create(const struct fw_index *index, const struct fw_naive *naive)
{
    struct fw_naive_mb *to = fw_xcalloc(1, sizeof *to);
    struct build b = { index, index->trace->events, index->trace->count, to };
    size_t cells = (size_t)b.n * b.n;

    to->count = b.n;
    to->before = fw_xcalloc(cells ? cells : 1, sizeof *to->before);
    to->sync = fw_xcalloc(cells ? cells : 1, sizeof *to->sync);
    add_edges(&b, naive);
    do
        close_transitively(&b);
    while (apply_rule_3_everywhere(&b));
    find_closed(&b);
    return to;
}

void fw_naive_mb_destroy(struct fw_naive_mb *mb)
{
    free(mb->before);
    free(mb->sync);
    free(mb);
}

bool fw_naive_mb_race(const struct fw_naive_mb *mb, uint32_t a, uint32_t b)
{
    if (b >= mb->closed)
        return false;
    for (uint32_t c = a; c < b; c++)
        if (mb->sync[c * mb->count + b] && (a == c || mb->before[a * mb->count + c]))
            return false;
    return true;
}
