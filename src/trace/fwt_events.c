/*
 * fwt_events.c - see fwt_events.h.
 *
 * Speed: a block is opened once (dictionary, threads and runs are validated
 * then), and its events are made in slices that stay in the cache.  The inner
 * loop has no branch: every code has an entry, the ones beyond the dictionary
 * have limit 0, and a wrong target or code only raises a flag that is looked
 * at once a slice.
 */
#include "trace/fwt_events.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <inttypes.h>
#include <stdlib.h>

/* Stands for a plane that is not stored. */
static const unsigned char zeros[FW_BATCH_EVENTS];

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

/* Allocates for the numbers of the layout, which are bounded by the number of events. */
static void reserve(struct fw_fwt_events *ev)
{
    uint32_t entries = 1;

    while (entries < ev->layout.dictionary_count)
        entries *= 2;
    ev->entry_mask = entries - 1;
    if (ev->entry_capacity < entries) {
        free(ev->entries);
        ev->entry_capacity = entries;
        ev->entries = fw_xcalloc(entries, sizeof *ev->entries);
    }
    if (ev->thread_capacity < ev->layout.thread_count) {
        free(ev->threads);
        ev->thread_capacity = ev->layout.thread_count;
        ev->threads = fw_xcalloc(ev->thread_capacity, sizeof *ev->threads);
    }
    if (ev->attr_capacity < 1 + entries + FW_BATCH_EVENTS) {
        free(ev->attrs);
        ev->attr_capacity = 1 + entries + FW_BATCH_EVENTS;
        ev->attrs = fw_xcalloc(ev->attr_capacity, sizeof *ev->attrs);
    }
}

/* One dictionary entry: kind, order and attributes, site, size if it has one. */
static int read_entry(struct fw_fwt_entry *entry, struct fw_cursor *c, bool branches,
                      const struct fw_symbols *symbols, struct fw_error *err)
{
    const unsigned char *head = fw_cursor_bytes(c, 2);
    unsigned kind = head ? head[0] : 0, order = head ? head[1] & 15 : 0;
    unsigned has = head ? head[1] >> 4 : 0;
    uint64_t site = fw_cursor_varint(c);
    uint64_t size = has & FW_ATTR_SIZE ? fw_cursor_varint(c) : 0;
    enum fw_space space;

    if (c->bad)
        return fw_error_set(err, "dictionary ends inside an entry");
    if (kind >= FW_KIND_COUNT)
        return fw_error_set(err, "unknown event kind %u", kind);
    if (kind == FW_BRANCH && !branches)
        return fw_error_set(err, "a branch in a trace whose header says there are none");
    if (order >= FW_ORDER_COUNT || (order && !fw_is_class(kind, FW_CLASS_ATOMIC)))
        return fw_error_set(err, "memory order %u of '%s'", order, fw_kind_info[kind].std_name);
    if (!fw_fwt_attrs_allowed(kind, has))
        return fw_error_set(err, "attributes 0x%x of '%s'", has, fw_kind_info[kind].std_name);
    if (site >= fw_symbols_count(symbols, FW_SPACE_SITE))
        return fw_error_set(err, "site %" PRIu64 " does not exist", site);
    if (size > UINT32_MAX)
        return fw_error_set(err, "size %" PRIu64 " of '%s'", size, fw_kind_info[kind].std_name);
    space = fw_kind_info[kind].space;
    *entry = (struct fw_fwt_entry) {
        .event = { .site = (uint32_t)site, .kind = kind & 0xff, .order = order & 0xf },
        .limit = space == FW_SPACE_NONE ? 1 : fw_symbols_count(symbols, space),
        .size = (uint32_t)size,
        .has = has
    };
    return 0;
}

/* Codes that have a size and nothing of the event's own share one attribute record. */
static void share_attr(struct fw_fwt_events *ev, struct fw_fwt_entry *entry)
{
    if (entry->has & (FW_ATTR_RF | FW_ATTR_VALUE)) {
        ev->own_attrs = true;
    } else if (entry->has) {
        ev->attrs[ev->shared_attrs] = (struct fw_attr) { .size = entry->size, .has = FW_ATTR_SIZE };
        entry->event.attr = ev->shared_attrs++;
    }
}

static int read_dictionary(struct fw_fwt_events *ev, struct fw_cursor c, bool branches,
                           const struct fw_symbols *symbols, struct fw_error *err)
{
    uint32_t i;

    ev->own_attrs = false;
    ev->attrs[0] = (struct fw_attr) { 0 };
    ev->shared_attrs = 1;
    for (i = 0; i < ev->layout.dictionary_count; i++) {
        if (read_entry(&ev->entries[i], &c, branches, symbols, err) < 0)
            return -1;
        share_attr(ev, &ev->entries[i]);
    }
    if (c.at != c.end)
        return fw_error_set(err, "dictionary is longer than its entries");
    for (; i <= ev->entry_mask; i++)
        ev->entries[i] = (struct fw_fwt_entry) { 0 };
    return 0;
}

static int read_threads(struct fw_fwt_events *ev, struct fw_cursor c,
                        const struct fw_symbols *symbols, struct fw_error *err)
{
    uint32_t limit = fw_symbols_count(symbols, FW_SPACE_THREAD);

    if (limit > FW_MAX_THREADS)
        limit = FW_MAX_THREADS;
    for (uint32_t i = 0; i < ev->layout.thread_count; i++) {
        uint64_t thread = fw_cursor_varint(&c);

        if (c.bad)
            return fw_error_set(err, "list of threads ends early");
        if (thread >= limit)
            return fw_error_set(err, "thread %" PRIu64 " does not exist", thread);
        ev->threads[i] = (uint32_t)thread;
    }
    if (c.at != c.end)
        return fw_error_set(err, "list of threads is longer than its count");
    return 0;
}

static uint32_t plane_pair(const unsigned char *const planes[2], uint32_t i)
{
    return (planes[0] ? planes[0][i] : 0u) | (planes[1] ? (uint32_t)planes[1][i] << 8 : 0u);
}

/* Every thread index exists, and the runs cover the events exactly. */
static int check_thread_column(const struct fw_fwt_events *ev, struct fw_error *err)
{
    uint32_t n = ev->layout.run_count ? ev->layout.run_count : ev->count;
    uint64_t covered = 0;
    uint32_t highest = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = plane_pair(ev->thread_index, i);

        highest = index > highest ? index : highest;
    }
    if (highest >= ev->layout.thread_count)
        return fw_error_set(err, "thread index %" PRIu32 " of %" PRIu32, highest,
                            ev->layout.thread_count);
    for (uint32_t i = 0; i < ev->layout.run_count; i++)
        covered += 1 + plane_pair(ev->run_length, i);
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
                       bool branches, struct fw_error *err)
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
    if (read_dictionary(ev, dictionary, branches, symbols, err) < 0 ||
        read_threads(ev, threads, symbols, err) < 0)
        return -1;
    return check_thread_column(ev, err);
}

/* The threads of the next n events, into slice_thread. */
static void expand_runs(struct fw_fwt_events *ev, uint32_t n)
{
    uint32_t *to = ev->slice_thread;

    for (uint32_t i = 0; i < n;) {
        uint32_t here;

        if (!ev->run_left) {
            ev->run_left = 1 + plane_pair(ev->run_length, ev->run);
            ev->run_thread = ev->threads[plane_pair(ev->thread_index, ev->run)];
            ev->run++;
        }
        here = ev->run_left < n - i ? ev->run_left : n - i;
        for (uint32_t j = 0; j < here; j++)
            to[i + j] = ev->run_thread;
        i += here;
        ev->run_left -= here;
    }
}

static const unsigned char *plane(const unsigned char *bytes, uint32_t from)
{
    return bytes ? bytes + from : zeros;
}

static void expand_threads(struct fw_fwt_events *ev, uint32_t n)
{
    const unsigned char *low, *high;

    if (ev->layout.run_count) {
        expand_runs(ev, n);
        return;
    }
    low = plane(ev->thread_index[0], ev->done);
    high = plane(ev->thread_index[1], ev->done);
    for (uint32_t i = 0; i < n; i++)
        ev->slice_thread[i] = ev->threads[low[i] | (uint32_t)high[i] << 8];
}

/*
 * The inner loop.  Returns non-zero if a code or target does not exist; then
 * events are made nevertheless, and find_bad tells which.
 */
static inline __attribute__((always_inline)) uint32_t
make_events(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n, bool wide, bool delta)
{
    const unsigned char *c0 = plane(ev->code[0], ev->done), *c1 = plane(ev->code[1], ev->done);
    const unsigned char *t0 = plane(ev->target[0], ev->done), *t1 = plane(ev->target[1], ev->done);
    const unsigned char *t2 = plane(ev->target[2], ev->done), *t3 = plane(ev->target[3], ev->done);
    struct fw_fwt_entry *entries = ev->entries;
    uint32_t mask = ev->entry_mask, bad = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = c0[i] | (uint32_t)c1[i] << 8;
        uint32_t target = t0[i] | (uint32_t)t1[i] << 8;
        struct fw_fwt_entry *entry = &entries[code & mask];
        struct fw_event event = entry->event;

        if (wide)
            target |= (uint32_t)t2[i] << 16 | (uint32_t)t3[i] << 24;
        if (delta)
            entry->last = target = entry->last + (target >> 1 ^ (0 - (target & 1)));
        bad |= (uint32_t)(target >= entry->limit) | (code & ~mask);
        event.target = target;
        event.thread = ev->slice_thread[i] & (FW_MAX_THREADS - 1);
        events[i] = event;
    }
    return bad;
}

static uint32_t make_slice(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n)
{
    bool wide = ev->layout.target_planes > 2;

    if (ev->layout.target_mode == FW_FWT_TARGET_DELTA)
        return wide ? make_events(ev, events, n, true, true)
                    : make_events(ev, events, n, false, true);
    return wide ? make_events(ev, events, n, true, false)
                : make_events(ev, events, n, false, false);
}

static struct fw_fwt_entry *entry_of(struct fw_fwt_events *ev, uint32_t i)
{
    uint32_t code = plane_pair(ev->code, ev->done + i);

    return code <= ev->entry_mask ? &ev->entries[code] : NULL;
}

/* The first event of the slice whose code or target does not exist. */
static uint32_t find_bad(struct fw_fwt_events *ev, const struct fw_event *events, uint32_t n,
                         struct fw_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct fw_fwt_entry *entry = entry_of(ev, i);

        if (entry && events[i].target < entry->limit)
            continue;
        if (!entry || !entry->limit)
            fw_error_set(err, "event %" PRIu64 " has an unknown code", ev->first + ev->done + i);
        else
            fw_error_set(err, "event %" PRIu64 ": target %" PRIu32 " of '%s' does not exist",
                         ev->first + ev->done + i, (uint32_t)events[i].target,
                         fw_kind_info[events[i].kind].std_name);
        return i;
    }
    FW_BUG("a slice was found bad, but none of its events is");
}

/* Gives events with rf or a value their own attribute record; returns the number of good ones. */
static uint32_t read_own_attrs(struct fw_fwt_events *ev, struct fw_event *events, uint32_t n,
                               struct fw_error *err)
{
    uint32_t next = ev->shared_attrs;

    for (uint32_t i = 0; i < n; i++) {
        const struct fw_fwt_entry *entry = entry_of(ev, i);
        uint64_t position = ev->first + ev->done + i, distance;
        struct fw_attr attr = { .size = entry->size, .has = entry->has };

        if (!(entry->has & (FW_ATTR_RF | FW_ATTR_VALUE)))
            continue;
        distance = entry->has & FW_ATTR_RF ? fw_cursor_varint(&ev->rf) : 0;
        if (entry->has & FW_ATTR_VALUE)
            attr.value = fw_unzigzag(fw_cursor_varint(&ev->value));
        if (ev->rf.bad || ev->value.bad) {
            fw_error_set(err, "event %" PRIu64 ": its attributes are missing", position);
            return i;
        }
        if (entry->has & FW_ATTR_RF && (distance < 1 || distance > position)) {
            fw_error_set(err, "event %" PRIu64 ": rf is not before it", position);
            return i;
        }
        attr.rf = entry->has & FW_ATTR_RF ? position - distance : 0;
        ev->attrs[next] = attr;
        events[i].attr = next++;
    }
    return n;
}

uint32_t fw_fwt_events_take(struct fw_fwt_events *ev, struct fw_event *events, struct fw_error *err)
{
    uint32_t n = fw_fwt_events_slice(ev), good = n;

    expand_threads(ev, n);
    if (FW_UNLIKELY(make_slice(ev, events, n)))
        good = find_bad(ev, events, n, err);
    if (ev->own_attrs) {
        uint32_t kept = read_own_attrs(ev, events, good, err);

        good = kept < good ? kept : good;
    }
    ev->done += good;
    if (good == n && ev->done == ev->count &&
        (ev->rf.at != ev->rf.end || ev->value.at != ev->value.end)) {
        fw_error_set(err, "more attributes than events that have them");
        ev->done -= 1;
        return n - 1;
    }
    return good;
}
