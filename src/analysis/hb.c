/*
 * hb.c - races by happens-before: vector clocks with FastTrack's epochs.
 *
 * Source: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race
 * Detection", PLDI 2009, section 3; the symbols are explained in hb_state.h,
 * the claims are argued in docs/analyses/hb.md.
 *
 * A variable has its latest plain write (a free counts as one) and, beside it,
 * one other access, which becomes a set once two of them are concurrent.  An
 * access is compared with those that it conflicts with, and takes the place of
 * those that it stands for (hb_set.c).  So of each variable with races at
 * least one is found, that of the earliest event that races with an earlier
 * one among them.  Every pair reported is unordered.
 *
 * A thread's second read or write of a variable in one epoch is known by one
 * comparison.
 */
#include "analysis/hb_state.h"

#include <inttypes.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static struct hb_variable *variable_of(struct hb *hb, uint32_t id)
{
    return fw_live_get(&hb->live, id);
}

/* --- races ------------------------------------------------------------------------------- */

static NOINLINE void add_finding(struct hb *hb, const struct hb_access *earlier,
                                 const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mark events[2] = {
        {
            .index = earlier->index,
            .thread = hb_epoch_thread(earlier->epoch) & (FW_MAX_THREADS - 1),
            .kind = hb_epoch_kind(earlier->epoch) & 0xff,
            .target = event->target,
            .site = earlier->site,
            .size = earlier->size,
            .context = earlier->context,
        },
        fw_place_mark(place),
    };

    fw_findings_add(hb->setup.findings, &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
                                                                  .events = events,
                                                                  .event_count = 2,
                                                                  .variable = event->target });
}

void hb_report(struct hb *hb, const struct hb_access *earlier, const struct fw_event *event,
               const struct fw_place *place)
{
    const uint32_t sites[2] = { earlier->site, event->site };

    if (!fw_findings_count_race(hb->setup.findings, sites, fw_place_index(place), event->target))
        add_finding(hb, earlier, event, place);
}

/* The present access, by its event, place and thread, against an earlier one. */
static inline void check(struct hb *hb, const struct hb_access *earlier,
                         const struct hb_thread *thread, const struct fw_event *event,
                         const struct fw_place *place)
{
    if (FW_UNLIKELY(!hb_covers(&thread->clock, earlier->epoch)))
        hb_report(hb, earlier, event, place);
}

static inline void check_set(struct hb *hb, const struct hb_set *set,
                             const struct hb_thread *thread, const struct fw_event *event,
                             const struct fw_place *place)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (fw_kinds_conflict(hb_epoch_kind(set->at[i].epoch), event->kind))
            check(hb, &set->at[i], thread, event, place);
}

/* --- accesses ---------------------------------------------------------------------------- */

static void keep_in_set(struct hb *hb, struct hb_access *other, const struct hb_thread *thread,
                        const struct fw_event *event, const struct fw_place *place)
{
    uint64_t epoch = thread->now | event->kind;
    struct hb_set *set = hb_set_add(hb, other->set, &thread->clock, epoch);

    if (set->count == 1) { /* it stands for all of them */
        hb_set_destroy(hb, set);
        hb_access_set(other, epoch, event, place);
        return;
    }
    hb_access_set(&set->at[set->count - 1], epoch, event, place);
    other->set = set;
}

static bool in_set(const struct hb_set *set, uint64_t epoch)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->at[i].epoch == epoch)
            return true;
    return false;
}

/* [FT read shared same epoch], [FT read shared] */
static NOINLINE void access_shared(struct hb *hb, struct hb_variable *variable,
                                   const struct hb_thread *thread, const struct fw_event *event,
                                   const struct fw_place *place)
{
    if (in_set(variable->other.set, thread->now | event->kind))
        return;
    check(hb, &variable->write, thread, event, place);
    if (event->kind != FW_ATOMIC_LOAD)
        check_set(hb, variable->other.set, thread, event, place);
    keep_in_set(hb, &variable->other, thread, event, place);
}

/* [FT read share] */
static NOINLINE void share(struct hb *hb, struct hb_access *other, const struct hb_thread *thread,
                           const struct fw_event *event, const struct fw_place *place)
{
    struct hb_set *set = hb_set_create(hb, 0);

    if (fw_kinds_conflict(event->kind, hb_epoch_kind(other->epoch)))
        check(hb, other, thread, event, place);
    set->at[set->count++] = *other;
    hb_access_set(&set->at[set->count++], thread->now | event->kind, event, place);
    other->epoch = HB_IS_SET;
    other->set = set;
}

/* [FT write shared] */
static NOINLINE void write_shared(struct hb *hb, struct hb_access *other,
                                  const struct hb_thread *thread, const struct fw_event *event,
                                  const struct fw_place *place)
{
    check_set(hb, other->set, thread, event, place);
    hb_set_destroy(hb, other->set);
    other->epoch = 0;
}

/* [FT read same epoch], [FT read exclusive]; atomic accesses likewise. */
static inline void access_other(struct hb *hb, const struct fw_event *event,
                                const struct fw_place *place)
{
    const struct hb_thread *thread = hb_thread(hb, event->thread);
    struct hb_variable *variable = variable_of(hb, event->target);
    uint64_t epoch = thread->now | event->kind, other = variable->other.epoch;

    fw_live_prefetch(&hb->live, place);
    if (other == epoch)
        return;
    if (other == HB_IS_SET) {
        access_shared(hb, variable, thread, event, place);
        return;
    }
    check(hb, &variable->write, thread, event, place);
    if (FW_LIKELY(hb_kind_stands_for(event->kind, hb_epoch_kind(other)) &&
                  hb_covers(&thread->clock, other)))
        hb_access_set(&variable->other, epoch, event, place);
    else
        share(hb, &variable->other, thread, event, place);
}

/* [FT write same epoch], [FT write exclusive]; conflicts with everything. */
static inline void access_write(struct hb *hb, const struct fw_event *event,
                                const struct fw_place *place)
{
    const struct hb_thread *thread = hb_thread(hb, event->thread);
    struct hb_variable *variable = variable_of(hb, event->target);
    uint64_t epoch = thread->now | event->kind;
    uint64_t stored = variable->write.epoch & HB_STORED;

    fw_live_prefetch(&hb->live, place);
    if (variable->write.epoch == epoch)
        return;
    check(hb, &variable->write, thread, event, place);
    if (variable->other.epoch == HB_IS_SET)
        write_shared(hb, &variable->other, thread, event, place);
    else
        check(hb, &variable->other, thread, event, place);
    hb_access_set(&variable->write, epoch | stored, event, place);
    if (FW_UNLIKELY(stored))
        hb_sync_send(hb, event, place);
}

static void hb_read(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;

    if (FW_UNLIKELY(hb->setup.pairs_all))
        hb_all_access(hb, event, place);
    else
        access_other(hb, event, place);
}

static void hb_write(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;

    if (FW_UNLIKELY(hb->setup.pairs_all)) {
        hb_all_access(hb, event, place);
        hb_sync_send(hb, event, place);
    } else {
        access_write(hb, event, place);
    }
}

static void hb_atomic(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;

    hb_sync_receive(hb, event, place);
    hb_read(hb, event, place);
    if (event->kind == FW_ATOMIC_LOAD)
        return;
    if (!hb->setup.pairs_all)
        variable_of(hb, event->target)->write.epoch |= HB_STORED;
    hb_sync_send(hb, event, place);
}

/* --- allocation -------------------------------------------------------------------------- */

static void forget(struct hb *hb, uint32_t id)
{
    struct hb_variable *variable = fw_live_find(&hb->live, id);

    if (variable && variable->other.epoch == HB_IS_SET)
        hb_set_destroy(hb, variable->other.set);
    fw_live_drop(&hb->live, id);
}

/* An address is used again: its former variable is gone. */
static void hb_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;
    uint32_t former = fw_live_renew(&hb->live, hb->setup.symbols, event->target);

    (void)place;
    if (former == FW_NO_VARIABLE)
        return;
    hb_sync_forget(hb, former);
    forget(hb, former);
}

/* Like a write; use after free shows against it. */
static void hb_free(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct hb *hb = state;

    fw_live_freed(&hb->live, hb->setup.symbols, event->target);
    hb_write(hb, event, place);
}

/* --- life cycle -------------------------------------------------------------------------- */

static void *hb_create(const struct fw_analysis_setup *setup)
{
    struct hb *hb = fw_xcalloc(1, sizeof *hb);

    hb->setup = *setup;
    hb->flow = fw_flow_create();
    return hb;
}

static void hb_finish(void *state, struct fw_outcome *outcome)
{
    const struct hb *hb = state;

    if (fw_findings_count(hb->setup.findings) > 1)
        snprintf(outcome->note, sizeof outcome->note,
                 "the first race is certain; the others are certain only if no earlier one is");
}

static void hb_destroy(void *state)
{
    struct hb *hb = state;

    for (uint32_t i = 0; i < hb->live.lines.len; i++)
        forget(hb, i);
    hb_set_release_spares(hb);
    fw_live_release(&hb->live);
    hb_all_release(hb);
    hb_sync_release(hb);
    free(hb);
}

const struct fw_analysis fw_analysis_hb = {
    .name = "hb",
    .summary = "races: conflicting accesses that happens-before leaves unordered",
    .guarantee = FW_FIRST,
    .observed = true,
    .create = hb_create,
    .finish = hb_finish,
    .destroy = hb_destroy,
    .on = {
        [FW_READ] = hb_read,
        [FW_WRITE] = hb_write,
        [FW_ATOMIC_LOAD] = hb_atomic,
        [FW_ATOMIC_STORE] = hb_atomic,
        [FW_ATOMIC_RMW] = hb_atomic,
        [FW_FREE] = hb_free,
        [FW_ALLOC] = hb_alloc,
        [FW_ACQUIRE] = hb_acquire,
        [FW_TRY_ACQUIRE] = hb_acquire,
        [FW_RELEASE] = hb_release,
        [FW_SHARED_ACQUIRE] = hb_shared_acquire,
        [FW_TRY_SHARED_ACQUIRE] = hb_shared_acquire,
        [FW_SHARED_RELEASE] = hb_shared_release,
        [FW_FORK] = hb_fork,
        [FW_JOIN] = hb_join,
        [FW_NOTIFY] = hb_sync,
        [FW_NOTIFY_ALL] = hb_sync,
        [FW_WAKE] = hb_sync,
        [FW_POST] = hb_sync,
        [FW_PEND] = hb_sync,
        [FW_BARRIER_IN] = hb_sync,
        [FW_BARRIER_OUT] = hb_sync,
        [FW_FENCE] = hb_sync,
    },
};
