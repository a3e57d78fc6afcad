/* lifetx.c - see lifetx.h: one handler for each kind of event. */
#include "lifetx/lifetx.h"

#include "base/bug.h"
#include "lifetx/lifetx_state.h"

struct fw_lifetx *fw_lifetx_create(const struct fw_symbols *symbols,
                                   const struct fw_lifetx_code *code, struct fw_cuts *cuts,
                                   const struct fw_lifetx_options *options)
{
    struct fw_lifetx *l = fw_xcalloc(1, sizeof *l);

    l->symbols = symbols;
    l->code = *code;
    l->cuts = cuts;
    l->options = *options;
    l->txs = fw_txs_create();
    l->flow = fw_flow_create();
    return l;
}

void fw_lifetx_destroy(struct fw_lifetx *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->actors.len; i++) {
        fw_vec_release(&l->actors.at[i].segments);
        fw_vec_release(&l->actors.at[i].frames);
    }
    for (size_t i = 0; i < l->readers.len; i++)
        fw_vec_release(&l->readers.at[i]);
    for (size_t i = 0; i < l->slots.len; i++)
        fw_vec_release(&l->slots.at[i]);
    fw_vec_release(&l->actors);
    fw_vec_release(&l->sites);
    fw_vec_release(&l->functions);
    fw_vec_release(&l->loops);
    fw_live_release(&l->variables);
    fw_vec_release(&l->locks);
    fw_vec_release(&l->readers);
    fw_vec_release(&l->free_readers);
    fw_vec_release(&l->slots);
    fw_vec_release(&l->from);
    fw_flow_destroy(l->flow);
    fw_txs_destroy(l->txs);
    free(l);
}

/* --- transactions ---------------------------------------------------------------------------- */

static void count(struct fw_lifetx_spread *spread, uint64_t value)
{
    unsigned bucket = value ? 64u - (unsigned)__builtin_clzll(value) : 0;

    spread->count++;
    spread->sum += value;
    spread->most = value > spread->most ? value : spread->most;
    spread->buckets[bucket < FW_LIFETX_BUCKETS ? bucket : FW_LIFETX_BUCKETS - 1]++;
}

/* The open transaction of the thread is over: it is counted if it is a whole one. */
static void measure(struct fw_lifetx *l, uint32_t t)
{
    struct actor *actor = lifetx_actor(l, t);
    uint64_t length = fw_txs_now(l->txs, t) - fw_txs_start(l->txs, t);

    if (length && !actor->split) {
        count(&l->stats.length, length);
        count(&l->stats.touched, actor->words);
    }
    lifetx_last(l, actor->last);
    actor->split = false;
    actor->words = 0;
    actor->last = 0;
}

static void end(struct fw_lifetx *l, uint32_t t)
{
    if (fw_txs_now(l->txs, t) == fw_txs_start(l->txs, t))
        return;
    measure(l, t);
    fw_txs_end(l->txs, t);
}

/* Waiting for a condition gives its mutex back, wakes and takes it again, all in one call: nothing
 * is passed in between, not even the beginning of another iteration. */
static bool is_same_call(struct actor *actor, const struct fw_event *event)
{
    unsigned kind = event->kind;
    bool goes_on = kind == FW_WAKE || fw_is_class(kind, FW_CLASS_ACQUIRE);
    bool same = goes_on && actor->waits && actor->waits == event->site;

    actor->waits = same || fw_is_class(kind, FW_CLASS_RELEASE) ? event->site : 0;
    return same;
}

/* An event begins: what it is, and which cutpoints are passed on the way to it. */
static void begin_event(struct fw_lifetx *l, const struct fw_event *event)
{
    bool same = is_same_call(lifetx_actor(l, event->thread), event);
    bool cut = !same && lifetx_at(l, event->thread, event->site);

    cut |= lifetx_cut_before(l, event->site);
    if (cut)
        end(l, event->thread);
    l->now = (struct fw_tx_event) { fw_txs_now(l->txs, event->thread), event->thread, event->site };
    fw_vec_clear(&l->from);
}

/* All edges into it are known. */
static void happen(struct fw_lifetx *l, const struct fw_event *event)
{
    uint64_t last;

    l->stats.events++;
    if (fw_txs_cycle(l->txs, event->thread, &l->from, &last)) {
        lifetx_cut(l, event->thread, event->site, last);
        lifetx_actor(l, event->thread)->split = true;
    }
    fw_txs_event(l->txs, event->thread, &l->from);
}

static void edge_from(struct fw_lifetx *l, const struct fw_tx_event *event)
{
    if (event->thread != l->now.thread)
        fw_vec_push(&l->from, *event);
}

/* --- cells ----------------------------------------------------------------------------------- */

static struct fw_tx_events *list_of(const struct fw_lifetx *l, const struct cell *cell)
{
    return &l->readers.at[cell->list - 1];
}

static void clear_reads(struct fw_lifetx *l, struct cell *cell)
{
    if (cell->list) {
        fw_vec_clear(list_of(l, cell));
        fw_vec_push(&l->free_readers, cell->list);
    }
    cell->list = 0;
    cell->has_read = false;
}

/* Of reads in one transaction the site of the first is kept. */
static void renew(const struct fw_lifetx *l, struct fw_tx_event *read)
{
    uint32_t first = read->n >= fw_txs_start(l->txs, read->thread) ? read->site : l->now.site;

    *read = l->now;
    read->site = first;
}

/* The latest event of each thread. */
static void put_event(struct fw_tx_events *list, const struct fw_tx_event *event)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].thread == event->thread) {
            list->at[i] = *event;
            return;
        }
    }
    fw_vec_push(list, *event);
}

static void put_reader(const struct fw_lifetx *l, struct fw_tx_events *list)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].thread == l->now.thread) {
            renew(l, &list->at[i]);
            return;
        }
    }
    fw_vec_push(list, l->now);
}

static void make_list(struct fw_lifetx *l, struct cell *cell)
{
    if (!l->free_readers.len) {
        fw_vec_extend(&l->readers, l->readers.len + 1);
        fw_vec_push(&l->free_readers, (uint32_t)l->readers.len);
    }
    cell->list = fw_vec_pop(&l->free_readers);
    fw_vec_push(list_of(l, cell), cell->read);
}

static void put_read(struct fw_lifetx *l, struct cell *cell)
{
    if (!cell->list && cell->has_read && cell->read.thread != l->now.thread)
        make_list(l, cell);
    if (cell->list)
        put_reader(l, list_of(l, cell));
    else if (cell->has_read)
        renew(l, &cell->read);
    else
        cell->read = l->now;
    cell->has_read = true;
}

static void put_write(struct fw_lifetx *l, struct cell *cell)
{
    clear_reads(l, cell);
    cell->written = true;
    cell->write = l->now;
}

static void edge_from_write(struct fw_lifetx *l, const struct cell *cell)
{
    if (cell->written)
        edge_from(l, &cell->write);
}

static void edges_from_reads(struct fw_lifetx *l, const struct cell *cell)
{
    if (!cell->list && cell->has_read)
        edge_from(l, &cell->read);
    for (size_t i = 0; cell->list && i < list_of(l, cell)->len; i++)
        edge_from(l, &list_of(l, cell)->at[i]);
}

/* The open transaction writes what it has read. */
static void upgrade(struct fw_lifetx *l, const struct cell *cell)
{
    uint32_t t = l->now.thread;
    uint64_t start = fw_txs_start(l->txs, t);

    if (!cell->list && cell->has_read && cell->read.thread == t && cell->read.n >= start)
        lifetx_upgrade(l, cell->read.site);
    for (size_t i = 0; cell->list && i < list_of(l, cell)->len; i++) {
        const struct fw_tx_event *read = &list_of(l, cell)->at[i];

        if (read->thread == t && read->n >= start)
            lifetx_upgrade(l, read->site);
    }
}

/* Has the open transaction accessed it?  Others may have come between its accesses only if it was
 * cut there. */
static bool is_touched(const struct fw_lifetx *l, const struct cell *cell)
{
    uint32_t t = l->now.thread;
    uint64_t start = fw_txs_start(l->txs, t);
    bool touched = cell->written && cell->write.thread == t && cell->write.n >= start;

    if (!cell->list && cell->has_read)
        touched |= cell->read.thread == t && cell->read.n >= start;
    for (size_t i = 0; cell->list && i < list_of(l, cell)->len; i++)
        touched |= list_of(l, cell)->at[i].thread == t && list_of(l, cell)->at[i].n >= start;
    return touched;
}

/* --- accesses -------------------------------------------------------------------------------- */

static void on_access(struct fw_lifetx *l, const struct fw_event *event, bool writes)
{
    struct cell *cell;

    begin_event(l, event);
    lifetx_more(l, lifetx_actor(l, event->thread)->last);
    lifetx_actor(l, event->thread)->last = event->site;
    cell = fw_live_get(&l->variables, event->target);
    edge_from_write(l, cell);
    if (writes)
        edges_from_reads(l, cell);
    happen(l, event);
    if (!is_touched(l, cell)) {
        lifetx_actor(l, event->thread)->words++;
        if (!writes)
            lifetx_first_read(l, event->site);
    } else {
        l->now.site = 0; /* what keeps others away is an earlier access */
    }
    if (writes) {
        upgrade(l, cell);
        put_write(l, cell);
    } else {
        put_read(l, cell);
    }
}

/* The former variable of that name will not be met again. */
static void on_alloc(struct fw_lifetx *l, const struct fw_event *event)
{
    uint32_t former = fw_live_renew(&l->variables, l->symbols, event->target);
    struct cell *gone = former == FW_NO_VARIABLE ? NULL : fw_live_find(&l->variables, former);

    if (!gone)
        return;
    clear_reads(l, gone);
    fw_live_drop(&l->variables, former);
}

/* --- synchronisation ------------------------------------------------------------------------- */

static struct fw_tx_events *slot_at(struct fw_lifetx *l, uint32_t slot)
{
    fw_vec_extend(&l->slots, slot + (size_t)1);
    return &l->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct fw_lifetx *l = me;

    for (size_t i = 0; i < slot_at(l, slot)->len; i++)
        edge_from(l, &l->slots.at[slot].at[i]);
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct fw_lifetx *l = me;

    if (!keep)
        fw_vec_clear(slot_at(l, slot));
    put_event(slot_at(l, slot), &l->now);
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct fw_lifetx *l = me;

    slot_at(l, from > to ? from : to);
    if (!keep)
        fw_vec_clear(&l->slots.at[to]);
    for (size_t i = 0; i < l->slots.at[from].len; i++)
        put_event(&l->slots.at[to], &l->slots.at[from].at[i]);
}

static void slot_clear(void *me, uint32_t slot)
{
    fw_vec_clear(slot_at(me, slot));
}

static const struct fw_flow_ops slot_ops = {
    .receive = slot_receive,
    .send = slot_send,
    .copy = slot_copy,
    .clear = slot_clear,
};

/* Releases go this way too: which notify a wake answers depends on the release before it. */
static void on_signal(struct fw_lifetx *l, const struct fw_batch *batch, uint32_t i)
{
    begin_event(l, &batch->events[i]);
    fw_flow_receive(l->flow, batch, i, &slot_ops, l);
    happen(l, &batch->events[i]);
    fw_flow_send(l->flow, batch, i, &slot_ops, l);
}

/* What stands for an order alone: annotations, the kernel. */
static void on_order(struct fw_lifetx *l, const struct fw_batch *batch, uint32_t i)
{
    const struct fw_event *event = &batch->events[i];

    if (l->options.system_calls)
        lifetx_cut_call(l, event->site);
    on_signal(l, batch, i);
}

static struct cell *lock_at(struct fw_lifetx *l, uint32_t lock)
{
    fw_vec_extend(&l->locks, lock + (size_t)1);
    return &l->locks.at[lock];
}

static void on_acquire(struct fw_lifetx *l, const struct fw_event *event)
{
    const struct cell *cell = lock_at(l, event->target);

    begin_event(l, event);
    edge_from_write(l, cell);
    if (!fw_is_class(event->kind, FW_CLASS_SHARED))
        edges_from_reads(l, cell);
    happen(l, event);
}

static void on_release(struct fw_lifetx *l, const struct fw_batch *batch, uint32_t i)
{
    const struct fw_event *event = &batch->events[i];
    struct cell *cell = lock_at(l, event->target);

    on_signal(l, batch, i);
    if (fw_is_class(event->kind, FW_CLASS_SHARED))
        put_read(l, cell);
    else
        put_write(l, cell);
}

static void on_fork(struct fw_lifetx *l, const struct fw_event *event)
{
    struct actor *child;

    begin_event(l, event);
    happen(l, event);
    child = lifetx_actor(l, event->target);
    child->forked = true;
    child->fork = l->now;
    fw_txs_fork(l->txs, l->now, event->target);
}

/* A child without any event did nothing that could come between its fork and its join, but these
 * two are in order. */
static void on_join(struct fw_lifetx *l, const struct fw_batch *batch, uint32_t i)
{
    const struct fw_event *event = &batch->events[i];
    uint32_t child = event->target;
    uint64_t events = fw_txs_now(l->txs, child);
    const struct actor *joined = lifetx_actor(l, child);

    begin_event(l, event);
    fw_flow_receive(l->flow, batch, i, &slot_ops, l);
    if (events)
        edge_from(l, &(struct fw_tx_event) { .n = events - 1, .thread = child });
    else if (joined->forked)
        edge_from(l, &joined->fork);
    happen(l, event);
    fw_flow_send(l->flow, batch, i, &slot_ops, l);
    measure(l, child);
    fw_txs_end_thread(l->txs, child);
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_event(struct fw_lifetx *l, const struct fw_batch *batch, uint32_t i)
{
    const struct fw_event *event = &batch->events[i];
    unsigned kind = event->kind;

    if (fw_is_class(kind, FW_CLASS_ATOMIC) && kind != FW_FENCE &&
        fw_variable_is_order(l->symbols, event->target))
        on_order(l, batch, i);
    else if (fw_is_class(kind, FW_CLASS_CONFLICT))
        on_access(l, event, fw_is_write(kind) || kind == FW_FREE);
    else if (fw_is_class(kind, FW_CLASS_ACQUIRE))
        on_acquire(l, event);
    else if (fw_is_class(kind, FW_CLASS_RELEASE))
        on_release(l, batch, i);
    else if (kind == FW_FORK)
        on_fork(l, event);
    else if (kind == FW_JOIN)
        on_join(l, batch, i);
    else if (fw_flow_listens(kind))
        on_signal(l, batch, i);
}

static void on_segment(struct fw_lifetx *l, const struct fw_event *event)
{
    lifetx_actor(l, event->thread)->waits = 0;
    if (event->kind == FW_RETURN)
        lifetx_return(l, event->thread);
    else if (lifetx_call(l, event->thread, event->target, event->site))
        end(l, event->thread);
}

void fw_lifetx_batch(struct fw_lifetx *l, const struct fw_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct fw_event *event = &batch->events[i];

        l->position = batch->first + i;
        lifetx_actor(l, event->thread);
        if (event->kind == FW_CALL || event->kind == FW_RETURN)
            on_segment(l, event);
        else if (event->kind == FW_ALLOC)
            on_alloc(l, event);
        else
            on_event(l, batch, i);
        if (event->kind == FW_FREE)
            fw_live_freed(&l->variables, l->symbols, event->target);
    }
}

void fw_lifetx_finish(struct fw_lifetx *l)
{
    for (size_t t = 0; t < l->actors.len; t++)
        end(l, (uint32_t)t);
    lifetx_claim(l);
    if (l->options.ends)
        lifetx_ends(l);
}

/* --- results --------------------------------------------------------------------------------- */

const struct fw_lifetx_stats *fw_lifetx_stats(const struct fw_lifetx *l)
{
    return &l->stats;
}

size_t fw_lifetx_size(const struct fw_lifetx *l)
{
    return fw_txs_size(l->txs);
}

static void spread_add(struct fw_lifetx_spread *spread, const struct fw_lifetx_spread *other)
{
    spread->count += other->count;
    spread->sum += other->sum;
    spread->most = other->most > spread->most ? other->most : spread->most;
    for (unsigned i = 0; i < FW_LIFETX_BUCKETS; i++)
        spread->buckets[i] += other->buckets[i];
}

void fw_lifetx_stats_add(struct fw_lifetx_stats *stats, const struct fw_lifetx_stats *other)
{
    stats->events += other->events;
    stats->splits += other->splits;
    stats->new_cuts += other->new_cuts;
    stats->long_loops += other->long_loops;
    stats->calls += other->calls;
    stats->claims += other->claims;
    spread_add(&stats->length, &other->length);
    spread_add(&stats->touched, &other->touched);
}

unsigned fw_lifetx_quantile(const struct fw_lifetx_spread *spread, unsigned of_thousand)
{
    uint64_t below = 0;

    for (unsigned i = 0; i < FW_LIFETX_BUCKETS; i++) {
        below += spread->buckets[i];
        if (below * 1000 >= spread->count * of_thousand)
            return i;
    }
    return FW_LIFETX_BUCKETS - 1;
}
