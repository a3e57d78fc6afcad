/*
 * ties.c - dependencies that must be immediate, as interleaving idioms want them.
 *
 * A tie a => b is an order and a demand on all other accesses of the object:
 * those that would part the two come before a or behind b (iroot/iroot.h says
 * which ones would).  Of the threads of a and b this is settled by program
 * order: their accesses before b come before a, those behind a come behind b.
 * An access of a third thread has a choice, as a write has that must not come
 * between another one and its read.  So ties fit in where such pairs do: a rule
 * of the closure, a state while linearising, a choice where neither decides.
 *
 * Which idiom the events are of does not matter here: its ties and the program
 * order of its events say everything.
 */
#include "base/bug.h"
#include "predict/window.h"

/* ---- accesses ---- */

static const struct fw_event *event_at(const struct fw_core *core, uint32_t e)
{
    return &core->trace->events[e];
}

static bool is_of_lock(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE);
}

static bool is_access(const struct fw_event *event)
{
    return is_of_lock(event) || fw_is_class(event->kind, FW_CLASS_CONFLICT);
}

static bool writes(const struct fw_event *event)
{
    return is_of_lock(event) ? !fw_is_class(event->kind, FW_CLASS_SHARED)
                             : fw_is_write(event->kind) || event->kind == FW_FREE;
}

/* All accesses of the event's object. */
static const struct fw_grouped *grouped_of(const struct fw_core *core, uint32_t event)
{
    return is_of_lock(event_at(core, event)) ? &core->locking : &core->touching;
}

static const struct fw_group *own_group(const struct fw_core *core, uint32_t event)
{
    return fw_grouped_find(grouped_of(core, event), event_at(core, event)->target,
                           fw_thread_of(core, event));
}

uint32_t fw_own_before(const struct fw_core *core, uint32_t event)
{
    return fw_group_last(grouped_of(core, event), core->index, own_group(core, event),
                         fw_place_of(core, event));
}

uint32_t fw_own_behind(const struct fw_core *core, uint32_t event)
{
    const struct fw_grouped *grouped = grouped_of(core, event);
    const struct fw_group *group = own_group(core, event);
    uint32_t at = fw_group_end(grouped, core->index, group, fw_place_of(core, event) + 1);

    return at < group[1].first ? grouped->items[at] : FW_NO_EVENT;
}

/* ---- ties ---- */

static void add_tie(struct fw_solver *s, uint32_t a, uint32_t b)
{
    s->ties[s->tie_count++] = (struct fw_tie) {
        .a = a,
        .b = b,
        .both_write = writes(event_at(s->core, a)) && writes(event_at(s->core, b)),
    };
}

void fw_ties_set(struct fw_solver *s)
{
    const uint32_t *e = s->events;

    FW_ASSERT(s->core->iroots);
    if (s->event_count == 4 && fw_is_class(event_at(s->core, e[0])->kind, FW_CLASS_ACQUIRE) &&
        fw_is_class(event_at(s->core, e[2])->kind, FW_CLASS_ACQUIRE)) {
        s->claim = FW_CLAIM_DEADLOCK;
        s->waiting[0] = e[3];
        s->waiting[1] = e[1];
        s->events = s->waiting;
        s->event_count = 2;
        return;
    }
    add_tie(s, e[0], e[1]);
    if (s->event_count == 3)
        add_tie(s, e[1], e[2]);
    else if (s->event_count == 4)
        add_tie(s, e[2], e[3]);
}

bool fw_ties_contradict(const struct fw_solver *s)
{
    for (uint32_t i = 0; i < s->tie_count; i++)
        if (fw_core_must_precede(s->core, s->ties[i].b, s->ties[i].a))
            return true;
    return false;
}

bool fw_tie_parts(const struct fw_core *core, const struct fw_tie *tie, uint32_t e)
{
    const struct fw_event *event = event_at(core, e), *a = event_at(core, tie->a);

    if (e == tie->a || e == tie->b || event->target != a->target || !is_access(event) ||
        is_of_lock(event) != is_of_lock(a))
        return false;
    return tie->both_write || writes(event) || event->thread == a->thread ||
           event->thread == fw_thread_of(core, tie->b);
}

/* ---- the order of the trace ---- */

/* Does the thread have such an event between the two, in the trace and in the cut? */
static bool group_parts(const struct fw_core *core, const struct fw_cut *cut,
                        const struct fw_tie *tie, const struct fw_grouped *grouped,
                        const struct fw_group *group)
{
    uint32_t at = fw_group_end(grouped, core->index, group, cut->len[group->thread]);

    while (at > group->first && grouped->items[at - 1] > tie->b)
        at--;
    for (; at > group->first && grouped->items[at - 1] > tie->a; at--)
        if (fw_tie_parts(core, tie, grouped->items[at - 1]))
            return true;
    return false;
}

bool fw_ties_in_order(const struct fw_solver *s, const struct fw_cut *cut)
{
    for (uint32_t i = 0; i < s->tie_count; i++) {
        const struct fw_tie *tie = &s->ties[i];
        const struct fw_grouped *grouped = grouped_of(s->core, tie->a);
        uint32_t object = event_at(s->core, tie->a)->target;

        if (tie->a > tie->b)
            return false;
        for (uint32_t g = grouped->start[object]; g < grouped->start[object + 1]; g++)
            if (group_parts(s->core, cut, tie, grouped, &grouped->groups[g]))
                return false;
    }
    return true;
}

/* ---- in a window ---- */

static void mark_nodes(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    fw_vec_clear(&w->parts);
    fw_vec_extend(&w->parts, w->nodes);
    for (uint32_t i = 0; i < s->tie_count; i++) {
        struct fw_tie *tie = &s->ties[i];

        tie->node_a = fw_window_node(s, tie->a);
        tie->node_b = fw_window_node(s, tie->b);
        for (uint32_t node = 0; node < w->nodes; node++)
            if (fw_tie_parts(s->core, tie, w->position.at[node]))
                w->parts.at[node] |= (uint8_t)(1u << i);
    }
}

/* The marked nodes of one tie, lane by lane. */
static void list_nodes(struct fw_window *w, uint32_t tie)
{
    for (uint32_t lane = 0; lane < w->lanes; lane++) {
        const uint32_t *row = w->rows.at + w->lane.at[lane].row;

        fw_vec_push(&w->parting_start, (uint32_t)w->parting.len);
        for (uint32_t i = 0; i < w->lane.at[lane].count; i++)
            if (w->parts.at[row[i]] >> tie & 1)
                fw_vec_push(&w->parting, row[i]);
    }
}

void fw_ties_build(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    if (!s->tie_count)
        return;
    mark_nodes(s);
    fw_vec_clear(&w->parting);
    fw_vec_clear(&w->parting_start);
    for (uint32_t i = 0; i < s->tie_count; i++)
        list_nodes(w, i);
    fw_vec_push(&w->parting_start, (uint32_t)w->parting.len);
}

uint32_t fw_tie_last(const struct fw_window *w, uint32_t tie, uint32_t lane, uint32_t count)
{
    const uint32_t *start = &w->parting_start.at[tie * w->lanes + lane];
    uint32_t low = start[0], high = start[1];

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (w->order_in_lane.at[w->parting.at[mid]] < count)
            low = mid + 1;
        else
            high = mid;
    }
    return low > start[0] ? w->parting.at[low - 1] : FW_NO_NODE;
}
