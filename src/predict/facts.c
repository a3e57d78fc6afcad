/*
 * facts.c - what the index does not say: which loads synchronised, which
 * barrier round comes before which, where a thread can never get past.
 */
#include "base/alloc.h"
#include "predict/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- atomic loads that synchronised (docs/soundness.md, rule 9) ---- */

struct atomics {
    const struct fw_index *index;
    uint64_t *releases;      /* bit by position: a store that releases */
    uint64_t *synchronised;
    uint32_t *acquire_fence; /* thread → its last acquiring fence, FW_NO_EVENT: none */
    bool *release_fence;     /* thread → has passed a releasing fence */
};

static bool has_bit(const uint64_t *bits, uint32_t e)
{
    return bits[e / 64] >> (e % 64) & 1;
}

static void set_bit(uint64_t *bits, uint32_t e)
{
    bits[e / 64] |= (uint64_t)1 << (e % 64);
}

static bool atomic_access(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_ATOMIC) && event->kind != FW_FENCE;
}

static void visit_load(struct atomics *a, uint32_t e)
{
    const struct fw_event *events = a->index->trace->events, *event = &events[e];
    uint32_t seen = a->index->partner[e], fence = a->acquire_fence[event->thread];
    bool fenced = fence != FW_NO_EVENT && fence > e;

    if (seen != FW_NO_EVENT && has_bit(a->releases, seen) &&
        events[seen].thread != event->thread && (fenced || fw_order_acquires(event->order)))
        set_bit(a->synchronised, e);
}

/* By its order, by a fence before it, or as part of a release sequence. */
static void visit_store(struct atomics *a, uint32_t e)
{
    const struct fw_event *event = &a->index->trace->events[e];
    uint32_t seen = event->kind == FW_ATOMIC_RMW ? a->index->partner[e] : FW_NO_EVENT;

    if (fw_order_releases(event->order) || a->release_fence[event->thread] ||
        (seen != FW_NO_EVENT && has_bit(a->releases, seen)))
        set_bit(a->releases, e);
}

static bool find_fences(struct atomics *a)
{
    const struct fw_trace *trace = a->index->trace;
    bool any = false;

    memset(a->acquire_fence, 0xff, fw_trace_thread_count(trace) * sizeof *a->acquire_fence);
    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        any |= fw_is_class(event->kind, FW_CLASS_ATOMIC);
        if (event->kind == FW_FENCE && fw_order_acquires(event->order))
            a->acquire_fence[event->thread] = e;
    }
    return any;
}

static void visit_all(struct atomics *a)
{
    const struct fw_trace *trace = a->index->trace;

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (event->kind == FW_FENCE && fw_order_releases(event->order))
            a->release_fence[event->thread] = true;
        if (!atomic_access(event))
            continue;
        if (fw_is_read(event->kind))
            visit_load(a, e);
        if (fw_is_write(event->kind))
            visit_store(a, e);
    }
}

uint64_t *fw_core_find_synchronised(const struct fw_index *index)
{
    size_t words = (size_t)index->trace->count / 64 + 1;
    uint32_t threads = fw_trace_thread_count(index->trace);
    struct atomics a = {
        .index = index,
        .synchronised = fw_xcalloc(words, sizeof *a.synchronised),
        .acquire_fence = fw_xcalloc((size_t)threads + 1, sizeof *a.acquire_fence),
        .release_fence = fw_xcalloc((size_t)threads + 1, sizeof *a.release_fence),
    };

    if (find_fences(&a)) {
        a.releases = fw_xcalloc(words, sizeof *a.releases);
        visit_all(&a);
    }
    free(a.releases);
    free(a.acquire_fence);
    free(a.release_fence);
    return a.synchronised;
}

/* ---- barriers ---- */

uint32_t *fw_core_find_rounds_before(const struct fw_index *index)
{
    const struct fw_trace *trace = index->trace;
    uint32_t barriers = fw_symbols_count(trace->symbols, FW_SPACE_BARRIER);
    uint32_t *before = fw_xcalloc((size_t)index->rounds.rows + 1, sizeof *before);
    uint32_t *latest = fw_xcalloc((size_t)barriers + 1, sizeof *latest);

    memset(latest, 0xff, barriers * sizeof *latest);
    for (uint32_t round = 0; round < index->rounds.rows; round++) {
        uint32_t barrier = trace->events[fw_row(&index->rounds, round)[0]].target;

        before[round] = latest[barrier];
        latest[barrier] = round;
    }
    free(latest);
    return before;
}

/* ---- answers that repair has dropped ---- */

/* Says what it answers, but that event is not there: it can never happen again. */
static bool unanswerable(const struct fw_trace *trace, const struct fw_event *event)
{
    const struct fw_attr *attr = &trace->attrs[event->attr];

    return (event->kind == FW_WAKE || event->kind == FW_PEND) && attr->has & FW_ATTR_RF &&
           fw_trace_position(trace, attr->rf, 0) == FW_NO_EVENT;
}

uint32_t *fw_core_find_limits(const struct fw_index *index)
{
    const struct fw_trace *trace = index->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    uint32_t *limit = fw_xcalloc((size_t)threads + 1, sizeof *limit);

    for (uint32_t t = 0; t < threads; t++)
        limit[t] = fw_row_count(&index->by_thread, t);
    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (event->attr && unanswerable(trace, event) && index->in_thread[e] < limit[event->thread])
            limit[event->thread] = index->in_thread[e];
    }
    return limit;
}
