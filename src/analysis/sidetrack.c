/*
 * sidetrack.c - blocks that acquire a lock twice and can be split in between.
 *
 * Whenever a thread acquires the same lock twice in a block, there is a
 * vulnerable window between the two acquires: a culprit acquire of another
 * thread that comes in there makes the block not atomic.  SideTrack finds
 * culprits that came before (BEFORE-ERROR), in (IN-ERROR) or after the window
 * (AFTER-ERROR) and are concurrent with the acquire next to them, so that they
 * could have come in between.  Reads and writes are not looked at: the
 * analysis supposes that the program has no races.
 *
 * Source: Caitlin Sadowski, "Dynamic Prediction of Concurrency Errors",
 * dissertation, UC Santa Cruz, 2012, part VI; rules: figure 20.3.  Each
 * handler here is one rule; those for acquires are in sidetrack_acquire.c.
 * What is beyond the source: nested blocks, shared locks, and all other
 * synchronisation, whose edges enable as fork and join do (docs/analyses/
 * sidetrack.md).
 *
 * Invariants: see sidetrack_state.h.  Time is linear in the trace (times the
 * number of threads at synchronisation); memory goes with threads and locks.
 */
#include "analysis/sidetrack_state.h"

#include "base/bug.h"

static void *sidetrack_create(const struct fw_analysis_setup *setup)
{
    struct sidetrack *st = fw_xcalloc(1, sizeof *st);

    st->symbols = setup->symbols;
    st->findings = setup->findings;
    st->functions = setup->atomic_functions;
    fw_block_paths_init(&st->paths, st->functions);
    st->flow = fw_flow_create();
    return st;
}

static void release_lock(struct lock *lock)
{
    fw_clock_release(&lock->release);
    fw_vec_release(&lock->views[EXCLUSIVE].windows);
    fw_vec_release(&lock->views[SHARED].windows);
    if (lock->shared) {
        fw_vec_release(&lock->shared->sections);
        fw_clock_release(&lock->shared->releases);
    }
    free(lock->shared);
}

static void sidetrack_destroy(void *state)
{
    struct sidetrack *st = state;

    for (size_t i = 0; i < st->threads.len; i++) {
        fw_clock_release(&st->threads.at[i].clock);
        fw_vec_release(&st->threads.at[i].blocks);
        sidetrack_visits_release(&st->threads.at[i].visits);
    }
    for (size_t i = 0; i < st->locks.len; i++)
        release_lock(&st->locks.at[i]);
    for (size_t i = 0; i < st->slots.len; i++)
        fw_clock_release(&st->slots.at[i]);
    fw_vec_release(&st->threads);
    fw_vec_release(&st->locks);
    fw_vec_release(&st->slots);
    fw_vec_release(&st->atomics);
    fw_live_release(&st->names);
    fw_block_paths_release(&st->paths);
    fw_flow_destroy(st->flow);
    free(st);
}

static void sidetrack_finish(void *state, struct fw_outcome *outcome)
{
    (void)state;
    (void)outcome;
}

/* --- threads, locks and time ------------------------------------------------------------- */

/* The initial state: C_t = inc_t(bottom). */
static struct thread *thread_at(struct sidetrack *st, uint32_t t)
{
    size_t known = st->threads.len;

    if (FW_LIKELY(t < known))
        return &st->threads.at[t];
    fw_vec_extend(&st->threads, t + (size_t)1);
    for (size_t i = known; i < st->threads.len; i++) {
        fw_clock_set(&st->threads.at[i].clock, (uint32_t)i, 1);
        st->threads.at[i].round = 1;
    }
    return &st->threads.at[t];
}

static struct lock *lock_at(struct sidetrack *st, uint32_t lock)
{
    fw_vec_extend(&st->locks, lock + (size_t)1);
    return &st->locks.at[lock];
}

/* C_t := inc_t(C_t) */
static void tick(struct thread *thread, uint32_t t)
{
    thread->clock.at[t]++;
}

/* --- blocks ------------------------------------------------------------------------------ */

/* [ST ENTER]: an outermost block starts with H_t and I_t empty. */
static void enter(struct sidetrack *st, const struct fw_event *event, const struct fw_place *place)
{
    struct thread *thread = thread_at(st, event->thread);

    if (!thread->blocks.len) {
        thread->round++;
        thread->visits.count = 0;
    }
    fw_blocks_enter(&thread->blocks, event, fw_place_index(place));
}

/* [ST EXIT] */
static void leave(struct sidetrack *st, const struct fw_event *event)
{
    fw_blocks_leave(&thread_at(st, event->thread)->blocks, event);
}

static void st_begin(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    if (!st->functions)
        enter(st, event, place);
}

static void st_end(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    (void)place;
    if (!st->functions)
        leave(st, event);
}

static void st_call(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    if (st->functions)
        enter(st, event, place);
}

static void st_return(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    (void)place;
    if (st->functions)
        leave(st, event);
}

/* --- all other synchronisation: its edges enable, so they are in C_t --------------------- */

static struct fw_clock *slot_at(struct sidetrack *st, uint32_t slot)
{
    fw_vec_extend(&st->slots, slot + (size_t)1);
    return &st->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct sidetrack *st = me;
    const struct fw_clock *clock = slot_at(st, slot);

    fw_clock_join(&st->threads.at[st->flow_thread].clock, clock);
}

static void put(struct fw_clock *to, const struct fw_clock *from, bool keep)
{
    if (keep)
        fw_clock_join(to, from);
    else
        fw_clock_copy(to, from);
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct sidetrack *st = me;

    put(slot_at(st, slot), &st->threads.at[st->flow_thread].clock, keep);
    st->flow_sent = true;
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct sidetrack *st = me;

    slot_at(st, from > to ? from : to);
    put(&st->slots.at[to], &st->slots.at[from], keep);
}

static void slot_clear(void *me, uint32_t slot)
{
    fw_clock_clear(slot_at(me, slot));
}

static const struct fw_flow_ops slot_ops = {
    .receive = slot_receive,
    .send = slot_send,
    .copy = slot_copy,
    .clear = slot_clear,
};

static void flow(struct sidetrack *st, const struct fw_event *event, const struct fw_place *place)
{
    struct thread *thread = thread_at(st, event->thread);

    st->flow_thread = event->thread;
    st->flow_sent = false;
    fw_flow_receive(st->flow, place->batch, place->i, &slot_ops, st);
    fw_flow_send(st->flow, place->batch, place->i, &slot_ops, st);
    if (st->flow_sent)
        tick(thread, event->thread);
}

static void st_signal(void *state, const struct fw_event *event, const struct fw_place *place)
{
    flow(state, event, place);
}

static void st_wake(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    flow(st, event, place);
    st->threads.at[event->thread].woke = true;
}

static void st_atomic_store(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    fw_vec_extend(&st->atomics, event->target + (size_t)1);
    st->atomics.at[event->target] = true;
    fw_live_freed(&st->names, st->symbols, event->target);
    flow(st, event, place);
}

/* What a former variable of that name stored atomically is gone. */
static void st_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;
    uint32_t former = fw_live_renew(&st->names, st->symbols, event->target);

    (void)place;
    if (former != FW_NO_VARIABLE)
        fw_flow_forget(st->flow, former, &slot_ops, st);
}

/*
 * Atomic loads have something to learn, and plain writes a release sequence to
 * end, only where there was an atomic store.
 */
static void st_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;

    if (event->target < st->atomics.len && st->atomics.at[event->target])
        flow(st, event, place);
}

/* --- fork and join ----------------------------------------------------------------------- */

/* [ST FORK]: C_u := C_t joined with C_u; C_t := inc_t(C_t) */
static void st_fork(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;
    uint32_t t = event->thread, u = event->target;

    (void)place;
    thread_at(st, t > u ? t : u);
    fw_clock_join(&st->threads.at[u].clock, &st->threads.at[t].clock);
    tick(&st->threads.at[t], t);
}

/* [ST JOIN]: C_t := C_t joined with C_u; C_u := inc_u(C_u) */
static void st_join(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;
    uint32_t t = event->thread, u = event->target;

    thread_at(st, t > u ? t : u);
    fw_clock_join(&st->threads.at[t].clock, &st->threads.at[u].clock);
    tick(&st->threads.at[u], u);
    flow(st, event, place);
}

/* --- locks ------------------------------------------------------------------------------- */

static void st_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;
    struct thread *thread = thread_at(st, event->thread);
    struct lock *lock = lock_at(st, event->target);

    sidetrack_acquire(st, event->target, EXCLUSIVE, place);
    lock->latest =
        (struct section) { fw_place_mark(place), fw_clock_get(&thread->clock, event->thread), 0 };
}

/*
 * From now on the lock has culprits of the shared mode.  Up to here there were
 * none, so their view of it is the other one without suspects.
 */
static void make_shared(struct sidetrack *st, struct lock *lock, uint32_t id)
{
    const struct view *other = &lock->views[EXCLUSIVE];

    lock->shared = fw_xcalloc(1, sizeof *lock->shared);
    for (size_t i = 0; i < other->windows.len; i++)
        fw_vec_push(&lock->views[SHARED].windows, other->windows.at[i]);
    for (size_t t = 0; t < st->threads.len; t++) {
        struct thread *thread = &st->threads.at[t];
        const struct visit *visit = sidetrack_visit_find(thread, id * 2 + EXCLUSIVE);
        struct fw_mark latest;

        if (!visit || !thread->blocks.len)
            continue;
        latest = visit->latest;
        sidetrack_visit_add(thread, id * 2 + SHARED)->latest = latest;
    }
}

static struct section *shared_section(struct lock *lock, uint32_t t)
{
    struct shared *shared = lock->shared;

    for (size_t i = 0; i < shared->sections.len; i++)
        if (shared->sections.at[i].acquire.thread == t)
            return &shared->sections.at[i];
    fw_vec_extend(&shared->sections, shared->sections.len + 1);
    return &fw_vec_last(&shared->sections);
}

static void st_shared_acquire(void *state, const struct fw_event *event,
                              const struct fw_place *place)
{
    struct sidetrack *st = state;
    struct thread *thread = thread_at(st, event->thread);
    struct lock *lock = lock_at(st, event->target);

    if (!lock->shared)
        make_shared(st, lock, event->target);
    sidetrack_acquire(st, event->target, SHARED, place);
    *shared_section(lock, event->thread) =
        (struct section) { fw_place_mark(place), fw_clock_get(&thread->clock, event->thread), 0 };
}

/* [ST RELEASE]: R_m := C_t; C_t := inc_t(C_t) */
static void st_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct sidetrack *st = state;
    struct thread *thread = thread_at(st, event->thread);
    struct lock *lock = lock_at(st, event->target);

    flow(st, event, place);
    lock->latest.release_time = fw_clock_get(&thread->clock, event->thread);
    fw_clock_copy(&lock->release, &thread->clock);
    tick(thread, event->thread);
}

static void st_shared_release(void *state, const struct fw_event *event,
                              const struct fw_place *place)
{
    struct sidetrack *st = state;
    struct thread *thread = thread_at(st, event->thread);
    struct lock *lock = lock_at(st, event->target);

    flow(st, event, place);
    shared_section(lock, event->thread)->release_time = fw_clock_get(&thread->clock, event->thread);
    fw_clock_join(&lock->shared->releases, &thread->clock);
    tick(thread, event->thread);
}

const struct fw_analysis fw_analysis_sidetrack = {
    .name = "sidetrack",
    .summary = "blocks that take a lock twice and can be split in between",
    .guarantee = FW_HEURISTIC,
    .create = sidetrack_create,
    .finish = sidetrack_finish,
    .destroy = sidetrack_destroy,
    .on = {
        [FW_BEGIN] = st_begin,
        [FW_END] = st_end,
        [FW_CALL] = st_call,
        [FW_RETURN] = st_return,
        [FW_FORK] = st_fork,
        [FW_JOIN] = st_join,
        [FW_ACQUIRE] = st_acquire,
        [FW_TRY_ACQUIRE] = st_acquire,
        [FW_RELEASE] = st_release,
        [FW_SHARED_ACQUIRE] = st_shared_acquire,
        [FW_TRY_SHARED_ACQUIRE] = st_shared_acquire,
        [FW_SHARED_RELEASE] = st_shared_release,
        [FW_NOTIFY] = st_signal,
        [FW_NOTIFY_ALL] = st_signal,
        [FW_WAKE] = st_wake,
        [FW_POST] = st_signal,
        [FW_PEND] = st_signal,
        [FW_BARRIER_IN] = st_signal,
        [FW_BARRIER_OUT] = st_signal,
        [FW_ATOMIC_LOAD] = st_access,
        [FW_ATOMIC_STORE] = st_atomic_store,
        [FW_ATOMIC_RMW] = st_atomic_store,
        [FW_FENCE] = st_signal,
        [FW_WRITE] = st_access,
        [FW_ALLOC] = st_alloc,
    },
};
