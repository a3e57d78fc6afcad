/*
 * fwt_events.c - opens an event block: everything but the codes and targets
 * of single events is checked and set up here; fwt_slice.c makes the events.
 */
#include "trace/fwt_events.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

bool fw_fwt_attrs_allowed(unsigned kind, unsigned has)
{
    unsigned allowed = 0;

    if (fw_is_read(kind) || kind == FW_WAKE || kind == FW_PEND)
        allowed |= FW_ATTR_RF;
    if (fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE))
        allowed |= FW_ATTR_SIZE | FW_ATTR_VALUE;
    if (kind == FW_ALLOC || kind == FW_FREE)
        allowed |= FW_ATTR_SIZE;
    return (has & ~allowed) == 0;
}

void fw_fwt_events_release(struct fw_fwt_events *ev)
{
    free(ev->entries);
    free(ev->threads);
    free(ev->attrs);
    memset(ev, 0, sizeof *ev);
}

static void unpack_layout(struct fw_fwt_layout *to, const unsigned char *from)
{
    to->dictionary_count = fw_get32(from);
    to->thread_count = fw_get32(from + 4);
    to->run_count = fw_get32(from + 8);
    to->code_planes = from[12];
    to->thread_planes = from[13];
    to->target_planes = from[14];
    to->target_mode = from[15];
    to->dictionary_size = fw_get32(from + 16);
    to->threads_size = fw_get32(from + 20);
    to->rf_size = fw_get32(from + 24);
    to->value_size = fw_get32(from + 28);
}

static int check_layout(const struct fw_fwt_layout *l, uint32_t count, struct fw_error *err)
{
    if (l->dictionary_count < 1 || l->dictionary_count > count)
        return fw_error_set(err, "dictionary of %" PRIu32 " entries for %" PRIu32 " events",
                            l->dictionary_count, count);
    if (l->thread_count < 1 || l->thread_count > count)
        return fw_error_set(err, "%" PRIu32 " threads in %" PRIu32 " events", l->thread_count,
                            count);
    if (l->run_count > count)
        return fw_error_set(err, "%" PRIu32 " runs in %" PRIu32 " events", l->run_count, count);
    if (l->code_planes > 2 || l->thread_planes > 2 || l->target_planes > 4 ||
        l->target_mode > FW_FWT_TARGET_DELTA)
        return fw_error_set(err, "unknown layout of columns");
    return 0;
}

/* Takes `planes` planes of n bytes each; missing ones stay NULL. */
static void take_planes(struct fw_cursor *c, const unsigned char **to, unsigned planes, uint32_t n)
{
    for (unsigned i = 0; i < planes; i++)
        to[i] = fw_cursor_bytes(c, n);
}

static struct fw_cursor take_section(struct fw_cursor *c, uint32_t size)
{
    const unsigned char *at = fw_cursor_bytes(c, size);

    return (struct fw_cursor) { at, at ? at + size : at, false };
}

static uint32_t power_of_two(uint32_t at_least)
{
    uint32_t n = 1;

    while (n < at_least)
        n *= 2;
    return n;
}

/* Allocates for the numbers of the layout, which are bounded by the number of events. */
static void reserve(struct fw_fwt_events *ev)
{
    uint32_t entries = power_of_two(ev->layout.dictionary_count);
    uint32_t threads = power_of_two(ev->layout.thread_count);

    ev->entry_mask = entries - 1;
    if (ev->entry_capacity < entries) {
        free(ev->entries);
        ev->entry_capacity = entries;
        ev->entries = fw_xcalloc(entries, sizeof *ev->entries);
    }
    ev->thread_mask = threads - 1;
    if (ev->thread_capacity < threads) {
        free(ev->threads);
        ev->thread_capacity = threads;
        ev->threads = fw_xcalloc(ev->thread_capacity, sizeof *ev->threads);
    }
    if (ev->attr_capacity < 1 + entries + FW_BATCH_EVENTS) {
        free(ev->attrs);
        ev->attr_capacity = 1 + entries + FW_BATCH_EVENTS;
        ev->attrs = fw_xcalloc(ev->attr_capacity, sizeof *ev->attrs);
    }
}

/* What a dictionary entry says, before it is checked. */
struct code {
    unsigned kind, order, has;
    uint64_t site, size;
};

static int check_code(const struct code *code, bool branches, const struct fw_symbols *symbols,
                      struct fw_error *err)
{
    const char *name = code->kind < FW_KIND_COUNT ? fw_kind_info[code->kind].std_name : NULL;

    if (!name)
        return fw_error_set(err, "unknown event kind %u", code->kind);
    if (code->kind == FW_BRANCH && !branches)
        return fw_error_set(err, "a branch in a trace whose header says there are none");
    if (code->order >= FW_ORDER_COUNT || (code->order && !fw_is_class(code->kind, FW_CLASS_ATOMIC)))
        return fw_error_set(err, "memory order %u of '%s'", code->order, name);
    if (!fw_fwt_attrs_allowed(code->kind, code->has))
        return fw_error_set(err, "attributes 0x%x of '%s'", code->has, name);
    if (code->site >= fw_symbols_count(symbols, FW_SPACE_SITE))
        return fw_error_set(err, "site %" PRIu64 " does not exist", code->site);
    if (code->size > UINT32_MAX)
        return fw_error_set(err, "size %" PRIu64 " of '%s'", code->size, name);
    return 0;
}

static int read_code(struct code *code, struct fw_cursor *c, struct fw_error *err)
{
    const unsigned char *head = fw_cursor_bytes(c, 2);

    if (head)
        *code = (struct code) { .kind = head[0], .order = head[1] & 15, .has = head[1] >> 4 };
    if (head)
        code->site = fw_cursor_varint(c);
    if (head && code->has & FW_ATTR_SIZE)
        code->size = fw_cursor_varint(c);
    return c->bad ? fw_error_set(err, "dictionary ends inside an entry") : 0;
}

/*
 * Makes the code's entry.  If all events of the code have the same attributes
 * they share one record, else each gets its own (read_own_attrs).
 */
static void set_entry(struct fw_fwt_events *ev, uint32_t i, const struct code *code,
                      const struct fw_symbols *symbols)
{
    struct fw_event event = { .site = (uint32_t)code->site,
                              .kind = code->kind & 0xff,
                              .order = code->order & 15 };
    enum fw_space space = fw_kind_info[code->kind].space;
    uint64_t limit = space == FW_SPACE_NONE ? 1 : fw_symbols_count(symbols, space);
    struct fw_fwt_entry entry = { .highest = limit - 1 };

    if (code->has & (FW_ATTR_RF | FW_ATTR_VALUE))
        ev->own_attrs = true;
    else if (code->has)
        event.attr = 1 + i;
    memcpy(&entry.low, &event, 8);
    memcpy(&entry.high, (const char *)&event + 8, 8);
    ev->entries[i] = entry;
    ev->attrs[1 + i] = (struct fw_attr) { .size = (uint32_t)code->size, .has = code->has };
}

static int read_dictionary(struct fw_fwt_events *ev, struct fw_cursor c, bool branches,
                           const struct fw_symbols *symbols, const uint32_t *sites,
                           struct fw_error *err)
{
    struct code code = { 0 };
    uint32_t i;

    ev->own_attrs = false;
    ev->attrs[0] = (struct fw_attr) { 0 };
    for (i = 0; i < ev->layout.dictionary_count; i++) {
        if (read_code(&code, &c, err) < 0 || check_code(&code, branches, symbols, err) < 0)
            return -1;
        if (sites)
            code.site = sites[code.site];
        set_entry(ev, i, &code, symbols);
    }
    if (c.at != c.end)
        return fw_error_set(err, "dictionary is longer than its entries");
    for (; i <= ev->entry_mask; i++)
        ev->entries[i] = (struct fw_fwt_entry) { .highest = UINT64_MAX };
    return 0;
}

/* The thread's number where an event has it. */
static uint32_t thread_word(uint32_t thread)
{
    struct fw_event event = { .thread = thread & (FW_MAX_THREADS - 1) };
    uint32_t word;

    memcpy(&word, (const char *)&event + 8, sizeof word);
    return word;
}

static int read_threads(struct fw_fwt_events *ev, struct fw_cursor c,
                        const struct fw_symbols *symbols, struct fw_error *err)
{
    uint32_t limit = fw_symbols_count(symbols, FW_SPACE_THREAD), i;

    if (limit > FW_MAX_THREADS)
        limit = FW_MAX_THREADS;
    for (i = 0; i < ev->layout.thread_count; i++) {
        uint64_t thread = fw_cursor_varint(&c);

        if (c.bad)
            return fw_error_set(err, "list of threads ends early");
        if (thread >= limit)
            return fw_error_set(err, "thread %" PRIu64 " does not exist", thread);
        ev->threads[i] = thread_word((uint32_t)thread);
    }
    if (c.at != c.end)
        return fw_error_set(err, "list of threads is longer than its count");
    for (; i <= ev->thread_mask; i++)
        ev->threads[i] = FW_FWT_NO_THREAD;
    return 0;
}

/* Runs cover the events exactly, and their threads exist. */
static int check_runs(const struct fw_fwt_events *ev, struct fw_error *err)
{
    uint64_t covered = 0;

    for (uint32_t i = 0; i < ev->layout.run_count; i++) {
        uint32_t index = fw_fwt_pair(ev->thread_index, i);

        if (index >= ev->layout.thread_count)
            return fw_error_set(err, "run %" PRIu32 " has an unknown thread index", i);
        covered += 1 + fw_fwt_pair(ev->run_length, i);
    }
    if (ev->layout.run_count && covered != ev->count)
        return fw_error_set(err, "runs of %" PRIu64 " events in a block of %" PRIu32, covered,
                            ev->count);
    return 0;
}

static void forget_planes(struct fw_fwt_events *ev)
{
    memset(ev->run_length, 0, sizeof ev->run_length);
    memset(ev->thread_index, 0, sizeof ev->thread_index);
    memset(ev->code, 0, sizeof ev->code);
    memset(ev->target, 0, sizeof ev->target);
    ev->run = ev->run_left = 0;
    ev->done = 0;
}

int fw_fwt_events_open(struct fw_fwt_events *ev, const unsigned char *payload, size_t size,
                       const struct fw_fwt_head *head, const struct fw_symbols *symbols,
                       const uint32_t *sites, bool branches, struct fw_error *err)
{
    struct fw_cursor c = { payload, payload + size, false };
    struct fw_fwt_layout *l = &ev->layout;
    struct fw_cursor dictionary, threads;

    forget_planes(ev);
    ev->first = head->sequence;
    ev->count = head->count;
    if (size < FW_FWT_EVENTS_HEAD)
        return fw_error_set(err, "event block of %zu bytes", size);
    unpack_layout(l, fw_cursor_bytes(&c, FW_FWT_EVENTS_HEAD));
    if (check_layout(l, ev->count, err) < 0)
        return -1;
    dictionary = take_section(&c, l->dictionary_size);
    threads = take_section(&c, l->threads_size);
    take_planes(&c, ev->run_length, l->run_count ? 2 : 0, l->run_count);
    take_planes(&c, ev->thread_index, l->thread_planes, l->run_count ? l->run_count : ev->count);
    take_planes(&c, ev->code, l->code_planes, ev->count);
    take_planes(&c, ev->target, l->target_planes, ev->count);
    ev->rf = take_section(&c, l->rf_size);
    ev->value = take_section(&c, l->value_size);
    if (c.bad || c.at != c.end)
        return fw_error_set(err, "columns do not add up to the size of the payload");
    reserve(ev);
    if (read_dictionary(ev, dictionary, branches, symbols, sites, err) < 0 ||
        read_threads(ev, threads, symbols, err) < 0)
        return -1;
    return check_runs(ev, err);
}
