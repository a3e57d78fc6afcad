/*
 * question.c - a claim as demands: which events, how far at most, in which order.
 *
 * Race and deadlock: the threads stop just before the events (a cap), and in
 * the strict model they are clean there.  Order: the events are there.
 * Nondeterminism: the read's thread stops before it, every thread is clean
 * to its end, and of all writes to the variable the one asked for comes last.
 * Final values: the same with all events.  Idioms: the events are there, and
 * nothing parts those that depend on each other (ties.c).
 */
#include "predict/window.h"

#include "base/bug.h"
#include "predict/values.h"

static bool exceeds(const struct fw_solver *s, const struct fw_cut *cut)
{
    for (size_t i = 0; i < cut->touched.len; i++)
        if (cut->len[cut->touched.at[i]] > s->cap[cut->touched.at[i]])
            return true;
    return false;
}

/* Every read keeps its write, and one write comes last? */
static bool asks_last(const struct fw_solver *s)
{
    return s->claim == FW_CLAIM_NONDETERMINISM || s->claim == FW_CLAIM_FINAL;
}

bool fw_question_close(const struct fw_solver *s, struct fw_cut *cut)
{
    if (asks_last(s))
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = 0; i < cut->touched.len; i++) {
                uint32_t t = cut->touched.at[i];

                if (cut->clean[t] > cut->len[t])
                    continue;
                fw_cut_need_clean(cut, t, cut->len[t] + 1);
                changed = true;
            }
        }
    return !exceeds(s, cut);
}

bool fw_question_grow(struct fw_solver *s, uint32_t event)
{
    fw_cut_need(s->core, &s->cut, fw_thread_of(s->core, event), fw_place_of(s->core, event) + 1);
    return fw_question_close(s, &s->cut);
}

bool fw_question_grow_clean(struct fw_solver *s, uint32_t write)
{
    const struct fw_core *core = s->core;
    uint32_t thread = fw_thread_of(core, write), place = fw_place_of(core, write);

    fw_cut_need(core, &s->cut, thread, place + 1);
    fw_cut_need_clean(&s->cut, thread,
                      place + 1 + (core->trace->events[write].kind == FW_ATOMIC_RMW));
    return fw_question_close(s, &s->cut);
}

/* ---- the beginning ---- */

static void set_cap(struct fw_solver *s, uint32_t thread, uint32_t cap)
{
    if (cap >= s->cap[thread])
        return;
    s->cap[thread] = cap;
    fw_vec_push(&s->capped, thread);
}

/* The event is next in its thread. */
static void stop_before(struct fw_solver *s, uint32_t e, bool clean)
{
    uint32_t thread = fw_thread_of(s->core, e), place = fw_place_of(s->core, e);

    set_cap(s, thread, place);
    fw_cut_need_start(s->core, &s->cut, thread);
    if (place)
        fw_cut_need(s->core, &s->cut, thread, place);
    if (clean)
        fw_cut_need_clean(&s->cut, thread, place + 1);
}

static bool begin_read(struct fw_solver *s)
{
    uint32_t read = s->events[0];

    if (fw_core_synchronised(s->core, read))
        return false;
    if (s->event_count > 1 && fw_core_flexible(s->core, read) &&
        fw_values_same(s->core->index, read, s->events[1]))
        return false; /* it would be unchanged */
    stop_before(s, read, true);
    if (s->event_count > 1)
        fw_cut_need(s->core, &s->cut, fw_thread_of(s->core, s->events[1]),
                    fw_place_of(s->core, s->events[1]) + 1);
    return true;
}

/* Consecutive events of an order that the must-order turns round. */
static bool order_contradicts(const struct fw_solver *s)
{
    for (uint32_t i = 0; i + 1 < s->event_count; i++)
        if (s->events[i] == s->events[i + 1] ||
            fw_core_must_precede(s->core, s->events[i + 1], s->events[i]))
            return true;
    return false;
}

/* What is done with the last write of each thread in the cut; false: no more. */
typedef bool write_visitor(struct fw_solver *s, uint32_t write, uint32_t sees);

/* All but the write that the read is to see (FW_NO_EVENT: none). */
static bool each_last_write(struct fw_solver *s, const struct fw_cut *cut, write_visitor *visit)
{
    const struct fw_core *core = s->core;
    uint32_t variable = core->trace->events[s->events[0]].target;
    uint32_t sees = s->claim == FW_CLAIM_FINAL ? s->events[0]
                    : s->event_count > 1       ? s->events[1]
                                               : FW_NO_EVENT;

    for (uint32_t g = core->writes.start[variable]; g < core->writes.start[variable + 1]; g++) {
        const struct fw_group *group = &core->writes.groups[g];
        uint32_t last = fw_group_last(&core->writes, core->index, group, cut->len[group->thread]);

        if (last != FW_NO_EVENT && last != sees && !visit(s, last, sees))
            return false;
    }
    return true;
}

/* It need not come after the one that the read is to see. */
static bool may_be_hidden(struct fw_solver *s, uint32_t write, uint32_t sees)
{
    return sees != FW_NO_EVENT && !fw_core_must_precede(s->core, sees, write);
}

static void need_events(struct fw_solver *s)
{
    for (uint32_t i = 0; i < s->event_count; i++)
        fw_cut_need(s->core, &s->cut, fw_thread_of(s->core, s->events[i]),
                    fw_place_of(s->core, s->events[i]) + 1);
}

bool fw_question_begin(struct fw_solver *s)
{
    switch (s->claim) {
    case FW_CLAIM_RACE:
    case FW_CLAIM_DEADLOCK:
        for (uint32_t i = 0; i < s->event_count; i++)
            stop_before(s, s->events[i], s->core->strict);
        break;
    case FW_CLAIM_ORDER:
    case FW_CLAIM_ATOMICITY:
        if (order_contradicts(s))
            return false;
        need_events(s);
        break;
    case FW_CLAIM_IROOT:
        if (fw_ties_contradict(s))
            return false;
        need_events(s);
        break;
    case FW_CLAIM_NONDETERMINISM:
        if (!begin_read(s))
            return false;
        break;
    case FW_CLAIM_FINAL:
        for (uint32_t t = 0; t < s->core->threads; t++)
            if (fw_thread_length(s->core, t))
                fw_cut_need_clean(&s->cut, t, fw_thread_length(s->core, t) + 1);
        break;
    default:
        FW_BUG("no such claim: %d", (int)s->claim);
    }
    return fw_question_close(s, &s->cut) &&
           (!asks_last(s) || each_last_write(s, &s->cut, may_be_hidden));
}

/* ---- what this cut demands ---- */

static void force(struct fw_solver *s, uint32_t from, uint32_t to)
{
    fw_vec_push(&s->forced, ((struct fw_arrow) { from, to }));
}

/* It comes before the write that the read is to see. */
static bool force_write(struct fw_solver *s, uint32_t write, uint32_t sees)
{
    if (sees == FW_NO_EVENT || fw_thread_of(s->core, write) == fw_thread_of(s->core, sees))
        return false;
    force(s, write, sees);
    return true;
}

static bool can_have(const struct fw_solver *s, uint32_t event)
{
    return event != FW_NO_EVENT &&
           fw_place_of(s->core, event) < s->cap[fw_thread_of(s->core, event)];
}

/*
 * A section that can never be closed comes after all others of its lock.
 * FW_STEP_DONE, GROWN, IMPOSSIBLE.
 */
static enum fw_step force_open(struct fw_solver *s, uint32_t acquire)
{
    const struct fw_core *core = s->core;
    const struct fw_event *event = &core->trace->events[acquire];
    enum fw_step step = FW_STEP_DONE;

    for (uint32_t g = core->acquires.start[event->target];
         g < core->acquires.start[event->target + 1]; g++) {
        const struct fw_group *group = &core->acquires.groups[g];
        uint32_t other, release;

        if (group->thread == event->thread || !s->cut.len[group->thread])
            continue;
        other = fw_last_conflict(core, group, s->cut.len[group->thread], acquire);
        if (other == FW_NO_EVENT)
            continue;
        release = core->index->partner[other];
        if (!can_have(s, release))
            return FW_STEP_IMPOSSIBLE;
        if (!fw_cut_has(core, &s->cut, release)) {
            if (!fw_question_grow(s, release))
                return FW_STEP_IMPOSSIBLE;
            step = FW_STEP_GROWN;
        }
        force(s, release, acquire);
    }
    return step;
}

static enum fw_step force_sections(struct fw_solver *s)
{
    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t thread = s->cut.touched.at[i];

        fw_held(s, thread, s->cut.len[thread]);
        for (size_t k = 0; k < s->held.len; k++) {
            uint32_t acquire = s->held.at[k];
            enum fw_step step;

            if (can_have(s, s->core->index->partner[acquire]))
                continue;
            step = force_open(s, acquire);
            if (step != FW_STEP_DONE)
                return step;
        }
    }
    return FW_STEP_DONE;
}

/* Of the threads of a tie.  What other threads do is for the closure, and for choices. */
static void force_tie(struct fw_solver *s, const struct fw_tie *tie)
{
    uint32_t before = fw_own_before(s->core, tie->b), behind = fw_own_behind(s->core, tie->a);

    force(s, tie->a, tie->b);
    if (before != FW_NO_EVENT)
        force(s, before, tie->a);
    if (behind != FW_NO_EVENT && fw_cut_has(s->core, &s->cut, behind))
        force(s, tie->b, behind);
}

/* Does the must-order turn a forced order round?  A cycle, found without a window. */
static bool force_contradicts(const struct fw_solver *s)
{
    for (size_t i = 0; i < s->forced.len; i++)
        if (fw_core_must_precede(s->core, s->forced.at[i].to, s->forced.at[i].from))
            return true;
    return false;
}

bool fw_question_force(struct fw_solver *s)
{
    enum fw_step step;

    do {
        fw_vec_clear(&s->forced);
        step = force_sections(s);
    } while (step == FW_STEP_GROWN);
    if (step == FW_STEP_IMPOSSIBLE)
        return false;
    if (s->claim == FW_CLAIM_ORDER || s->claim == FW_CLAIM_ATOMICITY)
        for (uint32_t i = 0; i + 1 < s->event_count; i++)
            force(s, s->events[i], s->events[i + 1]);
    for (uint32_t i = 0; i < s->tie_count; i++)
        force_tie(s, &s->ties[i]);
    return (!asks_last(s) || each_last_write(s, &s->cut, force_write)) && !force_contradicts(s);
}

/* ---- the order of the trace ---- */

/* Closes a section of the cut that stands before another: as close_sections. */
static int close_section(struct fw_solver *s, struct fw_cut *cut, uint32_t acquire)
{
    const struct fw_core *core = s->core;
    uint32_t release = core->index->partner[acquire];

    if (!fw_stands_before(core, cut, acquire))
        return 0;
    if (!can_have(s, release))
        return -1;
    fw_cut_need(core, cut, fw_thread_of(core, release), fw_place_of(core, release) + 1);
    return fw_question_close(s, cut) ? 1 : -1;
}

/* Closes sections that stand before others: 1 if any was closed, 0 if none, -1 impossible. */
static int close_sections(struct fw_solver *s, struct fw_cut *cut)
{
    int any = 0;

    for (size_t i = 0; i < cut->touched.len; i++) {
        uint32_t thread = cut->touched.at[i];

        fw_held(s, thread, cut->len[thread]);
        for (size_t k = 0; k < s->held.len; k++) {
            int closed = close_section(s, cut, s->held.at[k]);

            if (closed < 0)
                return -1;
            any |= closed;
        }
    }
    return any;
}

/* Closes what can be closed of a thread; true if anything was. */
static bool tidy_thread(struct fw_solver *s, uint32_t thread)
{
    bool any = false;

    fw_held(s, thread, s->cut.len[thread]);
    for (size_t i = 0; i < s->held.len; i++) {
        int closed;

        fw_cut_copy(&s->scratch, &s->cut);
        closed = close_section(s, &s->cut, s->held.at[i]);
        if (closed < 0)
            fw_cut_copy(&s->cut, &s->scratch);
        any |= closed > 0;
    }
    return any;
}

void fw_question_tidy(struct fw_solver *s)
{
    bool any = true;

    for (uint32_t round = 0; any && round < 16; round++) {
        any = false;
        for (size_t i = 0; i < s->cut.touched.len; i++)
            any |= tidy_thread(s, s->cut.touched.at[i]);
    }
}

/* Gives tries that failed the holder they had: as close_sections. */
static int hold_for_tries(struct fw_solver *s, struct fw_cut *cut)
{
    const struct fw_core *core = s->core;
    int grown = 0;

    if (core->tries.start[core->threads] == 0)
        return 0;
    for (size_t i = 0; i < cut->touched.len; i++) {
        uint32_t thread = cut->touched.at[i];

        for (uint32_t k = 0; k < fw_row_count(&core->tries, thread); k++) {
            uint32_t try = fw_row(&core->tries, thread)[k], holder;

            if (!fw_cut_has(core, cut, try))
                break;
            if (fw_try_holder(core, cut, try) != FW_NO_EVENT)
                continue;
            holder = fw_try_holder(core, NULL, try);
            if (holder == FW_NO_EVENT)
                return -1;
            fw_cut_need(core, cut, fw_thread_of(core, holder), fw_place_of(core, holder) + 1);
            grown = 1;
        }
    }
    return grown && !fw_question_close(s, cut) ? -1 : grown;
}

static bool comes_before(struct fw_solver *s, uint32_t write, uint32_t sees)
{
    (void)s;
    return sees != FW_NO_EVENT && write < sees;
}

static bool order_is_that_of_the_trace(const struct fw_solver *s)
{
    for (uint32_t i = 0; i + 1 < s->event_count; i++)
        if (s->events[i] > s->events[i + 1])
            return false;
    return true;
}

bool fw_question_in_order(struct fw_solver *s)
{
    int closed = 0, held = 0;

    if ((s->claim == FW_CLAIM_ORDER || s->claim == FW_CLAIM_ATOMICITY) &&
        !order_is_that_of_the_trace(s))
        return false;
    fw_cut_copy(&s->scratch, &s->cut);
    do {
        closed = close_sections(s, &s->scratch);
        held = closed < 0 ? -1 : hold_for_tries(s, &s->scratch);
    } while (closed + held > 0 && closed >= 0 && held >= 0);
    if (closed < 0 || held < 0)
        return false;
    if (s->tie_count)
        return fw_ties_in_order(s, &s->scratch);
    return !asks_last(s) || each_last_write(s, &s->scratch, comes_before);
}

/* ---- the witness ---- */

static bool is_asked_for(const struct fw_solver *s, uint32_t event)
{
    for (uint32_t i = 0; i < s->event_count; i++)
        if (s->events[i] == event)
            return true;
    return false;
}

/* An order ends with the last of its events. */
static void cut_short(struct fw_solver *s)
{
    while (s->witness.len && !is_asked_for(s, fw_vec_last(&s->witness)))
        s->witness.len--;
}

void fw_question_write(struct fw_solver *s, const struct fw_cut *cut, uint32_t start)
{
    fw_vec_clear(&s->witness);
    fw_merge(s->core, cut, 0, start, &s->witness);
    for (size_t i = 0; i < s->window.sequence.len; i++)
        fw_vec_push(&s->witness, s->window.position.at[s->window.sequence.at[i]]);
    if (s->claim == FW_CLAIM_ORDER || s->claim == FW_CLAIM_ATOMICITY || s->tie_count)
        cut_short(s);
    else if (s->claim == FW_CLAIM_RACE)
        for (uint32_t i = 0; i < 2; i++)
            fw_vec_push(&s->witness, s->events[i]);
    else if (s->claim == FW_CLAIM_NONDETERMINISM)
        fw_vec_push(&s->witness, s->events[0]);
}
