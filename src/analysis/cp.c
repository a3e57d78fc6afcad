/*
 * cp.c - the causally-precedes analysis: the descriptor over cp_core.
 *
 * Pairs of clashing accesses that CP does not order (Smaragdakis et al., POPL
 * 2012).  The first one is a race or points to a deadlock.  By default a
 * reported pair counts as ordered from then on, so that later reports do not
 * depend on it; with --cp=relation it does not.
 */
#include "analysis/analysis.h"
#include "analysis/cp_core.h"
#include "base/vec.h"
#include "order/flow.h"

#define UNCOVERED                                                                                  \
    "Not proven: out-of-order releases, nested or failed try-locks, or atomics in no order come "  \
    "before it"

struct cp {
    struct fw_cp *core;
    struct fw_flow *flow;
    struct fw_findings *findings;
    const struct fw_symbols *symbols;
    FW_VEC(struct fw_clock) slots;   /* what the flow keeps for us */
    FW_VEC(struct fw_clock) forked;  /* by thread: from its fork until its first event */
    uint32_t thread;                 /* of the present event */
};

static void report(void *context, const struct fw_cp_pair *pair)
{
    struct cp *cp = context;
    struct fw_mark events[2] = { pair->first->mark, pair->second->mark };
    struct fw_occurrence occurrence = {
        .kind = FW_FINDING_RACE,
        .events = events,
        .event_count = 2,
        .variable = pair->first->mark.target,
        .unproven = pair->covered ? NULL : UNCOVERED,
        .detail = pair->hb ? "Not even happens-before orders the two accesses in this run."
                           : "This run ordered them only by the order in which locks were taken.",
    };

    fw_findings_add(cp->findings, &occurrence);
}

/* --- slots of the flow ------------------------------------------------------------------- */

static struct fw_clock *slot_at(struct cp *cp, uint32_t slot)
{
    fw_vec_extend(&cp->slots, slot + 1);
    return &cp->slots.at[slot];
}

static void slot_receive(void *me, uint32_t slot)
{
    struct cp *cp = me;

    fw_cp_receive(cp->core, cp->thread, slot_at(cp, slot));
}

static void slot_send(void *me, uint32_t slot, bool keep)
{
    struct cp *cp = me;
    struct fw_clock *to = slot_at(cp, slot);

    (keep ? fw_clock_join : fw_clock_copy)(to, fw_cp_clock(cp->core, cp->thread));
}

static void slot_copy(void *me, uint32_t from, uint32_t to, bool keep)
{
    struct cp *cp = me;
    struct fw_clock *target = slot_at(cp, to);

    (keep ? fw_clock_join : fw_clock_copy)(target, slot_at(cp, from));
}

static void slot_clear(void *me, uint32_t slot)
{
    fw_clock_clear(slot_at(me, slot));
}

static const struct fw_flow_ops slot_ops = { slot_receive, slot_send, slot_copy, slot_clear };

static void cp_roots(void *context, fw_cp_visit *visit, void *visitor)
{
    struct cp *cp = context;

    for (size_t i = 0; i < cp->slots.len; i++)
        visit(visitor, &cp->slots.at[i]);
    for (size_t i = 0; i < cp->forked.len; i++)
        visit(visitor, &cp->forked.at[i]);
}

/* --- events ------------------------------------------------------------------------------ */

/* Every event is a step of its thread; the first of a forked thread follows its fork. */
static void step(struct cp *cp, const struct fw_event *event, const struct fw_place *place)
{
    cp->thread = event->thread;
    fw_cp_step(cp->core, event->thread, fw_place_position(place),
               event->kind != FW_READ && event->kind != FW_WRITE && event->kind != FW_FREE);
    if (event->thread < cp->forked.len && cp->forked.at[event->thread].len) {
        fw_cp_receive(cp->core, event->thread, &cp->forked.at[event->thread]);
        fw_clock_release(&cp->forked.at[event->thread]);
    }
}

/* Does the atomic access pass on data without ordering? */
static bool is_relaxed(const struct fw_event *event)
{
    return (fw_is_read(event->kind) && !fw_order_acquires(event->order)) ||
           (fw_is_write(event->kind) && !fw_order_releases(event->order));
}

static void cp_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;
    struct fw_cp_access access = { fw_place_position(place), fw_place_mark(place) };
    bool atomic = fw_is_class(event->kind, FW_CLASS_ATOMIC);

    fw_cp_prefetch(cp->core, place);
    step(cp, event, place);
    if (atomic && is_relaxed(event))
        fw_cp_uncover(cp->core);
    if (atomic)
        fw_flow_receive(cp->flow, place->batch, place->i, &slot_ops, cp);
    fw_cp_access(cp->core, &access);
    if (event->kind == FW_WRITE || atomic)
        fw_flow_send(cp->flow, place->batch, place->i, &slot_ops, cp);
}

static void cp_free(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    fw_cp_free(cp->core, cp->symbols, event->target);
    cp_access(state, event, place);
}

static void cp_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;
    uint32_t former = fw_cp_alloc(cp->core, cp->symbols, event->target);

    (void)place;
    if (former != FW_NO_VARIABLE)
        fw_flow_forget(cp->flow, former, &slot_ops, cp);
}

static void cp_acquire(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    bool tries = event->kind == FW_TRY_ACQUIRE || event->kind == FW_TRY_SHARED_ACQUIRE;

    step(cp, event, place);
    if (fw_is_class(event->kind, FW_CLASS_SHARED))
        fw_cp_shared_acquire(cp->core, event->thread, event->target, tries);
    else
        fw_cp_acquire(cp->core, event->thread, event->target, tries);
}

/* It needs its lock held by another thread; CP has no edge for that. */
static void cp_try_fail(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    step(cp, event, place);
    fw_cp_uncover(cp->core);
}

static void cp_release(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    step(cp, event, place);
    if (fw_is_class(event->kind, FW_CLASS_SHARED))
        fw_cp_shared_release(cp->core, event->thread, event->target);
    else
        fw_cp_release(cp->core, event->thread, event->target);
    fw_flow_send(cp->flow, place->batch, place->i, &slot_ops, cp);
}

static void cp_fork(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    step(cp, event, place);
    fw_vec_extend(&cp->forked, event->target + 1);
    fw_clock_copy(&cp->forked.at[event->target], fw_cp_clock(cp->core, event->thread));
}

/* A thread that was forked and never ran still follows its fork. */
static void cp_join(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    step(cp, event, place);
    if (event->target < cp->forked.len)
        fw_cp_receive(cp->core, event->thread, &cp->forked.at[event->target]);
    fw_cp_receive(cp->core, event->thread, fw_cp_clock(cp->core, event->target));
    fw_flow_send(cp->flow, place->batch, place->i, &slot_ops, cp);
}

/* All other synchronisation: hard edges. */
static void cp_sync(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct cp *cp = state;

    step(cp, event, place);
    fw_flow_receive(cp->flow, place->batch, place->i, &slot_ops, cp);
    fw_flow_send(cp->flow, place->batch, place->i, &slot_ops, cp);
}

/* --- life cycle -------------------------------------------------------------------------- */

static void *cp_create(const struct fw_analysis_setup *setup)
{
    struct cp *cp = fw_xcalloc(1, sizeof *cp);

    cp->core = fw_cp_create(setup->pairs_all || setup->cp_relation, report, cp);
    cp->flow = fw_flow_create();
    cp->findings = setup->findings;
    cp->symbols = setup->symbols;
    fw_cp_set_roots(cp->core, cp_roots, cp);
    return cp;
}

static void cp_finish(void *state, struct fw_outcome *outcome)
{
    struct cp *cp = state;

    (void)outcome;
    fw_cp_finish(cp->core);
}

static void cp_destroy(void *state)
{
    struct cp *cp = state;

    for (size_t i = 0; i < cp->slots.len; i++)
        fw_clock_release(&cp->slots.at[i]);
    for (size_t i = 0; i < cp->forked.len; i++)
        fw_clock_release(&cp->forked.at[i]);
    fw_vec_release(&cp->slots);
    fw_vec_release(&cp->forked);
    fw_flow_destroy(cp->flow);
    fw_cp_destroy(cp->core);
    free(cp);
}

const struct fw_analysis fw_analysis_cp = {
    .name = "cp",
    .summary = "races that lock order hides (causally-precedes)",
    .guarantee = FW_FIRST,
    .first_claim = "Certain: the first finding of cp is a race, or else there is a deadlock",
    .create = cp_create,
    .finish = cp_finish,
    .destroy = cp_destroy,
    .on = {
        [FW_READ] = cp_access,
        [FW_WRITE] = cp_access,
        [FW_ATOMIC_LOAD] = cp_access,
        [FW_ATOMIC_STORE] = cp_access,
        [FW_ATOMIC_RMW] = cp_access,
        [FW_FREE] = cp_free,
        [FW_ALLOC] = cp_alloc,
        [FW_ACQUIRE] = cp_acquire,
        [FW_TRY_ACQUIRE] = cp_acquire,
        [FW_SHARED_ACQUIRE] = cp_acquire,
        [FW_TRY_SHARED_ACQUIRE] = cp_acquire,
        [FW_RELEASE] = cp_release,
        [FW_SHARED_RELEASE] = cp_release,
        [FW_TRY_FAIL] = cp_try_fail,
        [FW_FORK] = cp_fork,
        [FW_JOIN] = cp_join,
        [FW_FENCE] = cp_sync,
        [FW_NOTIFY] = cp_sync,
        [FW_NOTIFY_ALL] = cp_sync,
        [FW_WAKE] = cp_sync,
        [FW_POST] = cp_sync,
        [FW_PEND] = cp_sync,
        [FW_BARRIER_IN] = cp_sync,
        [FW_BARRIER_OUT] = cp_sync,
    },
};
