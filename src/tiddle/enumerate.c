/* enumerate.c - see enumerate.h: the search, and an order as text. */
#include "tiddle/enumerate.h"

#include "base/alloc.h"
#include "base/bug.h"
#include "trace/writer.h"

/* --- the search -------------------------------------------------------------------------- */

/*
 * Depth first, without recursion: at each step the ready events (the next ones
 * of their threads with nothing left before them) are tried in ascending order.
 */
struct search {
    const struct fw_index *index;
    const struct fw_depend *depend;
    uint32_t *before; /* event → events before it that are not in the order yet */
    uint32_t *next;   /* thread → place of its next event in its row */
    uint32_t *order;
    uint32_t *tried; /* step → the last event tried there, plus 1 */
};

static void add(struct search *search, uint32_t event, int by)
{
    const uint32_t *after = fw_row(&search->depend->after, event);

    for (uint32_t i = 0; i < fw_row_count(&search->depend->after, event); i++)
        search->before[after[i]] -= (uint32_t)by;
    search->next[search->index->trace->events[event].thread] += (uint32_t)by;
}

/* The first ready event at or behind `from`, or FW_NO_EVENT. */
static uint32_t find_ready(const struct search *search, uint32_t from)
{
    const struct fw_rows *threads = &search->index->by_thread;
    uint32_t found = FW_NO_EVENT;

    for (uint32_t t = 0; t < threads->rows; t++) {
        uint32_t event;

        if (search->next[t] == fw_row_count(threads, t))
            continue;
        event = fw_row(threads, t)[search->next[t]];
        if (event >= from && event < found && search->before[event] == 0)
            found = event;
    }
    return found;
}

static void run(struct search *search, bool (*visit)(void *data, const uint32_t *order), void *data)
{
    uint32_t depth = 0;

    search->tried[0] = 0;
    for (;;) {
        uint32_t event = find_ready(search, search->tried[depth]);

        if (depth == search->depend->count && !visit(data, search->order))
            return;
        if (event != FW_NO_EVENT) {
            search->tried[depth] = event + 1;
            search->order[depth++] = event;
            search->tried[depth] = 0;
            add(search, event, 1);
        } else if (depth > 0) {
            add(search, search->order[--depth], -1);
        } else {
            return;
        }
    }
}

void fw_enumerate(const struct fw_index *index, const struct fw_depend *depend,
                  bool (*visit)(void *data, const uint32_t *order), void *data)
{
    size_t count = depend->count;
    struct search search = {
        .index = index,
        .depend = depend,
        .before = fw_xcalloc(count, sizeof *search.before),
        .next = fw_xcalloc(index->by_thread.rows, sizeof *search.next),
        .order = fw_xcalloc(count, sizeof *search.order),
        .tried = fw_xcalloc(count + 1, sizeof *search.tried),
    };

    if (count)
        memcpy(search.before, depend->before, count * sizeof *search.before);
    run(&search, visit, data);
    free(search.before);
    free(search.next);
    free(search.order);
    free(search.tried);
}

/* --- an order as text -------------------------------------------------------------------- */

/* The write that each read of the order sees, as positions in the trace. */
static uint32_t *find_writers(const struct fw_trace *trace, const uint32_t *order)
{
    uint32_t variables = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);
    uint32_t *last = fw_xrealloc(NULL, variables, sizeof *last);
    uint32_t *writers = fw_xrealloc(NULL, trace->count, sizeof *writers);

    for (uint32_t i = 0; i < variables; i++)
        last[i] = FW_NO_EVENT;
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[order[i]];

        if (fw_is_read(event->kind))
            writers[order[i]] = last[event->target];
        if (fw_is_write(event->kind))
            last[event->target] = order[i];
    }
    free(last);
    return writers;
}

/* The attributes of each event, by position, as they are in the order. */
static struct fw_attr *move_attrs(const struct fw_index *index, const uint32_t *order)
{
    const struct fw_trace *trace = index->trace;
    struct fw_attr *attrs = fw_xcalloc((size_t)trace->count + 1, sizeof *attrs);
    uint32_t *place = fw_xrealloc(NULL, trace->count, sizeof *place);
    uint32_t *writers = find_writers(trace, order);

    for (uint32_t i = 0; i < trace->count; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct fw_event *event = &trace->events[i];
        struct fw_attr *attr = &attrs[i + 1];

        *attr = trace->attrs[event->attr];
        if (attr->has & FW_ATTR_RF)
            attr->rf = place[fw_trace_position(trace, attr->rf, 0)];
        if (!fw_is_read(event->kind) || writers[i] == index->partner[i])
            continue;
        attr->has &= ~(uint32_t)FW_ATTR_RF;
        if (!fw_is_write(event->kind))
            attr->has &= ~(uint32_t)FW_ATTR_VALUE;
    }
    free(place);
    free(writers);
    return attrs;
}

int fw_write_order(const struct fw_index *index, const uint32_t *order, struct fw_output *out,
                   struct fw_error *err)
{
    const struct fw_trace *trace = index->trace;
    struct fw_event *events = fw_xcalloc(trace->count, sizeof *events);
    struct fw_attr *attrs = move_attrs(index, order);
    struct fw_batch batch = { .events = events, .attrs = attrs, .count = trace->count };
    struct fw_writer *writer;
    char *text = NULL;
    size_t size;
    int result;

    for (uint32_t i = 0; i < trace->count; i++) {
        events[i] = trace->events[order[i]];
        events[i].attr = order[i] + 1;
    }
    result = fw_writer_open_memory(&writer, "tid", trace->symbols, trace->has_branches, err);
    FW_ASSERT(result == 0);
    result = fw_writer_batch(writer, &batch, err);
    if (result == 0)
        result = fw_writer_take(writer, &text, &size, err);
    if (result == 0)
        fw_output_bytes(out, text, size);
    fw_writer_abandon(writer);
    free(text);
    free(events);
    free(attrs);
    return result;
}
