/* naive_sidetrack.c - see naive_sidetrack.h. */
#include "support/naive_sidetrack.h"

#include "support/naive.h"
#include "support/naive_blocks.h"

#include <stdlib.h>
#include <string.h>

struct run {
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_naive_blocks blocks;
    struct fw_naive *naive;
    bool *enables; /* matrix */
    struct fw_sidetrack_reports reports;
};

/* Culprits are the exclusive acquires, or the shared ones. */
enum culprits {
    EXCLUSIVE,
    SHARED,
};

static bool is_acquire(const struct fw_event *event, bool shared)
{
    return fw_is_class(event->kind, FW_CLASS_ACQUIRE) &&
           fw_is_class(event->kind, FW_CLASS_SHARED) == shared;
}

static bool is_culprit(const struct fw_event *event, enum culprits culprits)
{
    return is_acquire(event, culprits == SHARED);
}

/* Ends of windows are the acquires that conflict with the culprits. */
static bool is_end(const struct fw_event *event, enum culprits culprits)
{
    return is_acquire(event, false) || (culprits == EXCLUSIVE && is_acquire(event, true));
}

static int compare_reports(const void *a, const void *b)
{
    const struct fw_sidetrack_report *x = a, *y = b;

    if (x->error != y->error)
        return x->error < y->error ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    return x->culprit < y->culprit ? -1 : x->culprit > y->culprit;
}

void fw_sidetrack_reports_sort(struct fw_sidetrack_reports *reports)
{
    size_t kept = 0;

    if (reports->len)
        qsort(reports->at, reports->len, sizeof *reports->at, compare_reports);
    for (size_t i = 0; i < reports->len; i++)
        if (!kept || compare_reports(&reports->at[kept - 1], &reports->at[i]) != 0)
            reports->at[kept++] = reports->at[i];
    reports->len = kept;
}

static void report(struct run *run, enum fw_sidetrack_error error, uint32_t first, uint32_t second,
                   uint32_t culprit)
{
    fw_vec_push(&run->reports, ((struct fw_sidetrack_report) { error, first, second, culprit }));
}

/* The end of a window in this block before event i, or FW_NO_EVENT; the first one or the last. */
static uint32_t end_before(const struct run *run, const struct fw_naive_block *block, uint32_t i,
                           enum culprits culprits, bool latest)
{
    const struct fw_event *events = run->trace->events;
    uint32_t found = FW_NO_EVENT;

    for (uint32_t j = block->first; j < i; j++) {
        if (!fw_naive_block_holds(run->trace, block, j) || !is_end(&events[j], culprits) ||
            events[j].target != events[i].target)
            continue;
        if (!latest)
            return j;
        found = j;
    }
    return found;
}

/* --- the definition ---------------------------------------------------------------------- */

/*
 * Enables: program order, fork and join, and the other hard edges; not those
 * of locks.  They are the direct edges of the naive relations less the lock
 * edges, closed.
 */
static void build_enables(struct run *run)
{
    const struct fw_event *events = run->trace->events;
    uint32_t n = run->trace->count;

    run->enables = fw_xcalloc((size_t)n * n + 1, sizeof *run->enables);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++) {
            bool lock = fw_is_class(events[i].kind, FW_CLASS_RELEASE) &&
                        fw_is_class(events[j].kind, FW_CLASS_ACQUIRE);

            run->enables[i * n + j] =
                events[i].thread == events[j].thread || (run->naive->hard[i * n + j] && !lock);
        }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = k + 1; run->enables[i * n + k] && j < n; j++)
                run->enables[i * n + j] |= run->enables[k * n + j];
}

/* a is before b and there is no c with a before c by happens-before and c enables b. */
static bool concurrent(const struct run *run, uint32_t a, uint32_t b)
{
    uint32_t n = run->trace->count;

    if (a >= b || run->trace->events[a].thread == run->trace->events[b].thread)
        return false;
    for (uint32_t c = a + 1; c < b; c++)
        if (run->naive->hb[a * n + c] && run->enables[c * n + b])
            return false;
    return true;
}

/* The latest culprit between two events whose `of` (itself or its release) is concurrent with b. */
static uint32_t latest_culprit(const struct run *run, enum culprits culprits, uint32_t from,
                               uint32_t to, uint32_t b, bool by_release)
{
    const struct fw_event *events = run->trace->events;

    for (uint32_t c = to; c-- > from;) {
        uint32_t a = by_release ? run->index->partner[c] : c;

        if (is_culprit(&events[c], culprits) && events[c].target == events[b].target &&
            a != FW_NO_EVENT && concurrent(run, a, b))
            return c;
    }
    return FW_NO_EVENT;
}

static void define_window(struct run *run, const struct fw_naive_block *block, uint32_t second,
                          enum culprits culprits)
{
    uint32_t latest = end_before(run, block, second, culprits, true), first, culprit;

    if (latest == FW_NO_EVENT)
        return;
    first = end_before(run, block, second, culprits, false);
    culprit = latest_culprit(run, culprits, 0, first, first, false);
    if (culprit != FW_NO_EVENT)
        report(run, FW_SIDETRACK_BEFORE, latest, second, culprit);
    culprit = latest_culprit(run, culprits, latest, second, second, true);
    if (culprit != FW_NO_EVENT)
        report(run, FW_SIDETRACK_IN, latest, second, culprit);
}

/* The latest window of any block whose second acquire is concurrent with the culprit. */
static void define_after(struct run *run, uint32_t culprit, enum culprits culprits)
{
    const struct fw_event *events = run->trace->events;

    for (uint32_t i = culprit; i-- > 0;) {
        if (!is_end(&events[i], culprits) || events[i].target != events[culprit].target ||
            !concurrent(run, i, culprit))
            continue;
        for (uint32_t b = 0; b < run->blocks.count; b++) {
            const struct fw_naive_block *block = &run->blocks.at[b];
            uint32_t first = FW_NO_EVENT;

            if (block->level == 1 && fw_naive_block_holds(run->trace, block, i))
                first = end_before(run, block, i, culprits, true);
            if (first != FW_NO_EVENT) {
                report(run, FW_SIDETRACK_AFTER, first, i, culprit);
                return;
            }
        }
    }
}

static void define_all(struct run *run, enum culprits culprits)
{
    const struct fw_event *events = run->trace->events;

    for (uint32_t i = 0; i < run->trace->count; i++) {
        for (uint32_t b = 0; is_end(&events[i], culprits) && b < run->blocks.count; b++)
            if (fw_naive_block_holds(run->trace, &run->blocks.at[b], i))
                define_window(run, &run->blocks.at[b], i, culprits);
        if (is_culprit(&events[i], culprits))
            define_after(run, i, culprits);
    }
}

struct fw_sidetrack_reports fw_naive_sidetrack_definition(const struct fw_index *index,
                                                          bool functions)
{
    struct run run = { .index = index, .trace = index->trace };

    run.blocks = fw_naive_blocks(index, functions);
    run.naive = fw_naive_create(index);
    build_enables(&run);
    define_all(&run, EXCLUSIVE);
    define_all(&run, SHARED);
    fw_sidetrack_reports_sort(&run.reports);
    free(run.enables);
    fw_naive_destroy(run.naive);
    fw_naive_blocks_release(&run.blocks);
    return run.reports;
}

/* --- IN-errors by the words -------------------------------------------------------------- */

static void observe_window(struct run *run, const struct fw_naive_block *block, uint32_t second,
                           enum culprits culprits)
{
    const struct fw_event *events = run->trace->events;
    uint32_t latest = end_before(run, block, second, culprits, true);

    for (uint32_t c = second; latest != FW_NO_EVENT && c-- > latest;) {
        if (is_culprit(&events[c], culprits) && events[c].target == events[second].target &&
            events[c].thread != events[second].thread) {
            report(run, FW_SIDETRACK_IN, latest, second, c);
            return;
        }
    }
}

struct fw_sidetrack_reports fw_naive_sidetrack_observed(const struct fw_index *index,
                                                        bool functions)
{
    struct run run = { .index = index, .trace = index->trace };
    const struct fw_event *events = index->trace->events;

    run.blocks = fw_naive_blocks(index, functions);
    for (uint32_t i = 0; i < run.trace->count; i++)
        for (uint32_t b = 0; b < run.blocks.count; b++)
            for (int culprits = EXCLUSIVE; culprits <= SHARED; culprits++)
                if (is_end(&events[i], culprits) &&
                    fw_naive_block_holds(run.trace, &run.blocks.at[b], i))
                    observe_window(&run, &run.blocks.at[b], i, culprits);
    fw_sidetrack_reports_sort(&run.reports);
    fw_naive_blocks_release(&run.blocks);
    return run.reports;
}
