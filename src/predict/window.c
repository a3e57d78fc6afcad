/*
 * window.c - see window.h: nodes, what the rules need to know about variables,
 * and clocks under what the trace demands.
 */
#include "predict/window.h"

#include "base/bisect.h"

#include <string.h>

/* Clocks of one window: 256 MiB at most. */
#define CLOCK_ENTRIES ((size_t)1 << 26)

/* ---- nodes ---- */

uint32_t fw_window_node(const struct fw_solver *s, uint32_t event)
{
    const struct fw_window *w = &s->window;
    uint32_t lane = s->lane_by_thread[fw_thread_of(s->core, event)];
    uint32_t place = fw_place_of(s->core, event);

    if (event < w->start || lane == FW_NO_NODE)
        return FW_NO_NODE;
    return w->rows.at[w->lane.at[lane].row + place - w->lane.at[lane].base];
}

static void earlier(uint32_t *start, uint32_t position)
{
    if (position < *start)
        *start = position;
}

static void earlier_targets(const struct fw_solver *s, const struct fw_arrows *edges,
                            uint32_t *start)
{
    for (size_t i = 0; i < edges->len; i++) {
        struct fw_arrow edge = edges->at[i];

        if (edge.to < edge.from && fw_cut_has(s->core, &s->cut, edge.from) &&
            fw_cut_has(s->core, &s->cut, edge.to))
            earlier(start, edge.to);
    }
}

/* The first place at which the order of the trace cannot be taken as it is. */
static uint32_t find_start(struct fw_solver *s)
{
    const struct fw_core *core = s->core;
    uint32_t start = s->refuting ? s->start : fw_sections_start(s, &s->cut, s->start);

    earlier_targets(s, &s->edges, &start);
    earlier_targets(s, &s->forced, &start);
    for (uint32_t i = 0; i < s->tie_count; i++)
        earlier(&start, s->ties[i].a); /* what is frozen cannot part it */
    if (s->refuting || core->tries.start[core->threads] == 0)
        return start;
    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t thread = s->cut.touched.at[i];

        for (uint32_t k = 0; k < fw_row_count(&core->tries, thread); k++) {
            uint32_t try = fw_row(&core->tries, thread)[k];

            if (!fw_cut_has(core, &s->cut, try) || try >= start)
                break;
            if (fw_try_holder(core, &s->cut, try) == FW_NO_EVENT)
                earlier(&start, try);
        }
    }
    return start;
}

static void add_lanes(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    w->nodes = 0;
    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t thread = s->cut.touched.at[i], len = s->cut.len[thread];
        uint32_t base = fw_count_below(fw_row(&s->core->index->by_thread, thread), len, w->start);

        if (base == len)
            continue;
        s->lane_by_thread[thread] = (uint32_t)w->lane.len;
        fw_vec_push(&w->lane, ((struct fw_lane) { thread, base, len - base, w->nodes }));
        w->nodes += len - base;
    }
    w->lanes = (uint32_t)w->lane.len;
}

static void set_all(struct fw_numbers *numbers, size_t len, uint32_t value)
{
    fw_vec_reserve(numbers, len);
    numbers->len = len;
    for (size_t i = 0; i < len; i++)
        numbers->at[i] = value;
}

static void number_nodes(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    fw_vec_clear(&w->position);
    fw_merge(s->core, &s->cut, w->start, UINT32_MAX, &w->position);
    set_all(&w->lane_of, w->nodes, 0);
    set_all(&w->order_in_lane, w->nodes, 0);
    set_all(&w->rows, w->nodes, 0);
    set_all(&w->sees, w->nodes, FW_NO_EVENT);
    fw_vec_reserve(&w->must, w->nodes + 1);
    memset(w->must.at, FW_MUST_NOTHING, w->nodes);
    set_all(&w->out, w->nodes, FW_NO_NODE);
    set_all(&w->late, w->nodes, FW_NO_NODE);
    for (uint32_t i = 0; i < w->nodes; i++) {
        uint32_t e = w->position.at[i];
        uint32_t lane = s->lane_by_thread[fw_thread_of(s->core, e)];
        uint32_t order = fw_place_of(s->core, e) - w->lane.at[lane].base;

        w->lane_of.at[i] = lane;
        w->order_in_lane.at[i] = order;
        w->rows.at[w->lane.at[lane].row + order] = i;
    }
}

/* ---- reads ---- */

static bool must_see(const struct fw_solver *s, uint32_t e)
{
    return s->cut.clean[fw_thread_of(s->core, e)] >= fw_place_of(s->core, e) + 2 ||
           fw_core_synchronised(s->core, e);
}

/* The write that was chosen for the read; false: none has been. */
static bool is_assigned(const struct fw_solver *s, uint32_t read, uint32_t *write)
{
    for (size_t i = 0; i < s->assigned.len; i++)
        if (s->assigned.at[i].to == read) {
            *write = s->assigned.at[i].from;
            return true;
        }
    return false;
}

/* What each read must see. */
static void mark_reads(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    for (uint32_t node = 0; node < w->nodes; node++) {
        uint32_t read = w->position.at[node];

        if (!fw_is_read(s->core->trace->events[read].kind) || !must_see(s, read))
            continue;
        if (!s->loose || !fw_core_flexible(s->core, read))
            w->sees.at[node] = s->core->index->partner[read];
        else if (!is_assigned(s, read, &w->sees.at[node])) {
            w->must.at[node] = FW_MUST_MATCH;
            continue;
        }
        w->must.at[node] = FW_MUST_SEE;
    }
}

/* ---- the order that the trace demands ---- */

void fw_window_link(struct fw_window *w, uint32_t from, uint32_t to)
{
    uint32_t *a = fw_clock(w, from), *b = fw_clock(w, to);

    fw_vec_push(&w->links, ((struct fw_link) { to, w->out.at[from] }));
    w->out.at[from] = (uint32_t)w->links.len - 1;
    for (uint32_t i = 0; i < w->lanes; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

void fw_window_later(struct fw_window *w, uint32_t from, uint32_t to)
{
    uint32_t *at = &w->late.at[from > to ? from : to];

    fw_vec_push(&w->late_links, ((struct fw_late_link) { from, to, *at }));
    *at = (uint32_t)w->late_links.len - 1;
}

/* The event comes before the node that is being swept. */
static void link_event(struct fw_solver *s, uint32_t event, uint32_t to)
{
    uint32_t from = event == FW_NO_EVENT ? FW_NO_NODE : fw_window_node(s, event);

    if (from == FW_NO_NODE)
        return;
    if (from > to)
        fw_window_later(&s->window, from, to); /* a chosen write; perhaps a cycle */
    else if (s->window.lane_of.at[from] != s->window.lane_of.at[to])
        fw_window_link(&s->window, from, to);
}

static void link_round(struct fw_solver *s, uint32_t round, uint32_t to)
{
    const struct fw_rows *rounds = &s->core->index->rounds;

    for (uint32_t i = 0; i < fw_row_count(rounds, round); i++)
        link_event(s, fw_row(rounds, round)[i], to);
}

/* The thread's latest release before its event, of any lock; FW_NO_EVENT: none. */
static uint32_t release_before(const struct fw_core *core, uint32_t event)
{
    uint32_t thread = fw_thread_of(core, event);

    for (uint32_t place = fw_place_of(core, event); place-- > 0;) {
        uint32_t e = fw_event_at(core, thread, place);

        if (fw_is_class(core->trace->events[e].kind, FW_CLASS_RELEASE))
            return e;
    }
    return FW_NO_EVENT;
}

/* Rules 2, 3, 6 to 9 of docs/soundness.md, and reads that must see what they saw. */
static void link_demands(struct fw_solver *s, uint32_t node)
{
    const struct fw_core *core = s->core;
    const struct fw_index *index = core->index;
    uint32_t e = s->window.position.at[node];
    const struct fw_event *event = &core->trace->events[e];

    if (index->in_thread[e] == 0)
        link_event(s, index->fork_of[event->thread], node);
    switch (event->kind) {
    case FW_JOIN:
        link_event(s, fw_thread_length(core, event->target) ? index->partner[e]
                                                            : index->fork_of[event->target],
                   node);
        break;
    case FW_WAKE:
    case FW_PEND:
        link_event(s, index->partner[e], node);
        break;
    case FW_BARRIER_IN:
        if (core->round_before[index->round_of[e]] != FW_NO_EVENT)
            link_round(s, core->round_before[index->round_of[e]], node);
        break;
    case FW_BARRIER_OUT:
        link_round(s, index->round_of[e], node);
        break;
    default:
        if (s->window.must.at[node] == FW_MUST_SEE)
            link_event(s, s->window.sees.at[node], node);
        break;
    }
}

void fw_window_sweep(struct fw_solver *s)
{
    struct fw_window *w = &s->window;
    uint32_t node = w->swept, order = w->order_in_lane.at[node], lane = w->lane_of.at[node];
    uint32_t *clock = fw_clock(w, node);

    if (order)
        memcpy(clock, fw_clock(w, w->rows.at[w->lane.at[lane].row + order - 1]),
               w->lanes * sizeof *clock);
    else
        memset(clock, 0, w->lanes * sizeof *clock);
    clock[lane] = order + 1;
    link_demands(s, node);
    w->swept++;
}

/* The notify that a wake answers comes after the waiter's release. */
static void add_waits(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    if (fw_symbols_count(s->core->trace->symbols, FW_SPACE_CONDITION) == 0)
        return;
    for (uint32_t i = 0; i < w->nodes; i++) {
        uint32_t wake = w->position.at[i], notify, release;

        if (s->core->trace->events[wake].kind != FW_WAKE)
            continue;
        notify = s->core->index->partner[wake];
        release = release_before(s->core, wake);
        if (notify == FW_NO_EVENT || release == FW_NO_EVENT)
            continue;
        notify = fw_window_node(s, notify);
        release = fw_window_node(s, release);
        if (notify != FW_NO_NODE && release != FW_NO_NODE)
            fw_window_later(w, release, notify);
    }
}

/* ---- variables ---- */

static uint32_t cell_of(struct fw_solver *s, uint32_t variable)
{
    struct fw_window *w = &s->window;

    if (s->cell_by_variable[variable] == FW_NO_NODE) {
        s->cell_by_variable[variable] = (uint32_t)w->cells.len;
        fw_vec_push(&w->cells, ((struct fw_cell) { .slots = FW_NO_NODE, .seen = FW_NO_NODE }));
    }
    return s->cell_by_variable[variable];
}

static uint32_t slot_of(struct fw_window *w, uint32_t cell, uint32_t lane)
{
    uint32_t slot = w->cells.at[cell].slots;

    while (slot != FW_NO_NODE && w->slots.at[slot].lane != lane)
        slot = w->slots.at[slot].next;
    if (slot != FW_NO_NODE)
        return slot;
    fw_vec_push(&w->slots, ((struct fw_slot) { .lane = lane,
                                               .next = w->cells.at[cell].slots,
                                               .base_reader = FW_NO_NODE }));
    w->cells.at[cell].slots = (uint32_t)w->slots.len - 1;
    return (uint32_t)w->slots.len - 1;
}

/* The read must see this node's write: it replaces the lane's earlier reader in the list. */
static void add_reader(struct fw_window *w, uint32_t write, uint32_t read)
{
    uint32_t link = w->readers.at[write];

    w->reader_count.at[write]++;
    while (link != FW_NO_NODE &&
           w->lane_of.at[w->reader_links.at[link].node] != w->lane_of.at[read])
        link = w->reader_links.at[link].next;
    if (link != FW_NO_NODE) {
        w->reader_links.at[link].node = read;
        return;
    }
    fw_vec_push(&w->reader_links, ((struct fw_reader_link) { read, w->readers.at[write] }));
    w->readers.at[write] = (uint32_t)w->reader_links.len - 1;
}

static void add_read(struct fw_solver *s, uint32_t node, struct fw_cell *cell,
                     struct fw_slot *slot)
{
    struct fw_window *w = &s->window;
    uint32_t seen = w->sees.at[node];
    uint32_t write = seen == FW_NO_EVENT ? FW_NO_NODE : fw_window_node(s, seen);

    if (write != FW_NO_NODE) {
        add_reader(w, write, node);
        return;
    }
    cell->base_readers++;
    cell->base_is_none = seen == FW_NO_EVENT;
    slot->base_reader = node;
}

/* An access that rules speak of: a write, or a read that must see what it saw. */
static void add_access(struct fw_solver *s, uint32_t node)
{
    struct fw_window *w = &s->window;
    const struct fw_event *event = &s->core->trace->events[w->position.at[node]];
    uint32_t cell, slot;

    if (!fw_is_write(event->kind) && !w->must.at[node])
        return;
    cell = cell_of(s, event->target);
    slot = slot_of(w, cell, w->lane_of.at[node]);
    w->cell_of.at[node] = cell;
    w->slot_of.at[node] = slot;
    w->writes_before.at[node] = w->slots.at[slot].count;
    if (w->must.at[node] == FW_MUST_SEE)
        add_read(s, node, &w->cells.at[cell], &w->slots.at[slot]);
    if (fw_is_write(event->kind))
        w->slots.at[slot].count++;
}

static void add_variables(struct fw_solver *s)
{
    struct fw_window *w = &s->window;
    uint32_t writes = 0;

    set_all(&w->cell_of, w->nodes, FW_NO_NODE);
    set_all(&w->slot_of, w->nodes, FW_NO_NODE);
    set_all(&w->writes_before, w->nodes, 0);
    set_all(&w->readers, w->nodes, FW_NO_NODE);
    set_all(&w->reader_count, w->nodes, 0);
    for (uint32_t i = 0; i < w->nodes; i++)
        add_access(s, i);
    for (size_t i = 0; i < w->slots.len; i++) {
        w->slots.at[i].first = writes;
        writes += w->slots.at[i].count;
    }
    set_all(&w->writes, writes, 0);
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->slot_of.at[i] != FW_NO_NODE &&
            fw_is_write(s->core->trace->events[w->position.at[i]].kind))
            w->writes.at[w->slots.at[w->slot_of.at[i]].first + w->writes_before.at[i]] = i;
}

/* ---- life cycle ---- */

void fw_window_forget(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    for (size_t i = 0; i < w->lane.len; i++)
        s->lane_by_thread[w->lane.at[i].thread] = FW_NO_NODE;
    for (uint32_t i = 0; i < w->nodes; i++)
        if (w->cell_of.len == w->nodes && w->cell_of.at[i] != FW_NO_NODE)
            s->cell_by_variable[s->core->trace->events[w->position.at[i]].target] = FW_NO_NODE;
    fw_vec_clear(&w->lane);
    fw_vec_clear(&w->links);
    fw_vec_clear(&w->late_links);
    fw_vec_clear(&w->cells);
    fw_vec_clear(&w->slots);
    fw_vec_clear(&w->reader_links);
    fw_vec_clear(&w->cell_of);
    fw_vec_clear(&w->sequence);
    w->nodes = w->lanes = w->swept = 0;
}

enum fw_step fw_window_build(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    fw_window_forget(s);
    w->start = s->start = find_start(s);
    add_lanes(s);
    if ((size_t)w->nodes * w->lanes > CLOCK_ENTRIES || w->nodes > s->steps)
        return FW_STEP_SPENT;
    s->steps -= w->nodes;
    number_nodes(s);
    mark_reads(s);
    add_waits(s);
    add_variables(s);
    fw_ties_build(s);
    fw_vec_reserve(&w->clock, (size_t)w->nodes * w->lanes);
    return FW_STEP_DONE;
}

void fw_window_release(struct fw_window *w)
{
    struct fw_numbers *numbers[] = { &w->position,      &w->lane_of, &w->order_in_lane,
                                     &w->rows,          &w->out,     &w->sees,
                                     &w->cell_of,       &w->slot_of, &w->writes_before,
                                     &w->writes,        &w->readers, &w->reader_count,
                                     &w->queue,         &w->stack,   &w->indegree,
                                     &w->done,          &w->delayed, &w->sequence,
                                     &w->late,          &w->parting, &w->parting_start };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fw_vec_release(numbers[i]);
    fw_vec_release(&w->lane);
    fw_vec_release(&w->clock);
    fw_vec_release(&w->links);
    fw_vec_release(&w->late_links);
    fw_vec_release(&w->cells);
    fw_vec_release(&w->slots);
    fw_vec_release(&w->reader_links);
    fw_vec_release(&w->queued);
    fw_vec_release(&w->must);
    fw_vec_release(&w->holdings);
    fw_vec_release(&w->parts);
}
