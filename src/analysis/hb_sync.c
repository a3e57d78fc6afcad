/*
 * hb_sync.c - the clocks of the happens-before analysis: locks, fork and join,
 * and through flow.h everything else that synchronises.
 *
 * Rules are named as in FastTrack, section 3 and its appendix on other
 * synchronisation.  Beyond it: shared locks.  A lock has the clock of its
 * latest exclusive release and the join of the shared releases since: an
 * exclusive acquire takes both, a shared one the first.
 *
 * A thread hands each of its times to others at most once (it then ticks), so
 * who has seen the time of a lock's release has seen the whole clock that was
 * released: such an acquire costs one comparison.
 */
#include "analysis/hb_state.h"

/* Makes all threads up to this one. */
struct hb_thread *hb_new_thread(struct hb *hb, uint32_t thread)
{
    for (uint32_t id = (uint32_t)hb->threads.len; id <= thread; id++) {
        struct hb_thread made = { .now = HB_TICK | (uint64_t)id << HB_THREAD_SHIFT };

        fw_clock_set(&made.clock, id, 1);
        fw_vec_push(&hb->threads, made);
    }
    return &hb->threads.at[thread];
}

/* inc_t: the present time is handed out. */
static void tick(struct hb_thread *thread)
{
    uint32_t id = hb_epoch_thread(thread->now);

    if (++thread->clock.at[id] == 0)
        FW_BUG("a thread synchronised 2^32 times");
    thread->now += HB_TICK;
}

static struct hb_lock *lock_of(struct hb *hb, const struct fw_event *event)
{
    if (FW_UNLIKELY(event->target >= hb->locks.len))
        fw_vec_extend(&hb->locks, event->target + 1u);
    return &hb->locks.at[event->target];
}

/* --- locks ------------------------------------------------------------------------------- */

static void take_released(struct hb_thread *thread, const struct hb_lock *lock)
{
    if (!hb_covers(&thread->clock, lock->releaser))
        fw_clock_join(&thread->clock, &lock->released);
}

/* [FT acquire] */
void hb_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    struct hb_thread *thread = hb_thread(hb, event->thread);
    const struct hb_lock *lock = lock_of(hb, event);

    (void)place;
    take_released(thread, lock);
    if (lock->readers.len)
        fw_clock_join(&thread->clock, &lock->readers);
}

/* [FT release]; the holder has seen all earlier readers, so they are in its clock. */
void hb_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    struct hb_thread *thread = hb_thread(hb, event->thread);
    struct hb_lock *lock = lock_of(hb, event);

    hb_sync_send(hb, event, place);
    fw_clock_copy(&lock->released, &thread->clock);
    fw_clock_clear(&lock->readers);
    lock->releaser = thread->now;
    tick(thread);
}

/* A reader comes after the writers, not after other readers. */
void hb_shared_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;

    (void)place;
    take_released(hb_thread(hb, event->thread), lock_of(hb, event));
}

void hb_shared_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    struct hb_thread *thread = hb_thread(hb, event->thread);

    hb_sync_send(hb, event, place);
    fw_clock_join(&lock_of(hb, event)->readers, &thread->clock);
    tick(thread);
}

/* --- threads ----------------------------------------------------------------------------- */

/* [FT fork] */
void hb_fork(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    struct hb_thread *child, *parent;

    (void)place;
    hb_thread(hb, event->target);
    parent = hb_thread(hb, event->thread);
    child = &hb->threads.at[event->target];
    fw_clock_join(&child->clock, &parent->clock);
    tick(parent);
}

/* [FT join]; the child does nothing more, so its time may stand still. */
void hb_join(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    struct hb_thread *child, *parent;

    hb_thread(hb, event->target);
    parent = hb_thread(hb, event->thread);
    child = &hb->threads.at[event->target];
    fw_clock_join(&parent->clock, &child->clock);
    hb_sync_send(hb, event, place);
}

/* --- all other synchronisation, through the flow's slots --------------------------------- */

static struct fw_clock *slot_at(struct hb *hb, uint32_t slot)
{
    fw_vec_extend(&hb->slots, slot + 1u);
    return &hb->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct hb *hb = me;

    fw_clock_join(&hb->threads.at[hb->thread].clock, slot_at(hb, slot));
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct hb *hb = me;
    struct hb_thread *thread = &hb->threads.at[hb->thread];

    if (keep)
        fw_clock_join(slot_at(hb, slot), &thread->clock);
    else
        fw_clock_copy(slot_at(hb, slot), &thread->clock);
    tick(thread);
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct hb *hb = me;
    struct fw_clock *target;

    slot_at(hb, from);
    target = slot_at(hb, to);
    if (keep)
        fw_clock_join(target, &hb->slots.at[from]);
    else
        fw_clock_copy(target, &hb->slots.at[from]);
}

static void slot_clear(void *me, uint32_t slot)
{
    fw_clock_clear(slot_at(me, slot));
}

static const struct fw_flow_ops flow_ops = { slot_receive, slot_send, slot_copy, slot_clear };

void hb_sync_receive(struct hb *hb, const struct fw_event *event, const struct fw_place *place)
{
    hb_thread(hb, event->thread);
    hb->thread = event->thread;
    fw_flow_receive(hb->flow, place->batch, place->i, &flow_ops, hb);
}

void hb_sync_send(struct hb *hb, const struct fw_event *event, const struct fw_place *place)
{
    hb_thread(hb, event->thread);
    hb->thread = event->thread;
    fw_flow_send(hb->flow, place->batch, place->i, &flow_ops, hb);
}

void hb_sync_forget(struct hb *hb, uint32_t variable)
{
    fw_flow_forget(hb->flow, variable, &flow_ops, hb);
}

/* Notify, wake, post, pend, barriers, fences. */
void hb_sync(void *state, const struct fw_event *event, const struct fw_place *place)
{
    hb_sync_receive(state, event, place);
    hb_sync_send(state, event, place);
}

void hb_sync_release(struct hb *hb)
{
    for (size_t i = 0; i < hb->threads.len; i++)
        fw_clock_release(&hb->threads.at[i].clock);
    for (size_t i = 0; i < hb->locks.len; i++) {
        fw_clock_release(&hb->locks.at[i].released);
        fw_clock_release(&hb->locks.at[i].readers);
    }
    for (size_t i = 0; i < hb->slots.len; i++)
        fw_clock_release(&hb->slots.at[i]);
    fw_vec_release(&hb->threads);
    fw_vec_release(&hb->locks);
    fw_vec_release(&hb->slots);
    fw_flow_destroy(hb->flow);
}
