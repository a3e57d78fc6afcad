/*
 * need.c - see need.h.
 *
 * One pass in the order of the trace.  All demands point backwards in the
 * trace, so whatever an event demands has its final log by then.
 */
#include "predict/need.h"

#include "base/alloc.h"
#include "predict/core.h"

#include <string.h>

struct version {
    uint32_t at;         /* good for this number and above: of events, or of clean */
    uint32_t start, end; /* items */
};

struct log {
    FW_VEC(struct version) versions;
    FW_VEC(struct fw_need_item) items;
    uint32_t since; /* items since the latest full copy ... */
    uint32_t full;  /* ... which had so many */
};

struct fw_need {
    struct log *len;   /* by thread; strict: unused, see fw_cut_need */
    struct log *clean; /* by thread */
    bool loose;
    uint32_t threads;
};

FW_VEC_TYPE(demands, struct fw_need_item);

/* The demands of a thread up to the event at hand, by thread ascending. */
struct current {
    struct demands items;
    FW_VEC(uint32_t) changed; /* threads whose item grew since the last version */
};

struct builder {
    const struct fw_core *core;
    struct fw_need *need;
    struct current *len, *clean;
    struct demands round;    /* the joined demands of all ins of ... */
    uint32_t round_at;       /* ... this round */
};

/* ---- lookup ---- */

static const struct version *find_version(const struct log *log, uint32_t at)
{
    size_t low = 0, high = log->versions.len;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (log->versions.at[mid].at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? &log->versions.at[low - 1] : NULL;
}

/* The items of a log for a number: a slice, possibly empty. */
struct slice {
    const struct fw_need_item *at, *end;
};

static struct slice slice_of(const struct log *log, uint32_t at)
{
    const struct version *version = find_version(log, at);

    if (!version)
        return (struct slice) { NULL, NULL };
    return (struct slice) { log->items.at + version->start, log->items.at + version->end };
}

/* What else the events demand that the logs of the strict model leave out. */
static uint32_t seen_by_force(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    uint32_t e = fw_event_at(core, thread, len - 1);

    return fw_core_synchronised(core, e) ? core->index->partner[e] : FW_NO_EVENT;
}

static bool ends_in_read(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    return fw_is_read(core->trace->events[fw_event_at(core, thread, len - 1)].kind);
}

/* The log and the number that speak for the first `len` (> 0) events. */
static struct slice len_slice(const struct fw_core *core, const struct fw_need *need,
                              uint32_t thread, uint32_t len)
{
    if (!core->strict)
        return slice_of(&need->len[thread], len);
    return slice_of(&need->clean[thread], ends_in_read(core, thread, len) ? len : len + 1);
}

/* ---- cuts ---- */

void fw_cut_init(struct fw_cut *cut, const struct fw_core *core)
{
    memset(cut, 0, sizeof *cut);
    cut->need = core->need;
    cut->len = fw_xcalloc((size_t)core->threads + 1, sizeof *cut->len);
    cut->clean = fw_xcalloc((size_t)core->threads + 1, sizeof *cut->clean);
}

void fw_cut_release(struct fw_cut *cut)
{
    free(cut->len);
    free(cut->clean);
    fw_vec_release(&cut->touched);
}

void fw_cut_clear(struct fw_cut *cut)
{
    for (size_t i = 0; i < cut->touched.len; i++)
        cut->len[cut->touched.at[i]] = cut->clean[cut->touched.at[i]] = 0;
    fw_vec_clear(&cut->touched);
}

void fw_cut_copy(struct fw_cut *to, const struct fw_cut *from)
{
    fw_cut_clear(to);
    to->need = from->need;
    fw_vec_reserve(&to->touched, from->touched.len);
    for (size_t i = 0; i < from->touched.len; i++) {
        uint32_t t = from->touched.at[i];

        to->touched.at[i] = t;
        to->len[t] = from->len[t];
        to->clean[t] = from->clean[t];
    }
    to->touched.len = from->touched.len;
}

static void raise_cut(struct fw_cut *cut, uint32_t thread, uint32_t len, uint32_t clean)
{
    if (!cut->len[thread] && !cut->clean[thread])
        fw_vec_push(&cut->touched, thread);
    if (cut->len[thread] < len)
        cut->len[thread] = len;
    if (cut->clean[thread] < clean)
        cut->clean[thread] = clean;
}

static void join_slice(struct fw_cut *cut, struct slice slice)
{
    for (const struct fw_need_item *item = slice.at; item < slice.end; item++)
        raise_cut(cut, item->thread, item->len, item->clean);
}

/*
 * Strict: of a thread that ends in a read only what comes before the read has
 * to be clean; otherwise all of it, for nothing but a read can taint it.
 */
static uint32_t own_clean(const struct fw_core *core, uint32_t thread, uint32_t len)
{
    if (core->strict)
        return ends_in_read(core, thread, len) ? len : len + 1;
    return fw_core_own_clean(core, thread, len);
}

void fw_cut_need(const struct fw_core *core, struct fw_cut *cut, uint32_t thread, uint32_t len)
{
    uint32_t seen;

    if (cut->len[thread] >= len)
        return;
    raise_cut(cut, thread, len, own_clean(core, thread, len));
    join_slice(cut, len_slice(core, cut->need, thread, len));
    if (!core->strict)
        return;
    seen = seen_by_force(core, thread, len);
    if (seen != FW_NO_EVENT)
        fw_cut_need(core, cut, fw_thread_of(core, seen), fw_place_of(core, seen) + 1);
}

void fw_cut_need_clean(struct fw_cut *cut, uint32_t thread, uint32_t c)
{
    if (cut->clean[thread] >= c)
        return;
    raise_cut(cut, thread, c - 1, c);
    join_slice(cut, slice_of(&cut->need->clean[thread], c));
}

void fw_cut_need_start(const struct fw_core *core, struct fw_cut *cut, uint32_t thread)
{
    uint32_t fork = core->index->fork_of[thread];

    if (fork != FW_NO_EVENT)
        fw_cut_need(core, cut, fw_thread_of(core, fork), fw_place_of(core, fork) + 1);
}

bool fw_need_has(const struct fw_core *core, uint32_t of, uint32_t len, uint32_t thread,
                 uint32_t place)
{
    struct slice slice = len_slice(core, core->loose ? core->loose : core->need, of, len);
    uint32_t seen = core->strict ? seen_by_force(core, of, len) : FW_NO_EVENT;

    for (const struct fw_need_item *item = slice.at; item < slice.end; item++)
        if (item->thread == thread && item->len > place)
            return true;
    if (seen == FW_NO_EVENT)
        return false;
    if (fw_thread_of(core, seen) == thread && fw_place_of(core, seen) >= place)
        return true;
    return fw_need_has(core, fw_thread_of(core, seen), fw_place_of(core, seen) + 1, thread, place);
}

/* ---- building ---- */

/* Where the thread's item is, or would be. */
static size_t find_current(const struct current *current, uint32_t thread)
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

static void raise_current(struct current *current, struct fw_need_item item)
{
    size_t low = find_current(current, item.thread);
    struct fw_need_item *at;

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

/* Whatever a thread demands of itself is how far it must be clean. */
static void raise_of(struct current *current, uint32_t self, struct fw_need_item item)
{
    if (item.thread == self)
        item.len = 0;
    if (item.len || item.clean)
        raise_current(current, item);
}

static void raise_slice(struct current *current, uint32_t self, struct slice slice)
{
    for (const struct fw_need_item *item = slice.at; item < slice.end; item++)
        raise_of(current, self, *item);
}

/*
 * Is that known already?  Demands are closed: then all that follows from it is known too.
 */
static bool is_known(const struct current *current, struct fw_need_item item)
{
    size_t i = find_current(current, item.thread);

    return i < current->items.len && current->items.at[i].thread == item.thread &&
           current->items.at[i].len >= item.len && current->items.at[i].clean >= item.clean;
}

/* Event s (earlier, of any thread) is there. */
static void demand_event(struct builder *b, struct current *current, uint32_t self, uint32_t s)
{
    const struct fw_core *core = b->core;
    uint32_t thread = fw_thread_of(core, s), len = fw_place_of(core, s) + 1, seen;

    if (thread == self || is_known(current, (struct fw_need_item) { thread, len, 0 }))
        return;
    raise_of(current, self, (struct fw_need_item) { thread, len, own_clean(core, thread, len) });
    raise_slice(current, self, len_slice(core, b->need, thread, len));
    seen = core->strict ? seen_by_force(core, thread, len) : FW_NO_EVENT;
    if (seen != FW_NO_EVENT)
        demand_event(b, current, self, seen);
}

static void demand_clean(struct builder *b, struct current *current, uint32_t self,
                         uint32_t thread, uint32_t c)
{
    if (thread == self || is_known(current, (struct fw_need_item) { thread, 0, c }))
        return;
    raise_of(current, self, (struct fw_need_item) { thread, c - 1, c });
    raise_slice(current, self, slice_of(&b->need->clean[thread], c));
}

/* All ins of a round, worked out once for everybody who asks in turn. */
static void demand_round(struct builder *b, struct current *current, uint32_t self, uint32_t round)
{
    const struct fw_index *index = b->core->index;
    struct current joined = { .items = b->round };

    if (b->round_at != round) {
        fw_vec_clear(&joined.items);
        for (uint32_t i = 0; i < fw_row_count(&index->rounds, round); i++)
            demand_event(b, &joined, FW_NO_EVENT, fw_row(&index->rounds, round)[i]);
        b->round_at = round;
        b->round = joined.items;
        fw_vec_release(&joined.changed);
    }
    raise_slice(current, self,
                (struct slice) { b->round.at, b->round.at + b->round.len });
}

static void demand_join(struct builder *b, struct current *current, uint32_t self, uint32_t child)
{
    const struct fw_core *core = b->core;
    uint32_t count = fw_thread_length(core, child), fork = core->index->fork_of[child];

    if (count && core->strict)
        demand_clean(b, current, self, child, count + 1);
    if (count)
        demand_event(b, current, self, fw_event_at(core, child, count - 1));
    else if (fork != FW_NO_EVENT)
        demand_event(b, current, self, fork);
}

/* What the presence of event e demands of other threads. */
static void demand_presence(struct builder *b, struct current *current, uint32_t e)
{
    const struct fw_core *core = b->core;
    const struct fw_index *index = core->index;
    const struct fw_event *event = &core->trace->events[e];
    uint32_t self = event->thread, round;

    if (index->in_thread[e] == 0 && index->fork_of[self] != FW_NO_EVENT)
        demand_event(b, current, self, index->fork_of[self]);
    switch (event->kind) {
    case FW_JOIN:
        demand_join(b, current, self, event->target);
        break;
    case FW_WAKE:
    case FW_PEND:
        if (index->partner[e] != FW_NO_EVENT)
            demand_event(b, current, self, index->partner[e]);
        break;
    case FW_BARRIER_IN:
        round = core->round_before[index->round_of[e]];
        if (round != FW_NO_EVENT)
            demand_round(b, current, self, round);
        break;
    case FW_BARRIER_OUT:
        demand_round(b, current, self, index->round_of[e]);
        break;
    default:
        if (fw_core_synchronised(core, e))
            demand_event(b, current, self, index->partner[e]);
        break;
    }
}

/* What it demands besides that the thread is clean behind event e. */
static void demand_match(struct builder *b, struct current *current, uint32_t e)
{
    const struct fw_core *core = b->core;
    const struct fw_event *event = &core->trace->events[e];
    uint32_t seen = core->index->partner[e], self = event->thread, place;

    if (event->kind == FW_JOIN && fw_thread_length(core, event->target))
        demand_clean(b, current, self, event->target, fw_thread_length(core, event->target) + 1);
    if (!fw_is_read(event->kind) || seen == FW_NO_EVENT ||
        (b->need->loose && fw_core_flexible(core, e)))
        return;
    place = fw_place_of(core, seen);
    demand_event(b, current, self, seen);
    demand_clean(b, current, self, fw_thread_of(core, seen),
                 core->trace->events[seen].kind == FW_ATOMIC_RMW ? place + 2 : place + 1);
}

static void write_full(struct log *log, const struct current *current)
{
    log->full = (uint32_t)current->items.len;
    log->since = 0;
    for (size_t i = 0; i < current->items.len; i++)
        fw_vec_push(&log->items, current->items.at[i]);
}

/* A new version for this number, if anything has changed. */
static void write_version(struct log *log, struct current *current, uint32_t at)
{
    uint32_t start;

    if (current->changed.len == 0)
        return;
    start = log->versions.len ? fw_vec_last(&log->versions).start : 0;
    if (log->since + current->changed.len > log->full + 8) {
        start = (uint32_t)log->items.len;
        write_full(log, current);
    } else {
        for (size_t i = 0; i < current->changed.len; i++)
            fw_vec_push(&log->items,
                        current->items.at[find_current(current, current->changed.at[i])]);
        log->since += (uint32_t)current->changed.len;
    }
    fw_vec_clear(&current->changed);
    fw_vec_push(&log->versions,
                ((struct version) { at, start, (uint32_t)log->items.len }));
}

/* clean 1: untainted before its first event. */
static void begin_thread(struct builder *b, uint32_t thread)
{
    const struct fw_core *core = b->core;
    uint32_t fork = core->index->fork_of[thread];
    struct current *clean = &b->clean[thread];

    if (fork == FW_NO_EVENT)
        return;
    demand_event(b, clean, thread, fork);
    demand_clean(b, clean, thread, fw_thread_of(core, fork), fw_place_of(core, fork) + 1);
    write_version(&b->need->clean[thread], clean, 1);
}

static void join_current(struct current *to, uint32_t self, const struct current *from)
{
    raise_slice(to, self,
                (struct slice) { from->items.at, from->items.at + from->items.len });
}

static void visit(struct builder *b, uint32_t e)
{
    const struct fw_core *core = b->core;
    uint32_t thread = fw_thread_of(core, e), place = fw_place_of(core, e);
    struct current *len = &b->len[thread], *clean = &b->clean[thread];

    if (place == 0)
        begin_thread(b, thread);
    if (!core->strict) {
        demand_presence(b, len, e);
        if (core->trace->events[e].kind == FW_BRANCH)
            join_current(len, thread, clean);
        write_version(&b->need->len[thread], len, place + 1);
    }
    demand_presence(b, clean, e);
    demand_match(b, clean, e);
    write_version(&b->need->clean[thread], clean, place + 2);
    if (place + 1 == fw_thread_length(core, thread)) {
        fw_vec_release(&len->items);
        fw_vec_release(&clean->items);
    }
}

static void release_current(struct current *current, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        fw_vec_release(&current[t].items);
        fw_vec_release(&current[t].changed);
    }
    free(current);
}

struct fw_need *fw_need_create(const struct fw_core *core, bool loose)
{
    struct fw_need *need = fw_xcalloc(1, sizeof *need);
    struct builder b = { .core = core, .need = need, .round_at = FW_NO_EVENT };
    size_t threads = (size_t)core->threads + 1;

    need->loose = loose;
    need->threads = core->threads;
    need->len = fw_xcalloc(threads, sizeof *need->len);
    need->clean = fw_xcalloc(threads, sizeof *need->clean);
    b.len = fw_xcalloc(threads, sizeof *b.len);
    b.clean = fw_xcalloc(threads, sizeof *b.clean);
    for (uint32_t e = 0; e < core->trace->count; e++)
        visit(&b, e);
    release_current(b.len, core->threads);
    release_current(b.clean, core->threads);
    fw_vec_release(&b.round);
    return need;
}

static size_t log_bytes(const struct log *log)
{
    return log->versions.cap * sizeof *log->versions.at + log->items.cap * sizeof *log->items.at;
}

size_t fw_need_bytes(const struct fw_need *need)
{
    size_t bytes = 0;

    for (uint32_t t = 0; t < need->threads; t++)
        bytes += log_bytes(&need->len[t]) + log_bytes(&need->clean[t]);
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

void fw_need_destroy(struct fw_need *need)
{
    if (!need)
        return;
    release_logs(need->len, need->threads);
    release_logs(need->clean, need->threads);
    free(need);
}
