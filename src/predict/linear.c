/*
 * linear.c - a closed order as a sequence: the events of the window in the
 * order of the trace, except that a thread waits where it must.
 *
 * A node goes ahead if all it comes after is done and the state allows it: a
 * lock is free, a write does not hide another one from reads that must still
 * see it, an access does not part an immediate dependency, a read finds its
 * value, a try that fails has a holder.  If nobody can go on, the first
 * thread that only the state holds back points at a choice that the closure
 * did not decide.
 */
#include "predict/values.h"
#include "predict/window.h"

#include <string.h>

/* ---- locks ---- */

static struct fw_holding *holding(struct fw_solver *s, uint32_t lock)
{
    struct fw_window *w = &s->window;

    if (s->holding_by_lock[lock] == FW_NO_NODE) {
        s->holding_by_lock[lock] = (uint32_t)w->holdings.len;
        fw_vec_push(&w->holdings, ((struct fw_holding) { lock, FW_NO_NODE, 0 }));
    }
    return &w->holdings.at[s->holding_by_lock[lock]];
}

/* Besides the thread's own holding in shared mode, if it has one. */
static uint32_t other_readers(const struct fw_core *core, const struct fw_holding *lock,
                              uint32_t event)
{
    const struct fw_rows *sets = &core->index->lock_sets;
    uint32_t set = core->index->lock_set[event];

    for (uint32_t i = 0; lock->readers && i < fw_row_count(sets, set); i++)
        if (fw_row(sets, set)[i] == lock->lock * 2 + 1)
            return lock->readers - 1;
    return lock->readers;
}

static bool lock_allows(struct fw_solver *s, uint32_t e, uint32_t lane)
{
    const struct fw_event *event = &s->core->trace->events[e];
    const struct fw_holding *lock = holding(s, event->target);

    if (event->kind == FW_TRY_FAIL)
        return (lock->writer != FW_NO_NODE && lock->writer != lane) ||
               other_readers(s->core, lock, e) > 0;
    if (lock->writer != FW_NO_NODE)
        return false;
    return fw_is_class(event->kind, FW_CLASS_SHARED) || other_readers(s->core, lock, e) == 0;
}

static void take(struct fw_solver *s, const struct fw_event *event, uint32_t lane)
{
    struct fw_holding *lock = holding(s, event->target);
    bool shared = fw_is_class(event->kind, FW_CLASS_SHARED);

    if (fw_is_class(event->kind, FW_CLASS_ACQUIRE)) {
        if (shared)
            lock->readers++;
        else
            lock->writer = lane;
    } else if (fw_is_class(event->kind, FW_CLASS_RELEASE)) {
        if (shared)
            lock->readers--;
        else
            lock->writer = FW_NO_NODE;
    }
}

/* ---- variables ---- */

static bool write_allows(const struct fw_solver *s, uint32_t node)
{
    const struct fw_window *w = &s->window;
    const struct fw_cell *cell = &w->cells.at[w->cell_of.at[node]];

    return cell->pending == (w->must.at[node] == FW_MUST_SEE ? 1 : 0);
}

bool fw_linear_matches(const struct fw_solver *s, uint32_t node)
{
    const struct fw_core *core = s->core;
    const struct fw_window *w = &s->window;
    uint32_t seen = w->cells.at[w->cell_of.at[node]].seen, write, clean;

    if (seen == FW_NO_NODE)
        return core->index->partner[w->position.at[node]] == FW_NO_EVENT;
    write = w->position.at[seen];
    clean = fw_place_of(core, write) + 1 + (core->trace->events[write].kind == FW_ATOMIC_RMW);
    return s->cut.clean[fw_thread_of(core, write)] >= clean &&
           fw_values_same(core->index, w->position.at[node], write);
}

static void see(struct fw_window *w, uint32_t node, bool writes)
{
    struct fw_cell *cell = &w->cells.at[w->cell_of.at[node]];

    if (w->must.at[node] == FW_MUST_SEE)
        cell->pending--;
    if (writes) {
        cell->seen = node;
        cell->pending = w->reader_count.at[node];
    }
}

/* ---- nodes ---- */

static bool state_allows(struct fw_solver *s, uint32_t node)
{
    uint32_t e = s->window.position.at[node];
    unsigned kind = s->core->trace->events[e].kind;

    if (s->window.must.at[node] == FW_MUST_MATCH && !fw_linear_matches(s, node))
        return false;
    if (s->tie_count && s->window.parts.at[node] & s->window.open_ties)
        return false;
    if (fw_is_write(kind))
        return write_allows(s, node);
    if (kind == FW_TRY_FAIL || fw_is_class(kind, FW_CLASS_ACQUIRE))
        return lock_allows(s, e, s->window.lane_of.at[node]);
    return true;
}

/* True: a tie is closed. */
static bool turn_ties(struct fw_solver *s, uint32_t node)
{
    struct fw_window *w = &s->window;
    bool closed = false;

    for (uint32_t i = 0; i < s->tie_count; i++) {
        if (node == s->ties[i].node_a)
            w->open_ties |= 1u << i;
        if (node == s->ties[i].node_b) {
            w->open_ties &= ~(1u << i);
            closed = true;
        }
    }
    return closed;
}

/* True: what was done may let a waiting thread go on. */
static bool perform(struct fw_solver *s, uint32_t node)
{
    struct fw_window *w = &s->window;
    const struct fw_event *event = &s->core->trace->events[w->position.at[node]];

    if (fw_kind_info[event->kind].space == FW_SPACE_LOCK)
        take(s, event, w->lane_of.at[node]);
    if (w->cell_of.at[node] != FW_NO_NODE)
        see(w, node, fw_is_write(event->kind));
    for (uint32_t link = w->out.at[node]; link != FW_NO_NODE; link = w->links.at[link].next)
        w->indegree.at[w->links.at[link].to]--;
    w->done.at[w->lane_of.at[node]]++;
    fw_vec_push(&w->sequence, node);
    if (turn_ties(s, node))
        return true;
    return w->out.at[node] != FW_NO_NODE || w->cell_of.at[node] != FW_NO_NODE ||
           fw_kind_info[event->kind].space == FW_SPACE_LOCK;
}

static bool try_node(struct fw_solver *s, uint32_t node)
{
    return s->window.indegree.at[node] == 0 && state_allows(s, node);
}

static uint32_t head(const struct fw_window *w, uint32_t lane)
{
    return w->done.at[lane] < w->lane.at[lane].count
               ? w->rows.at[w->lane.at[lane].row + w->done.at[lane]]
               : FW_NO_NODE;
}

/* Waiting threads catch up with the node `until` as far as they can. */
static void catch_up(struct fw_solver *s, uint32_t until)
{
    struct fw_window *w = &s->window;
    bool progress = true;

    while (progress && w->delayed.len) {
        size_t kept = 0;

        progress = false;
        for (size_t i = 0; i < w->delayed.len; i++) {
            uint32_t lane = w->delayed.at[i], node = head(w, lane);

            while (node != FW_NO_NODE && node <= until && try_node(s, node)) {
                progress |= perform(s, node);
                node = head(w, lane);
            }
            if (node != FW_NO_NODE && node <= until)
                w->delayed.at[kept++] = lane;
        }
        w->delayed.len = kept;
    }
}

/* ---- beginning and end ---- */

static void count_links(struct fw_window *w)
{
    fw_vec_clear(&w->indegree);
    fw_vec_extend(&w->indegree, w->nodes);
    memset(w->indegree.at, 0, w->nodes * sizeof *w->indegree.at);
    for (uint32_t i = 0; i < w->nodes; i++)
        for (uint32_t link = w->out.at[i]; link != FW_NO_NODE; link = w->links.at[link].next)
            w->indegree.at[w->links.at[link].to]++;
}

/* The state that the frozen events leave. */
static void begin(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    count_links(w);
    fw_vec_clear(&w->done);
    fw_vec_extend(&w->done, w->lanes);
    memset(w->done.at, 0, w->lanes * sizeof *w->done.at);
    fw_vec_clear(&w->delayed);
    fw_vec_clear(&w->sequence);
    w->open_ties = 0;
    for (size_t i = 0; i < w->cells.len; i++) {
        w->cells.at[i].seen = FW_NO_NODE;
        w->cells.at[i].pending = w->cells.at[i].base_readers;
    }
    for (size_t i = 0; i < s->cut.touched.len; i++) {
        uint32_t thread = s->cut.touched.at[i], lane = s->lane_by_thread[thread];

        fw_held(s, thread, lane == FW_NO_NODE ? s->cut.len[thread] : w->lane.at[lane].base);
        for (size_t k = 0; k < s->held.len; k++)
            take(s, &s->core->trace->events[s->held.at[k]],
                 lane == FW_NO_NODE ? w->lanes : lane);
    }
}

static void forget_locks(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    for (size_t i = 0; i < w->holdings.len; i++)
        s->holding_by_lock[w->holdings.at[i].lock] = FW_NO_NODE;
    fw_vec_clear(&w->holdings);
}

/* The first waiting thread that only the state holds back. */
static uint32_t find_stuck(const struct fw_solver *s)
{
    const struct fw_window *w = &s->window;
    uint32_t first = FW_NO_NODE;

    for (size_t i = 0; i < w->delayed.len; i++) {
        uint32_t node = head(w, w->delayed.at[i]);

        if (w->indegree.at[node] == 0 && node < first)
            first = node;
    }
    return first;
}

enum fw_step fw_linearise(struct fw_solver *s)
{
    struct fw_window *w = &s->window;

    if (w->nodes > s->steps)
        return FW_STEP_SPENT;
    s->steps -= w->nodes;
    begin(s);
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (w->done.at[w->lane_of.at[node]] != w->order_in_lane.at[node])
            continue;
        if (!try_node(s, node))
            fw_vec_push(&w->delayed, w->lane_of.at[node]);
        else if (perform(s, node) && w->delayed.len)
            catch_up(s, node);
    }
    catch_up(s, w->nodes);
    forget_locks(s);
    if (w->sequence.len == w->nodes)
        return FW_STEP_DONE;
    s->stuck = find_stuck(s);
    return FW_STEP_STUCK;
}
