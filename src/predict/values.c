/*
 * values.c - see values.h.
 */
#include "predict/values.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>

static bool recorded(const struct fw_trace *trace, uint32_t e, int64_t *value)
{
    const struct fw_attr *attr = &trace->attrs[trace->events[e].attr];

    *value = attr->value;
    return attr->has & FW_ATTR_VALUE;
}

/* What the read got in the trace: its own value or that of the write it saw, if they agree. */
static bool value_read(const struct fw_index *index, uint32_t read, int64_t *value)
{
    const struct fw_trace *trace = index->trace;
    uint32_t seen = index->partner[read];
    bool own = trace->events[read].kind != FW_ATOMIC_RMW && recorded(trace, read, value);
    int64_t written;

    if (seen == FW_NO_EVENT || !recorded(trace, seen, &written))
        return own;
    if (own && *value != written)
        return false;
    *value = written;
    return true;
}

bool fw_values_same(const struct fw_index *index, uint32_t read, uint32_t write)
{
    int64_t got, left;

    if (write == index->partner[read])
        return true;
    return write != FW_NO_EVENT && recorded(index->trace, write, &left) &&
           value_read(index, read, &got) && got == left;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

struct finder {
    const struct fw_index *index;
    const uint64_t *synchronised;
    uint64_t *flexible;
    FW_VEC(int64_t) values; /* that writes of the variable left, ascending */
    bool any;
};

/* How many writes of the variable left the value. */
static size_t count_value(const struct finder *f, int64_t value)
{
    size_t low = 0, high = f->values.len, count = 0;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (f->values.at[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    while (low + count < f->values.len && count < 3 && f->values.at[low + count] == value)
        count++;
    return count;
}

static void visit_read(struct finder *f, uint32_t read)
{
    const struct fw_trace *trace = f->index->trace;
    uint32_t seen = f->index->partner[read];
    size_t own = 0; /* writes of the value that are no alternative */
    int64_t got, left;

    if (f->synchronised[read / 64] >> (read % 64) & 1 || !value_read(f->index, read, &got))
        return;
    own += seen != FW_NO_EVENT && recorded(trace, seen, &left) && left == got;
    own += trace->events[read].kind == FW_ATOMIC_RMW && recorded(trace, read, &left) &&
           left == got;
    if (count_value(f, got) <= own)
        return;
    f->flexible[read / 64] |= (uint64_t)1 << (read % 64);
    f->any = true;
}

static void visit_variable(struct finder *f, const uint32_t *row, uint32_t count)
{
    const struct fw_trace *trace = f->index->trace;
    int64_t value;

    fw_vec_clear(&f->values);
    for (uint32_t i = 0; i < count; i++)
        if (fw_is_write(trace->events[row[i]].kind) && recorded(trace, row[i], &value))
            fw_vec_push(&f->values, value);
    if (f->values.len == 0)
        return;
    qsort(f->values.at, f->values.len, sizeof *f->values.at, by_value);
    for (uint32_t i = 0; i < count; i++)
        if (fw_is_read(trace->events[row[i]].kind))
            visit_read(f, row[i]);
}

uint64_t *fw_values_find_flexible(const struct fw_index *index, const uint64_t *synchronised)
{
    struct finder f = { .index = index, .synchronised = synchronised };

    f.flexible = fw_xcalloc((size_t)index->trace->count / 64 + 1, sizeof *f.flexible);
    for (uint32_t i = 0; i < index->by_variable.rows; i++)
        visit_variable(&f, fw_row(&index->by_variable, i), fw_row_count(&index->by_variable, i));
    fw_vec_release(&f.values);
    if (f.any)
        return f.flexible;
    free(f.flexible);
    return NULL;
}
