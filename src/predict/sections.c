/*
 * sections.c - critical sections of a cut: what is open, who stands in whose way.
 */
#include "predict/window.h"

#include "base/bisect.h"

bool fw_sections_conflict(const struct fw_core *core, uint32_t a, uint32_t b)
{
    const struct fw_event *events = core->trace->events;

    return !fw_is_class(events[a].kind, FW_CLASS_SHARED) ||
           !fw_is_class(events[b].kind, FW_CLASS_SHARED);
}

uint32_t fw_last_conflict(const struct fw_core *core, const struct fw_group *group, uint32_t len,
                          uint32_t acquire)
{
    uint32_t last = fw_group_last(&core->acquires, core->index, group, len);

    if (last == FW_NO_EVENT || fw_sections_conflict(core, last, acquire))
        return last;
    /* Both are shared: only one in exclusive mode will do. */
    group = fw_grouped_find(&core->exclusive, core->trace->events[acquire].target, group->thread);
    return group ? fw_group_last(&core->exclusive, core->index, group, len) : FW_NO_EVENT;
}

/* The thread's latest acquire of the lock in this mode among its first len events. */
static uint32_t open_acquire(const struct fw_core *core, uint32_t thread, uint32_t len,
                             uint32_t lock, bool shared)
{
    const struct fw_group *group = fw_grouped_find(&core->acquires, lock, thread);
    uint32_t found = fw_group_last(&core->acquires, core->index, group, len);
    uint32_t place = len;

    while (fw_is_class(core->trace->events[found].kind, FW_CLASS_SHARED) != shared) {
        place = fw_place_of(core, found);
        found = fw_group_last(&core->acquires, core->index, group, place);
    }
    return found;
}

/* Set of the locks held just before the event, as acquires; `but` is left out. */
static void add_set(struct fw_solver *s, uint32_t event, uint32_t but)
{
    const struct fw_core *core = s->core;
    const struct fw_index *index = core->index;
    uint32_t thread = fw_thread_of(core, event), place = fw_place_of(core, event);
    uint32_t set = index->lock_set[event];

    for (uint32_t i = 0; i < fw_row_count(&index->lock_sets, set); i++) {
        uint32_t lock = fw_row(&index->lock_sets, set)[i];

        if (lock != but)
            fw_vec_push(&s->held, open_acquire(core, thread, place, lock / 2, lock & 1));
    }
}

void fw_held(struct fw_solver *s, uint32_t thread, uint32_t len)
{
    const struct fw_core *core = s->core;
    const struct fw_event *last;
    uint32_t e;

    fw_vec_clear(&s->held);
    if (len == 0)
        return;
    if (len < fw_thread_length(core, thread)) {
        add_set(s, fw_event_at(core, thread, len), UINT32_MAX);
        return;
    }
    e = fw_event_at(core, thread, len - 1);
    last = &core->trace->events[e];
    if (fw_is_class(last->kind, FW_CLASS_RELEASE))
        add_set(s, e, last->target * 2 + fw_is_class(last->kind, FW_CLASS_SHARED));
    else
        add_set(s, e, UINT32_MAX);
    if (fw_is_class(last->kind, FW_CLASS_ACQUIRE))
        fw_vec_push(&s->held, e);
}

bool fw_stands_before(const struct fw_core *core, const struct fw_cut *cut, uint32_t acquire)
{
    const struct fw_event *event = &core->trace->events[acquire];
    uint32_t end = core->acquires.start[event->target + 1];

    for (uint32_t g = core->acquires.start[event->target]; g < end; g++) {
        const struct fw_group *group = &core->acquires.groups[g];
        uint32_t other;

        if (group->thread == event->thread || !cut->len[group->thread])
            continue;
        other = fw_last_conflict(core, group, cut->len[group->thread], acquire);
        if (other != FW_NO_EVENT && other > acquire)
            return true;
    }
    return false;
}

uint32_t fw_sections_start(struct fw_solver *s, const struct fw_cut *cut, uint32_t limit)
{
    const struct fw_core *core = s->core;

    for (size_t i = 0; i < cut->touched.len; i++) {
        fw_held(s, cut->touched.at[i], cut->len[cut->touched.at[i]]);
        for (size_t k = 0; k < s->held.len; k++)
            if (s->held.at[k] < limit && fw_stands_before(core, cut, s->held.at[k]))
                limit = s->held.at[k];
    }
    return limit;
}

/* Does the section of this acquire hold its lock at this position of the trace? */
static bool covers(const struct fw_core *core, uint32_t acquire, uint32_t position)
{
    uint32_t release = core->index->partner[acquire];

    return acquire < position && (release == FW_NO_EVENT || release > position);
}

/* The section of the group that holds the lock at this position, or FW_NO_EVENT. */
static uint32_t holder_in(const struct fw_core *core, const struct fw_group *group,
                          uint32_t position)
{
    const uint32_t *items = core->acquires.items + group->first;
    uint32_t before = fw_count_below(items, group[1].first - group->first, position);

    /* One before the latest may still be open: a reader that has become a writer. */
    for (uint32_t back = 1; back <= 2 && before >= back; back++)
        if (covers(core, items[before - back], position))
            return items[before - back];
    return FW_NO_EVENT;
}

uint32_t fw_try_holder(const struct fw_core *core, const struct fw_cut *cut, uint32_t tryfail)
{
    const struct fw_event *event = &core->trace->events[tryfail];
    uint32_t end = core->acquires.start[event->target + 1];

    for (uint32_t g = core->acquires.start[event->target]; g < end; g++) {
        const struct fw_group *group = &core->acquires.groups[g];
        uint32_t holder;

        if (group->thread == event->thread)
            continue;
        holder = holder_in(core, group, tryfail);
        if (holder != FW_NO_EVENT && (!cut || fw_cut_has(core, cut, holder)))
            return holder;
    }
    return FW_NO_EVENT;
}
