/*
 * index.c - see index.h: the rows by thread, variable and lock.
 *
 * Rows are made by counting: one pass counts the events of each row, a second
 * puts them in place.
 */
#include "trace/index.h"

#include "base/alloc.h"
#include "trace/index_build.h"

#include <stdlib.h>
#include <string.h>

uint32_t *fw_index_nothing(size_t n)
{
    uint32_t *array = fw_xrealloc(NULL, n, sizeof *array);

    memset(array, 0xff, n * sizeof *array);
    return array;
}

/* The row of an event in by_thread (space thread), by_variable or by_lock; FW_NO_EVENT: none. */
static uint32_t row_of(const struct fw_event *event, enum fw_space space)
{
    if (space == FW_SPACE_THREAD)
        return event->thread;
    if (fw_is_class(event->kind, FW_CLASS_REQUEST))
        return FW_NO_EVENT;
    return fw_kind_info[event->kind].space == space ? event->target : FW_NO_EVENT;
}

static void build_rows(struct fw_rows *rows, const struct fw_trace *trace, enum fw_space space)
{
    uint32_t *next;

    rows->rows = fw_symbols_count(trace->symbols, space);
    rows->start = fw_xcalloc((size_t)rows->rows + 1, sizeof *rows->start);
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t row = row_of(&trace->events[i], space);

        if (row != FW_NO_EVENT)
            rows->start[row + 1]++;
    }
    for (uint32_t i = 0; i < rows->rows; i++)
        rows->start[i + 1] += rows->start[i];
    rows->items = fw_xrealloc(NULL, rows->start[rows->rows], sizeof *rows->items);
    next = fw_xrealloc(NULL, rows->rows, sizeof *next);
    memcpy(next, rows->start, rows->rows * sizeof *next);
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t row = row_of(&trace->events[i], space);

        if (row != FW_NO_EVENT)
            rows->items[next[row]++] = i;
    }
    free(next);
}

static void build_in_thread(struct fw_index *index)
{
    index->in_thread = fw_xrealloc(NULL, index->trace->count, sizeof *index->in_thread);
    for (uint32_t t = 0; t < index->by_thread.rows; t++) {
        const uint32_t *row = fw_row(&index->by_thread, t);

        for (uint32_t i = 0; i < fw_row_count(&index->by_thread, t); i++)
            index->in_thread[row[i]] = i;
    }
}

struct fw_index *fw_index_create(const struct fw_trace *trace)
{
    struct fw_index *index = fw_xcalloc(1, sizeof *index);

    index->trace = trace;
    build_rows(&index->by_thread, trace, FW_SPACE_THREAD);
    build_rows(&index->by_variable, trace, FW_SPACE_VARIABLE);
    build_rows(&index->by_lock, trace, FW_SPACE_LOCK);
    build_in_thread(index);
    index->partner = fw_index_nothing(trace->count);
    fw_index_build_partners(index);
    fw_index_build_rounds(index);
    fw_index_build_lock_sets(index);
    return index;
}

static void release_rows(struct fw_rows *rows)
{
    free(rows->start);
    free(rows->items);
}

void fw_index_destroy(struct fw_index *index)
{
    if (!index)
        return;
    release_rows(&index->by_thread);
    release_rows(&index->by_variable);
    release_rows(&index->by_lock);
    release_rows(&index->lock_sets);
    release_rows(&index->rounds);
    free(index->in_thread);
    free(index->partner);
    free(index->lock_set);
    free(index->fork_of);
    free(index->join_of);
    free(index->round_of);
    free(index);
}
