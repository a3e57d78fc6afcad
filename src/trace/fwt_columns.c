/*
 * fwt_columns.c - see fwt_columns.h.
 *
 * Targets come out in the cheaper of two ways, estimated by the entropy of
 * their byte planes: as they are, or as the difference to the target that the
 * same code had last (code that walks an array, or that always means the same
 * variable).
 */
#include "trace/fwt_columns.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIRST_CAPACITY 256u
#define GROWTH         4u
#define SLOTS_PER_CODE 4u
#define SAMPLE_ALL     8192u /* longer columns are judged by one event in so many ... */
#define SAMPLE_STEP    7u    /* ... not a number that loops like */

void fw_fwt_columns_init(struct fw_fwt_columns *cols, bool branches)
{
    memset(cols, 0, sizeof *cols);
    cols->branches = branches;
}

void fw_fwt_columns_release(struct fw_fwt_columns *cols)
{
    free(cols->code);
    free(cols->target);
    free(cols->codes);
    free(cols->slots);
    free(cols->delta);
    free(cols->scratch);
    fw_vec_release(&cols->threads);
    fw_vec_release(&cols->thread_index);
    fw_vec_release(&cols->runs);
    fw_vec_release(&cols->rf);
    fw_vec_release(&cols->value);
    memset(cols, 0, sizeof *cols);
}

/* The slot of the code: the one that holds it, or the free one where it belongs. */
static uint32_t *find_slot(const struct fw_fwt_columns *cols, uint64_t what, uint32_t size)
{
    uint64_t hash = (what ^ (uint64_t)size << 24) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 40) & cols->slot_mask;

    for (; cols->slots[i]; i = (i + 1) & cols->slot_mask) {
        const struct fw_fwt_code *code = &cols->codes[cols->slots[i] - 1];

        if (code->what == what && code->size == size)
            break;
    }
    return &cols->slots[i];
}

/* Room for more codes.  They are few, as a rule: a small table stays in the processor's cache. */
static void grow_slots(struct fw_fwt_columns *cols)
{
    uint32_t count = cols->slots ? (cols->slot_mask + 1) * 2 : FIRST_CAPACITY * SLOTS_PER_CODE;

    free(cols->slots);
    cols->slots = fw_xcalloc(count, sizeof *cols->slots);
    cols->slot_mask = count - 1;
    for (uint32_t i = 0; i < cols->code_count; i++) {
        uint32_t *slot = find_slot(cols, cols->codes[i].what, cols->codes[i].size);

        *slot = i + 1;
        cols->codes[i].slot = (uint32_t)(slot - cols->slots);
    }
}

/* Room for more events; most traces that tests write are far below a block. */
static void grow(struct fw_fwt_columns *cols)
{
    uint32_t capacity = cols->capacity ? cols->capacity * GROWTH : FIRST_CAPACITY;

    cols->capacity = capacity;
    cols->code = fw_xrealloc(cols->code, capacity, sizeof *cols->code);
    cols->target = fw_xrealloc(cols->target, capacity, sizeof *cols->target);
    cols->codes = fw_xrealloc(cols->codes, capacity, sizeof *cols->codes);
    cols->delta = fw_xrealloc(cols->delta, capacity, sizeof *cols->delta);
    cols->scratch = fw_xrealloc(cols->scratch, capacity, sizeof *cols->scratch);
    if (!cols->slots)
        grow_slots(cols);
}

_Static_assert(FIRST_CAPACITY *GROWTH *GROWTH *GROWTH *GROWTH == FW_FWT_MAX_EVENTS,
               "the capacity grows to that of a block");

static uint32_t thread_index(struct fw_fwt_columns *cols, uint32_t thread)
{
    if (thread >= cols->thread_index.len)
        fw_vec_extend(&cols->thread_index, thread + 1);
    if (!cols->thread_index.at[thread]) {
        fw_vec_push(&cols->threads, thread);
        cols->thread_index.at[thread] = (uint32_t)cols->threads.len;
    }
    return cols->thread_index.at[thread] - 1;
}

static void put_varint(struct fw_bytes *to, uint64_t x)
{
    fw_vec_reserve(to, to->len + FW_VARINT_MAX);
    to->len += fw_varint_put(to->at + to->len, x);
}

static int add_attr(struct fw_fwt_columns *cols, const struct fw_attr *attr, struct fw_error *err)
{
    uint64_t position = cols->first + cols->count;

    if (attr->has & FW_ATTR_RF) {
        if (attr->rf >= position)
            return fw_error_set(err, "event %" PRIu64 ": rf is not before it", position);
        put_varint(&cols->rf, position - attr->rf);
    }
    if (attr->has & FW_ATTR_VALUE)
        put_varint(&cols->value, fw_zigzag(attr->value));
    return 0;
}

static uint32_t add_code(struct fw_fwt_columns *cols, const struct fw_event *event, uint64_t what,
                         uint32_t size, uint32_t *slot, struct fw_error *err)
{
    if (event->kind >= FW_KIND_COUNT || !fw_fwt_attrs_allowed(event->kind, what & 0xff))
        FW_BUG("event of kind %u with attributes 0x%x", event->kind, (unsigned)what & 0xff);
    if (event->kind == FW_BRANCH && !cols->branches) {
        fw_error_set(err, "event %" PRIu64 ": a branch in a trace that was to have none",
                     cols->first + cols->count);
        return FW_FWT_NO_CODE;
    }
    cols->codes[cols->code_count++] =
        (struct fw_fwt_code) { what, size, 0, 0, (uint32_t)(slot - cols->slots) };
    *slot = cols->code_count;
    if (cols->code_count * SLOTS_PER_CODE > cols->slot_mask)
        grow_slots(cols);
    return cols->code_count - 1;
}

uint32_t fw_fwt_columns_code(struct fw_fwt_columns *cols, const struct fw_event *event,
                             const struct fw_attr *attr, struct fw_error *err)
{
    uint64_t what = (uint64_t)event->site << 32 | (uint32_t)(event->kind << 16 | event->order << 8);
    uint32_t size = 0, *slot;

    if (event->attr) {
        what |= attr->has & 0xff;
        size = attr->has & FW_ATTR_SIZE ? attr->size : 0;
    }
    if (FW_UNLIKELY(cols->code_count == cols->capacity))
        grow(cols);
    slot = find_slot(cols, what, size);
    return FW_LIKELY(*slot) ? *slot - 1 : add_code(cols, event, what, size, slot, err);
}

/* Before an event that is its thread's first in a row, or for which there is no room. */
void fw_fwt_columns_run(struct fw_fwt_columns *cols, uint32_t thread)
{
    if (cols->count == cols->capacity)
        grow(cols);
    if (thread + 1 == cols->thread)
        return;
    fw_vec_push(&cols->runs,
                ((struct fw_fwt_run) { cols->count, thread_index(cols, thread) }));
    cols->thread = thread + 1;
}

uint32_t fw_fwt_columns_add(struct fw_fwt_columns *cols, const struct fw_event *events,
                            uint32_t count, const struct fw_attr *attrs, struct fw_error *err)
{
    uint32_t n = FW_FWT_MAX_EVENTS - cols->count;

    n = n < count ? n : count;
    for (uint32_t i = 0; i < n; i++) {
        const struct fw_event *event = &events[i];
        uint32_t code = fw_fwt_columns_code(cols, event, &attrs[event->attr], err);

        if (code == FW_FWT_NO_CODE ||
            (event->attr && add_attr(cols, &attrs[event->attr], err) < 0))
            return i;
        fw_fwt_columns_put(cols, code, event->thread, event->target);
    }
    return n;
}

/* Columns as planes. */

static unsigned planes_for(uint32_t highest)
{
    return highest == 0         ? 0
           : highest < 1u << 8  ? 1
           : highest < 1u << 16 ? 2
           : highest < 1u << 24 ? 3
                                : 4;
}

/* The payload under construction. */
struct pack {
    struct fw_bytes *to;
    struct fw_fwt_seams *seams;
    struct fw_fwt_layout layout;
};

static void put_seam(struct pack *pack)
{
    pack->seams->at[pack->seams->count++] = pack->to->len;
}

static void put_planes(struct pack *pack, const uint32_t *column, uint32_t n, unsigned planes)
{
    struct fw_bytes *to = pack->to;

    fw_vec_reserve(to, to->len + (size_t)n * planes);
    for (unsigned p = 0; p < planes; p++) {
        unsigned char *plane = to->at + to->len;

        put_seam(pack);
        for (uint32_t i = 0; i < n; i++)
            plane[i] = (unsigned char)(column[i] >> 8 * p);
        to->len += n;
    }
}

static uint32_t highest_of(const uint32_t *column, uint32_t n)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < n; i++)
        all |= column[i];
    return all;
}

/* log2 in 1/256, exact at powers of two and linear in between: good enough to compare costs. */
static uint64_t log2_scaled(uint32_t x)
{
    unsigned whole = 31u - (unsigned)__builtin_clz(x);

    return (uint64_t)whole * 256 + (((uint64_t)x << 8 >> whole) & 255);
}

/* What an entropy coder needs for the planes of the column, in bits times 256; by a sample. */
static uint64_t estimate(const uint32_t *column, uint32_t n)
{
    uint32_t uses[4][256] = { { 0 } }, step = n > SAMPLE_ALL ? SAMPLE_STEP : 1;
    uint64_t cost = 0;

    for (uint32_t i = 0; i < n; i += step)
        for (unsigned p = 0; p < 4; p++)
            uses[p][column[i] >> 8 * p & 255]++;
    n = (n + step - 1) / step;
    for (unsigned i = 0; i < 4 * 256; i++) {
        uint32_t u = uses[i / 256][i % 256];

        if (u)
            cost += u * (log2_scaled(n) - log2_scaled(u));
    }
    return cost;
}

/* Turns targets into differences, in place of `to`, and counts the uses of the codes. */
static void differences(struct fw_fwt_columns *cols, uint32_t *to)
{
    for (uint32_t i = 0; i < cols->code_count; i++)
        cols->codes[i].last = cols->codes[i].uses = 0;
    for (uint32_t i = 0; i < cols->count; i++) {
        struct fw_fwt_code *code = &cols->codes[cols->code[i]];
        uint32_t difference = cols->target[i] - code->last;

        to[i] = difference << 1 ^ (0 - (difference >> 31));
        code->last = cols->target[i];
        code->uses++;
    }
}

static int more_used(const void *a, const void *b)
{
    const struct fw_fwt_code *x = *(const struct fw_fwt_code *const *)a;
    const struct fw_fwt_code *y = *(const struct fw_fwt_code *const *)b;

    if (x->uses != y->uses)
        return x->uses > y->uses ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Numbers the codes by frequency, so that the high plane is mostly zero; writes the dictionary. */
static void put_dictionary(struct fw_fwt_columns *cols, struct fw_bytes *to)
{
    struct fw_fwt_code **order = fw_xcalloc(cols->code_count, sizeof *order);
    uint32_t *rank = fw_xcalloc(cols->code_count, sizeof *rank);

    for (uint32_t i = 0; i < cols->code_count; i++)
        order[i] = &cols->codes[i];
    qsort(order, cols->code_count, sizeof *order, more_used);
    for (uint32_t i = 0; i < cols->code_count; i++) {
        const struct fw_fwt_code *code = order[i];
        unsigned order_of = code->what >> 8 & 15, has = code->what & 15;

        rank[code - cols->codes] = i;
        fw_vec_push(to, (unsigned char)(code->what >> 16));
        fw_vec_push(to, (unsigned char)(order_of | has << 4));
        put_varint(to, code->what >> 32);
        if (has & FW_ATTR_SIZE)
            put_varint(to, code->size);
    }
    for (uint32_t i = 0; i < cols->count; i++)
        cols->code[i] = rank[cols->code[i]];
    free(rank);
    free(order);
}

static uint32_t run_end(const struct fw_fwt_columns *cols, size_t run)
{
    return run + 1 < cols->runs.len ? cols->runs.at[run + 1].start : cols->count;
}

/* Runs as two columns: lengths - 1, indices. */
static void put_runs(const struct fw_fwt_columns *cols, struct pack *pack, uint32_t *scratch)
{
    uint32_t count = (uint32_t)cols->runs.len;

    for (uint32_t i = 0; i < count; i++)
        scratch[i] = run_end(cols, i) - cols->runs.at[i].start - 1;
    put_planes(pack, scratch, count, 2);
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = cols->runs.at[i].thread;
    put_planes(pack, scratch, count, pack->layout.thread_planes);
}

static void put_threads(struct fw_fwt_columns *cols, struct pack *pack, uint32_t *scratch)
{
    struct fw_fwt_layout *layout = &pack->layout;
    struct fw_bytes *to = pack->to;
    size_t start = to->len;

    for (size_t i = 0; i < cols->threads.len; i++)
        put_varint(to, cols->threads.at[i]);
    layout->thread_count = (uint32_t)cols->threads.len;
    layout->threads_size = (uint32_t)(to->len - start);
    layout->thread_planes = (uint8_t)planes_for(layout->thread_count - 1);
    /* A run takes three bytes, or four, against one for each event. */
    if (cols->runs.len < cols->count / 4 || layout->thread_count == 1) {
        layout->run_count = (uint32_t)cols->runs.len;
        put_runs(cols, pack, scratch);
        return;
    }
    for (size_t run = 0; run < cols->runs.len; run++)
        for (uint32_t i = cols->runs.at[run].start; i < run_end(cols, run); i++)
            scratch[i] = cols->runs.at[run].thread;
    put_planes(pack, scratch, cols->count, layout->thread_planes);
}

static void put_targets(struct fw_fwt_columns *cols, struct pack *pack, const uint32_t *delta)
{
    const uint32_t *column = cols->target;

    if (estimate(delta, cols->count) < estimate(cols->target, cols->count)) {
        column = delta;
        pack->layout.target_mode = FW_FWT_TARGET_DELTA;
    }
    pack->layout.target_planes = (uint8_t)planes_for(highest_of(column, cols->count));
    put_planes(pack, column, cols->count, pack->layout.target_planes);
}

static void put_bytes(struct fw_bytes *to, const struct fw_bytes *from)
{
    fw_vec_reserve(to, to->len + from->len);
    if (from->len)
        memcpy(to->at + to->len, from->at, from->len);
    to->len += from->len;
}

static void pack_layout(unsigned char *to, const struct fw_fwt_layout *l)
{
    fw_put32(to, l->dictionary_count);
    fw_put32(to + 4, l->thread_count);
    fw_put32(to + 8, l->run_count);
    to[12] = l->code_planes;
    to[13] = l->thread_planes;
    to[14] = l->target_planes;
    to[15] = l->target_mode;
    fw_put32(to + 16, l->dictionary_size);
    fw_put32(to + 20, l->threads_size);
    fw_put32(to + 24, l->rf_size);
    fw_put32(to + 28, l->value_size);
}

static void start_next(struct fw_fwt_columns *cols)
{
    for (uint32_t i = 0; i < cols->code_count; i++)
        cols->slots[cols->codes[i].slot] = 0;
    for (size_t i = 0; i < cols->threads.len; i++)
        cols->thread_index.at[cols->threads.at[i]] = 0;
    fw_vec_clear(&cols->threads);
    fw_vec_clear(&cols->runs);
    fw_vec_clear(&cols->rf);
    fw_vec_clear(&cols->value);
    cols->first += cols->count;
    cols->count = cols->code_count = cols->thread = 0;
}

void fw_fwt_columns_pack(struct fw_fwt_columns *cols, struct fw_bytes *to,
                         struct fw_fwt_seams *seams)
{
    struct pack pack = { .to = to, .seams = seams };
    struct fw_fwt_layout *layout = &pack.layout;

    seams->count = 0;
    differences(cols, cols->delta);
    fw_vec_extend(to, FW_FWT_EVENTS_HEAD);
    put_dictionary(cols, to);
    layout->dictionary_count = cols->code_count;
    layout->dictionary_size = (uint32_t)(to->len - FW_FWT_EVENTS_HEAD);
    put_threads(cols, &pack, cols->scratch);
    layout->code_planes = (uint8_t)planes_for(cols->code_count - 1);
    put_planes(&pack, cols->code, cols->count, layout->code_planes);
    put_targets(cols, &pack, cols->delta);
    put_seam(&pack);
    put_bytes(to, &cols->rf);
    put_seam(&pack);
    put_bytes(to, &cols->value);
    layout->rf_size = (uint32_t)cols->rf.len;
    layout->value_size = (uint32_t)cols->value.len;
    pack_layout(to->at, layout);
    start_next(cols);
}
