/*
 * grouped.c - see grouped.h.
 */
#include "predict/grouped.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>

struct builder {
    struct fw_grouped *grouped;
    const struct fw_trace *trace;
    FW_VEC(struct fw_group) groups;
    uint32_t *count;  /* by thread: items of the object at hand; zero between objects */
    FW_VEC(uint32_t) threads; /* that have any, ascending */
    uint32_t items;
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Lays out the object's groups; count[t] becomes the place of the thread's next item. */
static void lay_out(struct builder *b)
{
    qsort(b->threads.at, b->threads.len, sizeof *b->threads.at, by_number);
    for (size_t i = 0; i < b->threads.len; i++) {
        uint32_t thread = b->threads.at[i], count = b->count[thread];

        fw_vec_push(&b->groups, ((struct fw_group) { thread, b->items }));
        b->count[thread] = b->items;
        b->items += count;
    }
}

static void add_object(struct builder *b, const uint32_t *row, uint32_t count,
                       bool (*wanted)(unsigned kind))
{
    const struct fw_event *events = b->trace->events;

    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = &events[row[i]];

        if (wanted(event->kind) && b->count[event->thread]++ == 0)
            fw_vec_push(&b->threads, event->thread);
    }
    if (b->threads.len == 0)
        return;
    lay_out(b);
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = &events[row[i]];

        if (wanted(event->kind))
            b->grouped->items[b->count[event->thread]++] = row[i];
    }
    for (size_t i = 0; i < b->threads.len; i++)
        b->count[b->threads.at[i]] = 0;
    fw_vec_clear(&b->threads);
}

static uint32_t count_wanted(const struct fw_trace *trace, const struct fw_rows *rows,
                             bool (*wanted)(unsigned kind))
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->start[rows->rows]; i++)
        count += wanted(trace->events[rows->items[i]].kind);
    return count;
}

void fw_grouped_build(struct fw_grouped *grouped, const struct fw_index *index,
                      const struct fw_rows *rows, bool (*wanted)(unsigned kind))
{
    const struct fw_trace *trace = index->trace;
    struct builder b = { .grouped = grouped, .trace = trace };

    grouped->objects = rows->rows;
    grouped->start = fw_xcalloc((size_t)rows->rows + 1, sizeof *grouped->start);
    grouped->items = fw_xcalloc((size_t)count_wanted(trace, rows, wanted) + 1,
                                sizeof *grouped->items);
    b.count = fw_xcalloc((size_t)fw_trace_thread_count(trace) + 1, sizeof *b.count);
    for (uint32_t i = 0; i < rows->rows; i++) {
        grouped->start[i] = (uint32_t)b.groups.len;
        add_object(&b, fw_row(rows, i), fw_row_count(rows, i), wanted);
    }
    grouped->start[rows->rows] = (uint32_t)b.groups.len;
    fw_vec_push(&b.groups, ((struct fw_group) { FW_NO_EVENT, b.items }));
    grouped->groups = fw_xrealloc(b.groups.at, b.groups.len, sizeof *b.groups.at);
    free(b.count);
    fw_vec_release(&b.threads);
}

void fw_grouped_release(struct fw_grouped *grouped)
{
    free(grouped->start);
    free(grouped->groups);
    free(grouped->items);
}

size_t fw_grouped_bytes(const struct fw_grouped *grouped)
{
    uint32_t groups = grouped->start[grouped->objects];

    return (grouped->objects + 1) * sizeof *grouped->start +
           (groups + 1) * sizeof *grouped->groups +
           ((size_t)grouped->groups[groups].first + 1) * sizeof *grouped->items;
}

const struct fw_group *fw_grouped_find(const struct fw_grouped *grouped, uint32_t object,
                                       uint32_t thread)
{
    uint32_t low = grouped->start[object], end = grouped->start[object + 1], high = end;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (grouped->groups[mid].thread < thread)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end && grouped->groups[low].thread == thread ? &grouped->groups[low] : NULL;
}
