/* trace.c - see trace.h. */
#include "trace/trace.h"

#include "base/vec.h"
#include "trace/fwt.h"

#include <stdlib.h>

/* What is being collected; moved into the trace at the end. */
struct fw_trace_builder {
    FW_VEC(struct fw_event) events;
    FW_VEC(struct fw_attr) attrs;
    FW_VEC(uint64_t) index;
    bool gapped;
};

static void collect_index(struct fw_trace_builder *to, const struct fw_batch *batch)
{
    if (batch->index && !to->gapped) {
        to->gapped = true;
        for (uint64_t i = 0; i < batch->first; i++)
            fw_vec_push(&to->index, i);
    }
    for (uint32_t i = 0; to->gapped && i < batch->count; i++)
        fw_vec_push(&to->index, fw_batch_index(batch, i));
}

static void collect_batch(struct fw_trace_builder *to, const struct fw_batch *batch)
{
    struct fw_event *fresh;

    fw_vec_reserve(&to->events, to->events.len + batch->count);
    fresh = to->events.at + to->events.len;
    memcpy(fresh, batch->events, batch->count * sizeof *fresh);
    to->events.len += batch->count;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!fresh[i].attr)
            continue;
        fw_vec_push(&to->attrs, batch->attrs[fresh[i].attr]);
        fresh[i].attr = (uint32_t)to->attrs.len - 1;
    }
    collect_index(to, batch);
}

struct fw_trace_builder *fw_trace_builder_create(void)
{
    struct fw_trace_builder *builder = fw_xcalloc(1, sizeof *builder);

    fw_vec_push(&builder->attrs, (struct fw_attr) { 0 });
    return builder;
}

void fw_trace_builder_destroy(struct fw_trace_builder *builder)
{
    if (!builder)
        return;
    fw_vec_release(&builder->events);
    fw_vec_release(&builder->attrs);
    fw_vec_release(&builder->index);
    free(builder);
}

int fw_trace_builder_add(struct fw_trace_builder *builder, const struct fw_batch *batch,
                         const struct fw_reader *reader, struct fw_error *err)
{
    if (builder->events.len + batch->count >= FW_NO_EVENT)
        return fw_error_set(err, "'%s' has more events than fit into memory at once (%u)",
                            fw_reader_name(reader), FW_NO_EVENT - 1);
    collect_batch(builder, batch);
    return 0;
}

size_t fw_trace_builder_bytes(const struct fw_trace_builder *builder)
{
    return builder->events.len * sizeof *builder->events.at +
           builder->attrs.len * sizeof *builder->attrs.at +
           builder->index.len * (sizeof *builder->index.at + sizeof(uint32_t));
}

static int compare_by_index(const void *a, const void *b, void *index_array)
{
    const uint64_t *index = index_array;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (index[x] != index[y])
        return index[x] < index[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Indices ascend with positions but for the wake and acquire of wait(l) lines: sort them. */
static void sort_by_index(struct fw_trace *trace)
{
    trace->by_index = fw_xrealloc(NULL, trace->count, sizeof *trace->by_index);
    for (uint32_t i = 0; i < trace->count; i++)
        trace->by_index[i] = i;
    qsort_r(trace->by_index, trace->count, sizeof *trace->by_index, compare_by_index, trace->index);
}

/* See trace.h: as if an acquiring fence stood at the end of each thread. */
static void acquire_always(struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        struct fw_event *event = &trace->events[i];

        if ((event->kind == FW_ATOMIC_LOAD || event->kind == FW_ATOMIC_RMW) &&
            !fw_order_acquires(event->order))
            event->order = fw_order_releases(event->order) ? FW_ORDER_ACQ_REL : FW_ORDER_ACQUIRE;
    }
}

struct fw_trace *fw_trace_builder_finish(struct fw_trace_builder *builder, struct fw_reader *reader,
                                         bool has_branches, bool whole)
{
    struct fw_trace *trace = fw_xcalloc(1, sizeof *trace);

    trace->events = builder->events.at;
    trace->count = (uint32_t)builder->events.len;
    trace->attrs = builder->attrs.at;
    trace->attr_count = (uint32_t)builder->attrs.len;
    trace->index = builder->index.at;
    free(builder);
    if (trace->index)
        sort_by_index(trace);
    if (!whole)
        acquire_always(trace);
    trace->has_branches = has_branches;
    trace->lacks_repeats = fw_reader_metadata(reader, FW_FWT_REPEATS) &&
                           !fw_reader_metadata(reader, FW_FWT_REPEATS_KEPT);
    trace->status = *fw_reader_status(reader);
    trace->name = fw_xstrdup(fw_reader_name(reader));
    trace->symbols = fw_reader_take_symbols(reader);
    return trace;
}

int fw_trace_read(struct fw_trace **out, struct fw_reader *reader, struct fw_error *err)
{
    struct fw_trace_builder *builder = fw_trace_builder_create();
    int branches = fw_reader_has_branches(reader, err), got = branches;
    struct fw_batch batch;

    while (got >= 0 && (got = fw_reader_next(reader, &batch, err)) > 0)
        got = fw_trace_builder_add(builder, &batch, reader, err);
    if (got < 0) {
        fw_trace_builder_destroy(builder);
        return -1;
    }
    *out = fw_trace_builder_finish(builder, reader, branches, true);
    return 0;
}

static int read_and_close(struct fw_trace **trace, struct fw_reader *reader, struct fw_error *err)
{
    int result = fw_trace_read(trace, reader, err);

    fw_reader_close(reader);
    return result;
}

int fw_trace_load(struct fw_trace **trace, const char *path, const struct fw_read_options *options,
                  struct fw_error *err)
{
    struct fw_reader *reader;

    if (fw_reader_open(&reader, path, options, err) < 0)
        return -1;
    return read_and_close(trace, reader, err);
}

int fw_trace_load_memory(struct fw_trace **trace, const void *data, size_t size, const char *name,
                         const struct fw_read_options *options, struct fw_error *err)
{
    struct fw_reader *reader;

    if (fw_reader_open_memory(&reader, data, size, name, options, err) < 0)
        return -1;
    return read_and_close(trace, reader, err);
}

void fw_trace_destroy(struct fw_trace *trace)
{
    if (!trace)
        return;
    free(trace->events);
    free(trace->attrs);
    free(trace->index);
    free(trace->by_index);
    fw_symbols_destroy(trace->symbols);
    free(trace->name);
    free(trace);
}

static uint32_t search_position(const struct fw_trace *trace, uint64_t index, unsigned n)
{
    uint32_t low = 0, high = trace->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (trace->index[trace->by_index[middle]] < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (n >= trace->count - low || trace->index[trace->by_index[low + n]] != index)
        return FW_NO_EVENT;
    return trace->by_index[low + n];
}

uint32_t fw_trace_position(const struct fw_trace *trace, uint64_t index, unsigned n)
{
    if (trace->index)
        return search_position(trace, index, n);
    return n == 0 && index < trace->count ? (uint32_t)index : FW_NO_EVENT;
}

struct fw_batch fw_trace_batch(const struct fw_trace *trace)
{
    return (struct fw_batch) {
        .events = trace->events,
        .attrs = trace->attrs,
        .index = trace->index,
        .count = trace->count,
    };
}
