/*
 * need_rows.c - demands, worked out for every place.
 *
 * Each thread has two logs of changes, one for its first n events (not in the
 * strict model) and one for being clean.  A version of a log is good for a
 * number and all above it up to the next version's.  It is told by all items from the
 * latest full copy to the version's end; a full copy is written when the changes
 * since the last one outweigh it, so that memory is about twice the number of
 * changes, and a lookup costs about one item for each thread concerned.
 *
 * Demands are closed: who demands an item demands all that follows from it, and
 * what is known of a thread need not be looked at again.
 */
#include "base/alloc.h"
#include "predict/need_store.h"

struct item {
    uint32_t thread, len, clean;
};

struct version {
    uint32_t at;         /* good for this number and above */
    uint32_t start, end; /* items */
};

struct log {
    FW_VEC(struct version) versions;
    FW_VEC(struct item) items;
    uint32_t since; /* items since the latest full copy ... */
    uint32_t full;  /* ... which had so many */
};

FW_VEC_TYPE(items, struct item);

/* The demands of a thread up to the event at hand, by thread ascending. */
struct current {
    struct items items;
    FW_VEC(uint32_t) changed; /* threads whose item grew since the last version */
};

struct fw_rows_store {
    const struct fw_core *core;
    struct log *len, *clean; /* by thread */

    size_t items;            /* in all logs */
    bool too_many;           /* of them: given up */

    /* while building */
    struct current *now_len, *now_clean; /* by thread */
    struct items round;                  /* the joined demands of all ins of ... */
    uint32_t round_at;                   /* ... this round */
};

/* ---- lookup ---- */

/* Items of a log; none if at == end. */
struct slice {
    const struct item *at, *end;
};

static struct slice slice_of(const struct fw_rows_store *store, struct fw_demander who)
{
    const struct log *log = &(who.clean ? store->clean : store->len)[who.thread];
    size_t low = 0, high = log->versions.len;
    const struct version *version;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (log->versions.at[mid].at <= who.number)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0)
        return (struct slice) { NULL, NULL };
    version = &log->versions.at[low - 1];
    return (struct slice) { log->items.at + version->start, log->items.at + version->end };
}

void fw_rows_store_join(const struct fw_rows_store *store, struct fw_demander who,
                        struct fw_cut *cut)
{
    struct slice slice = slice_of(store, who);

    for (const struct item *item = slice.at; item < slice.end; item++)
        fw_cut_raise(cut, item->thread, item->len, item->clean);
}

bool fw_rows_store_has(const struct fw_rows_store *store, struct fw_demander who, uint32_t thread,
                       uint32_t place)
{
    struct slice slice = slice_of(store, who);

    for (const struct item *item = slice.at; item < slice.end; item++)
        if (item->thread == thread && item->len > place)
            return true;
    return false;
}

/* ---- what is known while building ---- */

/* Where the thread's item is, or would be. */
static size_t find(const struct current *current, uint32_t thread)
{
    size_t low = 0, high = current->items.len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (current->items.at[mid].thread < thread)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool is_known(const struct current *current, struct item item)
{
    size_t i = find(current, item.thread);

    return i < current->items.len && current->items.at[i].thread == item.thread &&
           current->items.at[i].len >= item.len && current->items.at[i].clean >= item.clean;
}

static void raise(struct current *current, struct item item)
{
    size_t low = find(current, item.thread);
    struct item *at;

    if (low == current->items.len || current->items.at[low].thread != item.thread) {
        fw_vec_push(&current->items, item);
        at = current->items.at + low;
        memmove(at + 1, at, (current->items.len - 1 - low) * sizeof *at);
        *at = item;
    } else {
        at = current->items.at + low;
        if (at->len >= item.len && at->clean >= item.clean)
            return;
        if (at->len < item.len)
            at->len = item.len;
        if (at->clean < item.clean)
            at->clean = item.clean;
    }
    fw_vec_push(&current->changed, item.thread);
}

/* Of the demander's own thread only how far it must be clean is of interest. */
static void raise_slice(struct current *current, uint32_t self, struct slice slice)
{
    for (const struct item *at = slice.at; at < slice.end; at++) {
        struct item item = *at;

        if (item.thread == self)
            item.len = 0;
        if (item.len || item.clean)
            raise(current, item);
    }
}

static struct slice slice_items(const struct items *items)
{
    return (struct slice) { items->at, items->at + items->len };
}

/* ---- the sink ---- */

static struct current *current_of(struct fw_rows_store *store, struct fw_demander who)
{
    return &(who.clean ? store->now_clean : store->now_len)[who.thread];
}

static void raise_event(struct fw_rows_store *store, struct current *current, uint32_t self,
                        uint32_t e)
{
    const struct fw_core *core = store->core;
    uint32_t thread = fw_thread_of(core, e), len = fw_place_of(core, e) + 1, seen;

    if (thread == self || is_known(current, (struct item) { thread, len, 0 }))
        return;
    raise(current, (struct item) { thread, len, fw_own_clean(core, thread, len) });
    raise_slice(current, self, slice_of(store, fw_demander_of(core, thread, len)));
    seen = fw_seen_by_force(core, thread, len);
    if (seen != FW_NO_EVENT)
        raise_event(store, current, self, seen);
}

static void demand_event(void *to, struct fw_demander who, uint32_t e)
{
    struct fw_rows_store *store = to;

    if (!store->too_many)
        raise_event(store, current_of(store, who), who.thread, e);
}

static void demand_clean(void *to, struct fw_demander who, uint32_t thread, uint32_t c)
{
    struct fw_rows_store *store = to;
    struct current *current = current_of(store, who);

    if (store->too_many)
        return;
    if (thread == who.thread) {
        if (!who.clean)
            raise_slice(current, thread, slice_items(&store->now_clean[thread].items));
        return;
    }
    if (is_known(current, (struct item) { thread, 0, c }))
        return;
    raise(current, (struct item) { thread, c - 1, c });
    raise_slice(current, who.thread, slice_of(store, (struct fw_demander) { thread, c, true }));
}

/* All ins of a round, worked out once for everybody who asks in turn. */
static void demand_round(void *to, struct fw_demander who, uint32_t round)
{
    struct fw_rows_store *store = to;
    const struct fw_rows *rounds = &store->core->index->rounds;
    struct current joined = { .items = store->round };

    if (store->too_many)
        return;
    if (store->round_at != round) {
        fw_vec_clear(&joined.items);
        for (uint32_t i = 0; i < fw_row_count(rounds, round); i++)
            raise_event(store, &joined, FW_NO_EVENT, fw_row(rounds, round)[i]);
        store->round_at = round;
        store->round = joined.items;
        fw_vec_release(&joined.changed);
    }
    raise_slice(current_of(store, who), who.thread, slice_items(&store->round));
}

static void write_items(struct log *log, const struct current *current)
{
    for (size_t i = 0; i < current->changed.len; i++)
        fw_vec_push(&log->items, current->items.at[find(current, current->changed.at[i])]);
    log->since += (uint32_t)current->changed.len;
}

static void write_full(struct log *log, const struct current *current)
{
    for (size_t i = 0; i < current->items.len; i++)
        fw_vec_push(&log->items, current->items.at[i]);
    log->full = (uint32_t)current->items.len;
    log->since = 0;
}

/* A new version, if anything has changed. */
static void complete(void *to, struct fw_demander who)
{
    struct fw_rows_store *store = to;
    struct current *current = current_of(store, who);
    struct log *log = &(who.clean ? store->clean : store->len)[who.thread];
    uint32_t start = log->versions.len ? fw_vec_last(&log->versions).start : 0;
    size_t before = log->items.len;

    if (current->changed.len && log->since + current->changed.len > log->full + 8) {
        start = (uint32_t)log->items.len;
        write_full(log, current);
    } else {
        write_items(log, current);
    }
    if (current->changed.len)
        fw_vec_push(&log->versions,
                    ((struct version) { who.number, start, (uint32_t)log->items.len }));
    fw_vec_clear(&current->changed);
    store->items += log->items.len - before;
    store->too_many |= store->items > FW_NEED_ROW_ITEMS;
    if (who.clean && who.number > fw_thread_length(store->core, who.thread)) {
        fw_vec_release(&store->now_len[who.thread].items);
        fw_vec_release(&store->now_clean[who.thread].items);
    }
}

static const struct fw_need_sink sink = {
    .event = demand_event, .clean = demand_clean, .round = demand_round, .complete = complete
};

/* ---- life cycle ---- */

static void release_current(struct current *current, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        fw_vec_release(&current[t].items);
        fw_vec_release(&current[t].changed);
    }
    free(current);
}

struct fw_rows_store *fw_rows_store_create(const struct fw_core *core, bool loose)
{
    struct fw_rows_store *store = fw_xcalloc(1, sizeof *store);
    size_t threads = (size_t)core->threads + 1;

    store->core = core;
    store->round_at = FW_NO_EVENT;
    store->len = fw_xcalloc(threads, sizeof *store->len);
    store->clean = fw_xcalloc(threads, sizeof *store->clean);
    store->now_len = fw_xcalloc(threads, sizeof *store->now_len);
    store->now_clean = fw_xcalloc(threads, sizeof *store->now_clean);
    fw_need_tell(core, loose, &sink, store);
    release_current(store->now_len, core->threads);
    release_current(store->now_clean, core->threads);
    fw_vec_release(&store->round);
    if (!store->too_many)
        return store;
    fw_rows_store_destroy(store);
    return NULL;
}

static size_t log_bytes(const struct log *log)
{
    return log->versions.cap * sizeof *log->versions.at + log->items.cap * sizeof *log->items.at;
}

size_t fw_rows_store_bytes(const struct fw_rows_store *store)
{
    size_t bytes = 0;

    for (uint32_t t = 0; t < store->core->threads; t++)
        bytes += log_bytes(&store->len[t]) + log_bytes(&store->clean[t]);
    return bytes;
}

static void release_logs(struct log *logs, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        fw_vec_release(&logs[t].versions);
        fw_vec_release(&logs[t].items);
    }
    free(logs);
}

void fw_rows_store_destroy(struct fw_rows_store *store)
{
    if (!store)
        return;
    release_logs(store->len, store->core->threads);
    release_logs(store->clean, store->core->threads);
    free(store);
}
