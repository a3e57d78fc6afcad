/*
 * core.c - see core.h: gathers what all questions share.
 */
#include "predict/core.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "predict/values.h"

#include <stdlib.h>

/* Rows by thread of the events of one kind: positions, or places in the thread. */
static void build_kind_rows(struct fw_rows *rows, const struct fw_index *index, unsigned kind,
                            bool places)
{
    const struct fw_trace *trace = index->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    uint32_t *next;

    rows->rows = threads;
    rows->start = fw_xcalloc((size_t)threads + 2, sizeof *rows->start);
    for (uint32_t e = 0; e < trace->count; e++)
        if (trace->events[e].kind == kind)
            rows->start[trace->events[e].thread + 1]++;
    for (uint32_t t = 0; t < threads; t++)
        rows->start[t + 1] += rows->start[t];
    rows->items = fw_xcalloc((size_t)rows->start[threads] + 1, sizeof *rows->items);
    next = fw_xcalloc((size_t)threads + 1, sizeof *next);
    for (uint32_t e = 0; e < trace->count; e++) {
        uint32_t t = trace->events[e].thread;

        if (trace->events[e].kind == kind)
            rows->items[rows->start[t] + next[t]++] = places ? index->in_thread[e] : e;
    }
    free(next);
}

static bool is_acquire(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_ACQUIRE);
}

static bool is_exclusive(unsigned kind)
{
    return is_acquire(kind) && !fw_is_class(kind, FW_CLASS_SHARED);
}

static bool is_locking(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE);
}

static bool is_touching(unsigned kind)
{
    return fw_is_class(kind, FW_CLASS_CONFLICT);
}

struct fw_core *fw_core_create(const struct fw_index *index, const struct fw_core_options *options)
{
    struct fw_core *core = fw_xcalloc(1, sizeof *core);

    core->index = index;
    core->trace = index->trace;
    core->threads = fw_trace_thread_count(index->trace);
    core->strict = !index->trace->has_branches;
    core->synchronised = fw_core_find_synchronised(index);
    core->limit = fw_core_find_limits(index);
    core->round_before = fw_core_find_rounds_before(index);
    build_kind_rows(&core->branches, index, FW_BRANCH, true);
    build_kind_rows(&core->tries, index, FW_TRY_FAIL, false);
    fw_grouped_build(&core->acquires, index, &index->by_lock, is_acquire);
    fw_grouped_build(&core->exclusive, index, &index->by_lock, is_exclusive);
    fw_grouped_build(&core->writes, index, &index->by_variable, fw_is_write);
    core->iroots = options && options->iroots;
    if (core->iroots) {
        fw_grouped_build(&core->touching, index, &index->by_variable, is_touching);
        fw_grouped_build(&core->locking, index, &index->by_lock, is_locking);
    }
    core->chains = options && options->chains;
    core->need = fw_need_create(core, false);
    if (options && options->values)
        core->flexible = fw_values_find_flexible(index, core->synchronised);
    if (core->flexible)
        core->loose = fw_need_create(core, true);
    return core;
}

void fw_core_destroy(struct fw_core *core)
{
    if (!core)
        return;
    fw_need_destroy(core->need);
    fw_need_destroy(core->loose);
    free(core->flexible);
    fw_grouped_release(&core->acquires);
    fw_grouped_release(&core->exclusive);
    fw_grouped_release(&core->writes);
    fw_grouped_release(&core->touching);
    fw_grouped_release(&core->locking);
    free(core->branches.start);
    free(core->branches.items);
    free(core->tries.start);
    free(core->tries.items);
    free(core->synchronised);
    free(core->limit);
    free(core->round_before);
    free(core);
}

const struct fw_index *fw_core_index(const struct fw_core *core)
{
    return core->index;
}

size_t fw_core_bytes(const struct fw_core *core)
{
    return sizeof *core + core->trace->count / 8 + fw_need_bytes(core->need) +
           (core->loose ? fw_need_bytes(core->loose) : 0) +
           fw_grouped_bytes(&core->acquires) + fw_grouped_bytes(&core->exclusive) +
           fw_grouped_bytes(&core->writes) +
           (core->iroots ? fw_grouped_bytes(&core->touching) + fw_grouped_bytes(&core->locking)
                         : 0) +
           4 * (size_t)(core->branches.start[core->threads] + core->tries.start[core->threads]);
}

uint32_t fw_core_own_clean(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    const uint32_t *row = fw_row(&core->branches, thread);
    uint32_t before = fw_count_below(row, fw_row_count(&core->branches, thread), len);

    if (core->strict)
        return len;
    return before ? row[before - 1] + 1 : 0;
}

bool fw_core_must_precede(const struct fw_core *core, uint32_t a, uint32_t b)
{
    uint32_t ta = fw_thread_of(core, a), tb = fw_thread_of(core, b);

    if (ta == tb)
        return fw_place_of(core, a) < fw_place_of(core, b);
    return fw_need_has(core, tb, fw_place_of(core, b) + 1, ta, fw_place_of(core, a));
}
