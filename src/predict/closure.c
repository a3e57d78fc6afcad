/*
 * closure.c - what follows from the orders so far.
 *
 * Rules (seqcheck, algorithm 3), looked at for a node whenever its clock has
 * grown; a, b, ... are events of the window, w → r: r must see w.
 *
 *   seen       w → r, w' another write of the variable, w' before r:  w' before w
 *   unseen     w → r, w' another write of the variable, w before w':  r before w'
 *   excluded   two sections of one lock, the first acquire before some event
 *              of the second section: the first release before the second acquire
 *   parted     a => b, e would part them:  e before b: e before a;  a before e: b before e
 *
 * A read that must see no write comes before all writes.  If a section has to
 * come first and its release is not in the cut, the cut grows.  Everything
 * that follows holds in every correct reordering that keeps to the edges; only
 * with `assuming` are frozen writes and sections taken to come first as well.
 *
 * Of the writes of a lane before a node only the last one has to be looked at,
 * and of the readers of a write only the last of each lane: program order does
 * the rest.
 */
#include "predict/window.h"

/* ---- edges ---- */

static void enqueue(struct fw_window *w, uint32_t node)
{
    if (w->queued.at[node])
        return;
    w->queued.at[node] = 1;
    fw_vec_push(&w->queue, node);
}

/* Joins the clock of `from` into that of `to`. */
static void pass_on(struct fw_solver *s, uint32_t from, uint32_t to)
{
    struct fw_window *w = &s->window;
    const uint32_t *a = fw_clock(w, from);
    uint32_t *b = fw_clock(w, to), changed = 0;

    for (uint32_t i = 0; i < w->lanes; i++) {
        changed |= a[i] > b[i];
        b[i] = a[i] > b[i] ? a[i] : b[i];
    }
    s->steps -= s->steps > 0;
    if (changed) {
        enqueue(w, to);
        fw_vec_push(&w->stack, to);
    }
}

static uint32_t next_in_lane(const struct fw_window *w, uint32_t node)
{
    const struct fw_lane *lane = &w->lane.at[w->lane_of.at[node]];
    uint32_t order = w->order_in_lane.at[node] + 1;

    return order < lane->count ? w->rows.at[lane->row + order] : FW_NO_NODE;
}

/* False: it closes a cycle. */
static bool insert(struct fw_solver *s, uint32_t from, uint32_t to)
{
    struct fw_window *w = &s->window;

    if (from >= w->swept || to >= w->swept) {
        fw_window_later(w, from, to);
        return true;
    }
    if (fw_reaches(w, to, from))
        return false;
    if (fw_reaches(w, from, to))
        return true;
    fw_vec_push(&w->links, ((struct fw_link) { to, w->out.at[from] }));
    w->out.at[from] = (uint32_t)w->links.len - 1;
    pass_on(s, from, to);
    while (w->stack.len) {
        uint32_t node = fw_vec_pop(&w->stack), next = next_in_lane(w, node);

        if (next < w->swept)
            pass_on(s, node, next);
        for (uint32_t link = w->out.at[node]; link != FW_NO_NODE; link = w->links.at[link].next)
            pass_on(s, node, w->links.at[link].to);
    }
    return true;
}

static enum fw_step impossible(const struct fw_solver *s)
{
    return s->assuming ? FW_STEP_WIDEN : FW_STEP_IMPOSSIBLE;
}

/*
 * `from` would have to come before `event`, which is frozen: impossible if the must-order says
 * otherwise, else the window has to reach back to it.
 */
static enum fw_step widen_to(struct fw_solver *s, uint32_t from, uint32_t event)
{
    if (!s->assuming && fw_core_must_precede(s->core, event, from))
        return FW_STEP_IMPOSSIBLE;
    if (event < s->widen_to)
        s->widen_to = event;
    return FW_STEP_WIDEN;
}

/* A consequence: the edge is inserted and, if it is a fact, remembered. */
static enum fw_step follow(struct fw_solver *s, uint32_t from, uint32_t to)
{
    struct fw_window *w = &s->window;

    if (from < w->swept && to < w->swept && fw_reaches(w, from, to))
        return FW_STEP_DONE;
    if (!insert(s, from, to))
        return impossible(s);
    if (!s->assuming)
        fw_vec_push(&s->edges,
                    ((struct fw_arrow) { w->position.at[from], w->position.at[to] }));
    return FW_STEP_DONE;
}

/* Given orders: they are inserted as the sweep comes by. */
static void give(struct fw_solver *s, const struct fw_arrows *edges)
{
    const struct fw_core *core = s->core;

    for (size_t i = 0; i < edges->len; i++) {
        struct fw_arrow edge = edges->at[i];
        uint32_t from, to;

        if (!fw_cut_has(core, &s->cut, edge.from) || !fw_cut_has(core, &s->cut, edge.to))
            continue;
        from = fw_window_node(s, edge.from);
        to = fw_window_node(s, edge.to);
        if (from != FW_NO_NODE && to != FW_NO_NODE)
            fw_window_later(&s->window, from, to);
    }
}

/* ---- reads and writes ---- */

/* The slot's last write among the first `count` nodes of its lane. */
static uint32_t last_write(const struct fw_window *w, const struct fw_slot *slot, uint32_t count)
{
    uint32_t low = 0, high = slot->count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (w->order_in_lane.at[w->writes.at[slot->first + mid]] < count)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? w->writes.at[slot->first + low - 1] : FW_NO_NODE;
}

/* How many nodes of the lane come before the node, itself not counted. */
static uint32_t before(const struct fw_window *w, uint32_t node, uint32_t lane)
{
    return w->lane_of.at[node] == lane ? w->order_in_lane.at[node] : fw_clock(w, node)[lane];
}

/* Rule seen, for a read that must see what it saw. */
static enum fw_step rule_seen(struct fw_solver *s, uint32_t read)
{
    struct fw_window *w = &s->window;
    uint32_t seen = w->sees.at[read];
    uint32_t write = seen == FW_NO_EVENT ? FW_NO_NODE : fw_window_node(s, seen);
    const struct fw_cell *cell = &w->cells.at[w->cell_of.at[read]];

    for (uint32_t i = cell->slots; i != FW_NO_NODE; i = w->slots.at[i].next) {
        const struct fw_slot *slot = &w->slots.at[i];
        uint32_t other = last_write(w, slot, before(w, read, slot->lane));
        enum fw_step step;

        if (other == FW_NO_NODE || other == write)
            continue;
        if (write == FW_NO_NODE)
            return seen == FW_NO_EVENT ? impossible(s)
                                       : widen_to(s, w->position.at[other], seen);
        step = follow(s, other, write);
        if (step != FW_STEP_DONE)
            return step;
    }
    return FW_STEP_DONE;
}

/* Reads that must see what was there before the window come before this write. */
static enum fw_step after_base_readers(struct fw_solver *s, uint32_t write)
{
    struct fw_window *w = &s->window;
    const struct fw_cell *cell = &w->cells.at[w->cell_of.at[write]];

    if (!cell->base_readers || (!cell->base_is_none && !s->assuming))
        return FW_STEP_DONE;
    for (uint32_t i = cell->slots; i != FW_NO_NODE; i = w->slots.at[i].next) {
        uint32_t reader = w->slots.at[i].base_reader;
        enum fw_step step;

        if (reader == FW_NO_NODE || reader == write)
            continue;
        step = follow(s, reader, write);
        if (step != FW_STEP_DONE)
            return step;
    }
    return FW_STEP_DONE;
}

/* Rule unseen, for the write that comes later. */
static enum fw_step rule_unseen(struct fw_solver *s, uint32_t write)
{
    struct fw_window *w = &s->window;
    uint32_t first = w->cells.at[w->cell_of.at[write]].slots;

    for (uint32_t i = first; i != FW_NO_NODE; i = w->slots.at[i].next) {
        const struct fw_slot *slot = &w->slots.at[i];
        uint32_t other = last_write(w, slot, before(w, write, slot->lane));
        uint32_t link = other == FW_NO_NODE ? FW_NO_NODE : w->readers.at[other];

        for (; link != FW_NO_NODE; link = w->reader_links.at[link].next) {
            uint32_t reader = w->reader_links.at[link].node;
            enum fw_step step = reader == write ? FW_STEP_DONE : follow(s, reader, write);

            if (step != FW_STEP_DONE)
                return step;
        }
    }
    return after_base_readers(s, write);
}

/* ---- sections ---- */

/* The section of `first` comes before that of `second` (acquires). */
static enum fw_step section_before(struct fw_solver *s, uint32_t first, uint32_t second)
{
    const struct fw_core *core = s->core;
    uint32_t release = core->index->partner[first], from, to;

    if (release == FW_NO_EVENT ||
        fw_place_of(core, release) >= s->cap[fw_thread_of(core, release)])
        return impossible(s);
    if (!fw_cut_has(core, &s->cut, release))
        return fw_question_grow(s, release) ? FW_STEP_GROWN : impossible(s);
    from = fw_window_node(s, release);
    to = fw_window_node(s, second);
    if (from == FW_NO_NODE)
        return FW_STEP_DONE;
    return to == FW_NO_NODE ? widen_to(s, release, second) : follow(s, from, to);
}

/* Rule excluded, for a section and its last event in the cut. */
static enum fw_step rule_excluded(struct fw_solver *s, uint32_t acquire, uint32_t end)
{
    const struct fw_core *core = s->core;
    const struct fw_window *w = &s->window;
    const struct fw_event *event = &core->trace->events[acquire];

    for (uint32_t g = core->acquires.start[event->target];
         g < core->acquires.start[event->target + 1]; g++) {
        const struct fw_group *group = &core->acquires.groups[g];
        uint32_t lane = s->lane_by_thread[group->thread], other;
        enum fw_step step;

        if (group->thread == event->thread || lane == FW_NO_NODE)
            continue;
        other = fw_last_conflict(core, group, w->lane.at[lane].base + fw_clock(w, end)[lane],
                                 acquire);
        if (other == FW_NO_EVENT || (other < w->start && !s->assuming))
            continue;
        step = section_before(s, other, acquire);
        if (step != FW_STEP_DONE)
            return step;
    }
    return FW_STEP_DONE;
}

/* The sections that the lane leaves open end, for this cut, with its last event. */
static enum fw_step rule_excluded_open(struct fw_solver *s, uint32_t end)
{
    const struct fw_lane *lane = &s->window.lane.at[s->window.lane_of.at[end]];

    fw_held(s, lane->thread, lane->base + lane->count);
    for (size_t i = 0; i < s->held.len; i++) {
        enum fw_step step = rule_excluded(s, s->held.at[i], end);

        if (step != FW_STEP_DONE)
            return step;
    }
    return FW_STEP_DONE;
}

/* ---- ties ---- */

/* Rule parted, for b: who comes before it comes before a. */
static enum fw_step before_tie(struct fw_solver *s, uint32_t number)
{
    struct fw_window *w = &s->window;
    const struct fw_tie *tie = &s->ties[number];

    for (uint32_t lane = 0; lane < w->lanes; lane++) {
        uint32_t other = fw_tie_last(w, number, lane, before(w, tie->node_b, lane));
        enum fw_step step = other == FW_NO_NODE ? FW_STEP_DONE : follow(s, other, tie->node_a);

        if (step != FW_STEP_DONE)
            return step;
    }
    return FW_STEP_DONE;
}

/* Rule parted. */
static enum fw_step rule_parted(struct fw_solver *s, uint32_t node)
{
    const struct fw_window *w = &s->window;
    enum fw_step step = FW_STEP_DONE;

    for (uint32_t i = 0; i < s->tie_count && step == FW_STEP_DONE; i++) {
        const struct fw_tie *tie = &s->ties[i];

        if (node == tie->node_b)
            step = before_tie(s, i);
        else if (w->parts.at[node] >> i & 1 && fw_reaches(w, tie->node_a, node))
            step = follow(s, tie->node_b, node);
    }
    return step;
}

/* ---- all of it ---- */

static enum fw_step look_at(struct fw_solver *s, uint32_t node)
{
    struct fw_window *w = &s->window;
    uint32_t e = w->position.at[node];
    unsigned kind = s->core->trace->events[e].kind;
    enum fw_step step = FW_STEP_DONE;

    if (w->must.at[node] == FW_MUST_SEE)
        step = rule_seen(s, node);
    if (step == FW_STEP_DONE && fw_is_write(kind))
        step = rule_unseen(s, node);
    if (step == FW_STEP_DONE && fw_is_class(kind, FW_CLASS_RELEASE))
        step = rule_excluded(s, s->core->index->partner[e], node);
    if (step == FW_STEP_DONE && next_in_lane(w, node) == FW_NO_NODE)
        step = rule_excluded_open(s, node);
    if (step == FW_STEP_DONE && s->tie_count)
        step = rule_parted(s, node);
    return step;
}

static enum fw_step until_nothing_changes(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    for (size_t i = 0; i < w->queue.len; i++) {
        uint32_t node = w->queue.at[i];
        enum fw_step step;

        w->queued.at[node] = 0;
        s->steps -= s->steps > 0;
        if (s->steps == 0 || (i % 4096 == 0 && fw_stopped(s)))
            return FW_STEP_SPENT;
        step = look_at(s, node);
        if (step != FW_STEP_DONE)
            return step;
        if (i > 1024 && i > w->queue.len / 2) { /* what has been looked at is let go */
            memmove(w->queue.at, w->queue.at + i + 1, (w->queue.len - i - 1) * sizeof node);
            w->queue.len -= i + 1;
            i = (size_t)-1;
        }
    }
    fw_vec_clear(&w->queue);
    return FW_STEP_DONE;
}

static void enqueue_all(struct fw_window *w)
{
    for (uint32_t i = 0; i < w->nodes; i++)
        enqueue(w, i);
}

/* The node gets its clock, what waited for it is inserted, and its rules are looked at: all of it
 * among the nodes that have been swept, so that little has to be passed on. */
static enum fw_step sweep_node(struct fw_solver *s)
{
    struct fw_window *w = &s->window;
    uint32_t node = w->swept;

    fw_window_sweep(s);
    for (uint32_t i = w->late.at[node]; i != FW_NO_NODE; i = w->late_links.at[i].next)
        if (w->late_links.at[i].to == node && w->late_links.at[i].from != node)
            fw_window_link(w, w->late_links.at[i].from, node);
    for (uint32_t i = w->late.at[node]; i != FW_NO_NODE; i = w->late_links.at[i].next)
        if (w->late_links.at[i].from == node && !insert(s, node, w->late_links.at[i].to))
            return impossible(s);
    return look_at(s, node);
}

static enum fw_step sweep(struct fw_solver *s)
{
    struct fw_window *w = &s->window;
    enum fw_step step = FW_STEP_DONE;

    fw_vec_clear(&w->queue);
    fw_vec_reserve(&w->queued, w->nodes + 1);
    memset(w->queued.at, 0, w->nodes);
    give(s, &s->forced);
    give(s, &s->edges);
    while (w->swept < w->nodes && step == FW_STEP_DONE) {
        s->steps -= s->steps > 0;
        if (s->steps == 0 || (w->swept % 4096 == 0 && fw_stopped(s)))
            return FW_STEP_SPENT;
        step = sweep_node(s);
    }
    return step;
}

/* Is there anything before the window? */
static bool has_frozen(const struct fw_solver *s)
{
    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t thread = s->cut.touched.at[i], lane = s->lane_by_thread[thread];

        if (s->cut.len[thread] && (lane == FW_NO_NODE || s->window.lane.at[lane].base > 0))
            return true;
    }
    return false;
}

enum fw_step fw_closure(struct fw_solver *s)
{
    struct fw_window *w = &s->window;
    enum fw_step step;

    step = sweep(s);
    if (step == FW_STEP_DONE)
        step = until_nothing_changes(s);
    if (step != FW_STEP_DONE || s->refuting || s->assuming || !has_frozen(s))
        return step;
    s->assuming = true;
    enqueue_all(w);
    return until_nothing_changes(s);
}
