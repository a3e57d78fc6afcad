/*
 * velodrome.c - traces whose blocks are not serialisable.
 *
 * A trace is serialisable if it is equivalent to one in which no block is
 * interrupted.  That is so unless the transactions (outermost blocks, and
 * events outside blocks) depend on each other in a cycle.  This analysis
 * reports exactly that, at the event that closes the cycle, with the cycle.
 *
 * Source: Flanagan, Freund, Yi, "Velodrome: a sound and complete dynamic
 * atomicity checker for multithreaded programs", PLDI 2008.  The graph is kept
 * in another way, see velodrome_state.h: its whole memory is a table of
 * threads times open transactions.
 *
 * Edges: conflicting accesses (atomic ones too; free is a write), release to
 * acquire unless both are shared, fork, join, notify to wake, post to pend,
 * barrier in to out, program order.  Atomics and fences need no edges of their
 * own: a store conflicts with the load that sees it.
 */
#include "analysis/velodrome_state.h"

#include "base/bug.h"

static void *velodrome_create(const struct fw_analysis_setup *setup)
{
    struct velodrome *v = fw_xcalloc(1, sizeof *v);

    v->symbols = setup->symbols;
    v->findings = setup->findings;
    v->functions = setup->atomic_functions;
    v->pairs_all = setup->pairs_all;
    fw_block_paths_init(&v->paths, v->functions);
    v->flow = fw_flow_create();
    return v;
}

static void velodrome_destroy(void *state)
{
    struct velodrome *v = state;

    velodrome_graph_release(v);
    velodrome_report_release(v);
    for (size_t i = 0; i < v->readers.len; i++)
        fw_vec_release(&v->readers.at[i]);
    for (size_t i = 0; i < v->slots.len; i++)
        fw_vec_release(&v->slots.at[i]);
    fw_live_release(&v->variables);
    fw_vec_release(&v->locks);
    fw_vec_release(&v->readers);
    fw_vec_release(&v->free_readers);
    fw_vec_release(&v->slots);
    fw_vec_release(&v->refuted);
    fw_block_paths_release(&v->paths);
    fw_flow_destroy(v->flow);
    free(v);
}

static void velodrome_finish(void *state, struct fw_outcome *outcome)
{
    (void)state;
    (void)outcome;
}

/* --- blocks ------------------------------------------------------------------------------ */

static void enter(struct velodrome *v, const struct fw_event *event, const struct fw_place *place)
{
    struct thread *thread = velodrome_actor(v, place);

    fw_blocks_enter(&thread->blocks, event, fw_place_index(place));
    velodrome_enter(v, event->thread);
}

static void leave(struct velodrome *v, const struct fw_event *event, const struct fw_place *place)
{
    struct thread *thread = velodrome_actor(v, place);

    fw_blocks_leave(&thread->blocks, event);
    velodrome_leave(v, event->thread);
}

static void on_begin(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    if (!v->functions)
        enter(v, event, place);
    else
        velodrome_actor(v, place);
}

static void on_end(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    if (!v->functions)
        leave(v, event, place);
    else
        velodrome_actor(v, place);
}

static void on_call(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    if (v->functions)
        enter(v, event, place);
    else
        velodrome_actor(v, place);
}

static void on_return(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    if (v->functions)
        leave(v, event, place);
    else
        velodrome_actor(v, place);
}

/* --- cells: the latest write and the reads since ----------------------------------------- */

static bool has_list(const struct cell *cell)
{
    return cell->transaction == VELODROME_NEVER;
}

static struct accesses *list_of(const struct velodrome *v, const struct cell *cell)
{
    return &v->readers.at[cell->readers - 1];
}

static void clear_reads(struct velodrome *v, struct cell *cell)
{
    if (has_list(cell)) {
        fw_vec_clear(list_of(v, cell));
        fw_vec_push(&v->free_readers, (uint32_t)cell->readers);
    }
    cell->transaction = 0;
}

static void make_list(struct velodrome *v, struct cell *cell)
{
    struct access read = cell->read;

    if (!v->free_readers.len) {
        fw_vec_extend(&v->readers, v->readers.len + 1);
        fw_vec_push(&v->free_readers, (uint32_t)v->readers.len);
    }
    cell->readers = fw_vec_pop(&v->free_readers);
    cell->transaction = VELODROME_NEVER;
    fw_vec_push(list_of(v, cell), read);
}

/* What can no more be in a cycle makes room. */
static void drop_dead(const struct velodrome *v, struct accesses *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->len; i++)
        if (velodrome_alive(v, &list->at[i]))
            list->at[kept++] = list->at[i];
    list->len = kept;
}

/* The latest access of each thread. */
static void put_access(const struct velodrome *v, struct accesses *list,
                       const struct access *access)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].thread == access->thread) {
            list->at[i] = *access;
            return;
        }
    }
    if (list->len == list->cap)
        drop_dead(v, list);
    fw_vec_push(list, *access);
}

static void put_read(struct velodrome *v, struct cell *cell, const struct access *access)
{
    if (!has_list(cell) && cell->transaction && cell->read.thread != access->thread &&
        velodrome_alive(v, &cell->read))
        make_list(v, cell);
    if (has_list(cell))
        put_access(v, list_of(v, cell), access);
    else
        cell->read = *access;
}

static void edges_from_reads(struct velodrome *v, const struct cell *cell)
{
    if (!has_list(cell)) {
        velodrome_edge(v, &cell->read);
        return;
    }
    for (size_t i = 0; i < list_of(v, cell)->len; i++)
        velodrome_edge(v, &list_of(v, cell)->at[i]);
}

/* --- accesses ---------------------------------------------------------------------------- */

static bool is_present(const struct thread *thread, const struct fw_event *event,
                       const struct access *access)
{
    return access->transaction == thread->transaction && access->thread == event->thread;
}

/*
 * While no transaction is open, no event can ever be in a cycle.  And what the
 * transaction has read or written already, and nobody wrote since, is no news.
 */
static void on_read(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;
    const struct thread *thread = velodrome_actor(v, place);
    struct cell *cell;

    if (!v->open.len)
        return;
    fw_live_prefetch(&v->variables, place);
    cell = fw_live_get(&v->variables, event->target);
    if (is_present(thread, event, &cell->write) ||
        (!has_list(cell) && is_present(thread, event, &cell->read)))
        return;
    velodrome_event(v, place);
    velodrome_edge(v, &cell->write);
    put_read(v, cell, velodrome_use(v));
}

static void on_write(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;
    const struct thread *thread = velodrome_actor(v, place);
    struct cell *cell;

    if (!v->open.len)
        return;
    fw_live_prefetch(&v->variables, place);
    cell = fw_live_get(&v->variables, event->target);
    if (is_present(thread, event, &cell->write) && !cell->transaction)
        return;
    velodrome_event(v, place);
    velodrome_edge(v, &cell->write);
    edges_from_reads(v, cell);
    clear_reads(v, cell);
    cell->write = *velodrome_use(v);
}

static void on_free(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    fw_live_freed(&v->variables, v->symbols, event->target);
    on_write(v, event, place);
}

/* The former variable of that name will not be met again. */
static void on_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;
    uint32_t former = fw_live_renew(&v->variables, v->symbols, event->target);
    struct cell *gone = former == FW_NO_VARIABLE ? NULL : fw_live_find(&v->variables, former);

    velodrome_actor(v, place);
    if (!gone)
        return;
    clear_reads(v, gone);
    fw_live_drop(&v->variables, former);
}

/* --- locks: an exclusive section is like a write, a shared one like a read ---------------- */

static struct cell *lock_at(struct velodrome *v, uint32_t lock)
{
    fw_vec_extend(&v->locks, lock + (size_t)1);
    return &v->locks.at[lock];
}

static void on_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;
    const struct cell *cell = lock_at(v, event->target);

    velodrome_event(v, place);
    velodrome_edge(v, &cell->write);
    edges_from_reads(v, cell);
}

static void on_shared_acquire(void *state, const struct fw_event *event,
                              const struct fw_place *place)
{
    struct velodrome *v = state;
    const struct cell *cell = lock_at(v, event->target);

    velodrome_event(v, place);
    velodrome_edge(v, &cell->write);
}

/* --- notify, wake, post, pend, barriers --------------------------------------------------- */

static struct accesses *slot_at(struct velodrome *v, uint32_t slot)
{
    fw_vec_extend(&v->slots, slot + (size_t)1);
    return &v->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct velodrome *v = me;
    const struct accesses *list = slot_at(v, slot);

    for (size_t i = 0; i < list->len; i++)
        velodrome_edge(v, &list->at[i]);
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct velodrome *v = me;
    struct accesses *list = slot_at(v, slot);

    if (!keep)
        fw_vec_clear(list);
    put_access(v, list, velodrome_use(v));
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct velodrome *v = me;
    struct accesses *target;

    slot_at(v, from > to ? from : to);
    target = &v->slots.at[to];
    if (!keep)
        fw_vec_clear(target);
    for (size_t i = 0; i < v->slots.at[from].len; i++)
        put_access(v, target, &v->slots.at[from].at[i]);
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

static void on_signal(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    (void)event;
    velodrome_event(v, place);
    fw_flow_receive(v->flow, place->batch, place->i, &slot_ops, v);
    fw_flow_send(v->flow, place->batch, place->i, &slot_ops, v);
}

/* Which notify a wake answers depends on the release before it: releases go the same way. */
static void on_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;
    struct cell *cell = lock_at(v, event->target);

    on_signal(v, event, place);
    clear_reads(v, cell);
    cell->write = *velodrome_use(v);
}

static void on_shared_release(void *state, const struct fw_event *event,
                              const struct fw_place *place)
{
    struct velodrome *v = state;
    struct cell *cell = lock_at(v, event->target);

    on_signal(v, event, place);
    put_read(v, cell, velodrome_use(v));
}

/* All other events are transactions too; it matters for the fork and join around them. */
static void on_other(void *state, const struct fw_event *event, const struct fw_place *place)
{
    (void)event;
    velodrome_actor(state, place);
}

/* --- fork and join ------------------------------------------------------------------------ */

static void on_fork(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    velodrome_event(v, place);
    velodrome_fork(v, event->target);
}

static void on_join(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct velodrome *v = state;

    on_signal(v, event, place);
    velodrome_join(v, event->target);
}

const struct fw_analysis fw_analysis_velodrome = {
    .name = "velodrome",
    .summary = "blocks that were not atomic in the trace itself",
    .guarantee = FW_OBSERVED,
    .observed = true,
    .create = velodrome_create,
    .finish = velodrome_finish,
    .destroy = velodrome_destroy,
    .on = {
        [FW_BEGIN] = on_begin,
        [FW_END] = on_end,
        [FW_CALL] = on_call,
        [FW_RETURN] = on_return,
        [FW_READ] = on_read,
        [FW_WRITE] = on_write,
        [FW_ATOMIC_LOAD] = on_read,
        [FW_ATOMIC_STORE] = on_write,
        [FW_ATOMIC_RMW] = on_write,
        [FW_FREE] = on_free,
        [FW_ACQUIRE] = on_acquire,
        [FW_TRY_ACQUIRE] = on_acquire,
        [FW_RELEASE] = on_release,
        [FW_SHARED_ACQUIRE] = on_shared_acquire,
        [FW_TRY_SHARED_ACQUIRE] = on_shared_acquire,
        [FW_SHARED_RELEASE] = on_shared_release,
        [FW_NOTIFY] = on_signal,
        [FW_NOTIFY_ALL] = on_signal,
        [FW_WAKE] = on_signal,
        [FW_POST] = on_signal,
        [FW_PEND] = on_signal,
        [FW_BARRIER_IN] = on_signal,
        [FW_BARRIER_OUT] = on_signal,
        [FW_FORK] = on_fork,
        [FW_JOIN] = on_join,
        [FW_TRY_FAIL] = on_other,
        [FW_BRANCH] = on_other,
        [FW_FENCE] = on_other,
        [FW_ALLOC] = on_alloc,
    },
};
