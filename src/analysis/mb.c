/*
 * mb.c - must-before races with happens-before embedded: Embracer.
 *
 * Source: Caitlin Sadowski, "Dynamic Prediction of Concurrency Errors",
 * dissertation, UC Santa Cruz, 2012, part V.  What is computed is definition 8
 * and the race condition of chapter 14, exactly; the algorithm of figure 15.1
 * computes something else (docs/analyses/mb.md shows traces).  How it works is
 * told in mb_state.h; names of the source: C is the threads' `mb`, W and R are
 * the variables' `write` and `read`, H the locks' rows, A the sections' begin,
 * E the edges that rule (3) adds, B the suspects, N the conditions.
 *
 * Reported: pairs of clashing accesses that must-before does not order, judged
 * where no lock is held, and pairs that happens-before does not order.  The
 * former may be false alarms.
 */
#include "analysis/mb_state.h"

#include <inttypes.h>
#include <stdio.h>

struct fw_mb_tuning fw_mb_tuning = { .sweep_least = 65536, .settle_least = 32 };

/* --- slots: snapshots that synchronisation passes on -------------------------------------- */

/* The present with its own component exact, borrowed. */
static struct mb_snap *exact_present(struct fw_mb *mb)
{
    struct mb_thread *self = &mb->threads.at[mb->current];

    if (self->seen && fw_clock_get(&self->seen->at.clock, mb->current) == self->time)
        return self->seen;
    mb_snap_put(mb, self->seen);
    return self->seen = mb_snap_create(mb, &self->mb);
}

static void put_into(struct fw_mb *mb, struct mb_slot *slot, struct mb_snap *snap,
                     const struct fw_clock *hb, bool keep)
{
    struct fw_clock both = { 0 };

    if (!keep || !slot->mb) {
        mb_snap_get(snap);
        mb_snap_put(mb, slot->mb);
        slot->mb = snap;
        fw_clock_copy(&slot->hb, hb);
        return;
    }
    mb_clock_join(&slot->hb, hb);
    mb_adjust(mb, &slot->mb->at);
    mb_adjust(mb, &snap->at);
    if (mb_clock_below(&snap->at.clock, &slot->mb->at.clock))
        return;
    fw_clock_copy(&both, &slot->mb->at.clock);
    mb_clock_join(&both, &snap->at.clock);
    mb_snap_put(mb, slot->mb);
    slot->mb = mb_snap_create(mb, &both);
    fw_clock_release(&both);
}

static void take_from(struct fw_mb *mb, const struct mb_slot *slot)
{
    struct mb_thread *self = &mb->threads.at[mb->current];

    if (!slot->mb)
        return;
    mb_clock_join(&self->hb, &slot->hb);
    mb_adjust(mb, &slot->mb->at);
    mb_receive(mb, mb->current, &slot->mb->at.clock);
}

static void slot_release(struct fw_mb *mb, struct mb_slot *slot)
{
    mb_snap_put(mb, slot->mb);
    slot->mb = NULL;
    fw_clock_release(&slot->hb);
}

static void flow_receive(void *me, uint32_t slot)
{
    struct fw_mb *mb = me;

    fw_vec_extend(&mb->slots, slot + 1);
    take_from(mb, &mb->slots.at[slot]);
}

static void flow_send(void *me, uint32_t slot, bool keep)
{
    struct fw_mb *mb = me;
    struct mb_thread *self = &mb->threads.at[mb->current];

    fw_vec_extend(&mb->slots, slot + 1);
    mb_clock_raise(&self->hb, mb->current, self->time);
    put_into(mb, &mb->slots.at[slot], exact_present(mb), &self->hb, keep);
}

static void flow_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct fw_mb *mb = me;

    fw_vec_extend(&mb->slots, (from > to ? from : to) + 1);
    if (mb->slots.at[from].mb)
        put_into(mb, &mb->slots.at[to], mb->slots.at[from].mb, &mb->slots.at[from].hb, keep);
    else if (!keep)
        slot_release(mb, &mb->slots.at[to]);
}

static void flow_clear(void *me, uint32_t slot)
{
    struct fw_mb *mb = me;

    fw_vec_extend(&mb->slots, slot + 1);
    slot_release(mb, &mb->slots.at[slot]);
}

static const struct fw_flow_ops flow_ops = {
    .receive = flow_receive,
    .send = flow_send,
    .copy = flow_copy,
    .clear = flow_clear,
};

/* --- handlers ---------------------------------------------------------------------------- */

/* [MB READ], [MB WRITE], [MB VOLATILE READ], [MB VOLATILE WRITE] */
static void on_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;
    bool flows = fw_flow_listens(event->kind);

    fw_live_prefetch(&mb->variables, place);
    mb_step(mb, event->thread);
    if (flows)
        fw_flow_receive(mb->flow, place->batch, place->i, &flow_ops, mb);
    mb_access(mb, event, place);
    if (flows)
        fw_flow_send(mb->flow, place->batch, place->i, &flow_ops, mb);
}

/* An address is used again: its former variable is gone. */
static void on_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;
    uint32_t former = fw_live_renew(&mb->variables, mb->symbols, event->target);

    (void)place;
    if (former == FW_NO_VARIABLE)
        return;
    fw_flow_forget(mb->flow, former, &flow_ops, mb);
    mb_variable_drop(mb, former);
}

static void on_free(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;

    fw_live_freed(&mb->variables, mb->symbols, event->target);
    on_access(state, event, place);
}

/* Fences, wakes, semaphores, barriers. */
static void on_flow(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;

    mb_step(mb, event->thread);
    fw_flow_receive(mb->flow, place->batch, place->i, &flow_ops, mb);
    fw_flow_send(mb->flow, place->batch, place->i, &flow_ops, mb);
}

/* [MB NOTIFY]: notifies of one condition are totally ordered. */
static void on_notify(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;
    struct fw_clock none = { 0 };

    mb_step(mb, event->thread);
    fw_vec_extend(&mb->conditions, event->target + 1);
    take_from(mb, &mb->conditions.at[event->target]);
    fw_flow_receive(mb->flow, place->batch, place->i, &flow_ops, mb);
    put_into(mb, &mb->conditions.at[event->target], exact_present(mb), &none, false);
    fw_flow_send(mb->flow, place->batch, place->i, &flow_ops, mb);
}

/* [MB ACQUIRE], and [MB POST WAIT] together with the wake before it */
static void on_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    (void)place;
    mb_step(state, event->thread);
    mb_acquire(state, event->thread, event->target, fw_is_class(event->kind, FW_CLASS_SHARED));
}

/* [MB RELEASE], [MB PRE WAIT] */
static void on_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;

    mb_step(mb, event->thread);
    mb_release(mb, event->thread, event->target, fw_is_class(event->kind, FW_CLASS_SHARED));
    if (fw_flow_listens(event->kind))
        fw_flow_send(mb->flow, place->batch, place->i, &flow_ops, mb);
}

/* [MB FORK] */
static void on_fork(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;
    struct mb_thread *self, *child;

    (void)place;
    mb_thread_at(mb, event->target);
    self = mb_step(mb, event->thread);
    child = &mb->threads.at[event->target];
    mb_clock_raise(&self->hb, event->thread, self->time);
    mb_clock_join(&child->hb, &self->hb);
    mb_receive(mb, event->target, &self->mb);
}

/* [MB JOIN] */
static void on_join(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mb *mb = state;
    struct mb_thread *self, *child;

    mb_thread_at(mb, event->target);
    self = mb_step(mb, event->thread);
    child = &mb->threads.at[event->target];
    mb_clock_raise(&child->hb, event->target, child->time);
    mb_clock_join(&self->hb, &child->hb);
    mb_receive(mb, event->thread, &child->mb);
    fw_flow_send(mb->flow, place->batch, place->i, &flow_ops, mb);
}

/* --- life cycle -------------------------------------------------------------------------- */

static void *mb_create(const struct fw_analysis_setup *setup)
{
    struct fw_mb *mb = fw_xcalloc(1, sizeof *mb);

    mb->symbols = setup->symbols;
    mb->findings = setup->findings;
    mb->pairs_all = setup->pairs_all;
    mb->flow = fw_flow_create();
    mb->sweep_at = mb->sweep_least = fw_mb_tuning.sweep_least;
    mb->settle_at = mb->settle_least = fw_mb_tuning.settle_least;
    mb->closer_at = mb->settle_least > 1 ? 64 : 0;
    mb->exact = fw_mb_tuning.exact;
    return mb;
}

static void mb_finish(void *state, struct fw_outcome *outcome)
{
    const struct fw_mb *mb = state;
    uint64_t left = mb_unjudged(state);

    if (mb->missed) {
        outcome->complete = false;
        snprintf(outcome->why, sizeof outcome->why,
                 "critical sections long ago were forgotten and asked for %" PRIu64 " time%s",
                 mb->missed, mb->missed == 1 ? "" : "s");
    }
    if (left)
        snprintf(outcome->note, sizeof outcome->note,
                 "%" PRIu64 " pair%s after the last moment at which no lock was held: not judged",
                 left, left == 1 ? "" : "s");
}

static void release_threads(struct fw_mb *mb)
{
    for (size_t i = 0; i < mb->threads.len; i++) {
        struct mb_thread *thread = &mb->threads.at[i];

        mb_snap_put(mb, thread->seen);
        for (size_t j = 0; j < thread->held.len; j++)
            mb_section_put(mb, thread->held.at[j].section);
        fw_vec_release(&thread->held);
        fw_clock_release(&thread->mb);
        fw_clock_release(&thread->hb);
    }
    fw_vec_release(&mb->threads);
}

/* What all others have let go of. */
static void release_free(struct fw_mb *mb)
{
    for (size_t i = 0; i < mb->free_snaps.len; i++) {
        fw_clock_release(&mb->free_snaps.at[i]->at.clock);
        fw_vec_release(&mb->free_snaps.at[i]->at.pending);
        free(mb->free_snaps.at[i]);
    }
    fw_vec_release(&mb->free_snaps);
    for (size_t i = 0; i < mb->free_sections.len; i++) {
        fw_clock_release(&mb->free_sections.at[i]->begin.clock);
        fw_vec_release(&mb->free_sections.at[i]->begin.pending);
        fw_clock_release(&mb->free_sections.at[i]->end);
        fw_clock_release(&mb->free_sections.at[i]->want);
        fw_clock_release(&mb->free_sections.at[i]->next);
        fw_clock_release(&mb->free_sections.at[i]->bound);
        free(mb->free_sections.at[i]);
    }
    fw_vec_release(&mb->free_sections);
}

static void release_slots(struct fw_mb *mb)
{
    for (size_t i = 0; i < mb->slots.len; i++)
        slot_release(mb, &mb->slots.at[i]);
    for (size_t i = 0; i < mb->conditions.len; i++)
        slot_release(mb, &mb->conditions.at[i]);
    fw_vec_release(&mb->slots);
    fw_vec_release(&mb->conditions);
}

static void mb_destroy(void *state)
{
    struct fw_mb *mb = state;

    mb_variables_release(mb);
    for (size_t i = 0; i < mb->locks.len; i++)
        mb_lock_release_state(mb, &mb->locks.at[i]);
    fw_vec_release(&mb->locks);
    for (size_t i = 0; i < mb->suspects.len; i++)
        mb_snap_put(mb, mb->suspects.at[i].before);
    fw_vec_release(&mb->suspects);
    release_slots(mb);
    release_threads(mb);
    for (size_t i = 0; i < mb->live.len; i++)
        mb_section_put(mb, mb->live.at[i].section);
    fw_vec_release(&mb->live);
    fw_vec_release(&mb->retired);
    fw_vec_release(&mb->dirty_threads);
    fw_vec_release(&mb->dirty_sections);
    fw_clock_release(&mb->earliest);
    fw_clock_release(&mb->limits);
    fw_clock_release(&mb->before);
    fw_vec_release(&mb->doubtful);
    release_free(mb);
    fw_flow_destroy(mb->flow);
    free(mb);
}

const struct fw_analysis fw_analysis_mb = {
    .name = "mb",
    .summary = "races that must-before or happens-before does not rule out",
    .guarantee = FW_HEURISTIC,
    .create = mb_create,
    .finish = mb_finish,
    .destroy = mb_destroy,
    .on = {
        [FW_READ] = on_access,
        [FW_WRITE] = on_access,
        [FW_ALLOC] = on_alloc,
        [FW_FREE] = on_free,
        [FW_ATOMIC_LOAD] = on_access,
        [FW_ATOMIC_STORE] = on_access,
        [FW_ATOMIC_RMW] = on_access,
        [FW_FENCE] = on_flow,
        [FW_ACQUIRE] = on_acquire,
        [FW_TRY_ACQUIRE] = on_acquire,
        [FW_SHARED_ACQUIRE] = on_acquire,
        [FW_TRY_SHARED_ACQUIRE] = on_acquire,
        [FW_RELEASE] = on_release,
        [FW_SHARED_RELEASE] = on_release,
        [FW_NOTIFY] = on_notify,
        [FW_NOTIFY_ALL] = on_notify,
        [FW_WAKE] = on_flow,
        [FW_POST] = on_flow,
        [FW_PEND] = on_flow,
        [FW_BARRIER_IN] = on_flow,
        [FW_BARRIER_OUT] = on_flow,
        [FW_FORK] = on_fork,
        [FW_JOIN] = on_join,
    },
};
