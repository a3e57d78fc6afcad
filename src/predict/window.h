/*
 * window.h - a question at work.  For src/predict only.
 *
 * The cut says which events the reordering holds at least (core.h).  Taken in
 * the order of the trace they are a correct reordering, except where an order
 * is asked for that the trace does not have, where a section that stays open
 * stands before another one of its lock, and where a try has lost the holder
 * that made it fail.  Everything before the first such place is *frozen*: it
 * is taken as it is.  The rest is the window: its events are nodes, numbered
 * in the order of the trace, and a partial order over them is kept closed
 * (closure.c) and linearised (linear.c); what neither decides is a choice
 * (search.c).
 *
 * The partial order is a matrix of clocks: clock[node][t] is how many of the
 * window's events of thread t come before the node or are it.  An edge is
 * inserted by joining clocks along the edges until nothing changes.  (The
 * general structure for orders under insertion and deletion, order/chain.h,
 * takes less memory, but every rule here asks about all threads at once, and
 * a row of clocks answers that with one load.)
 *
 * That frozen events come first is an assumption.  What follows without it is
 * a fact; if only the assumption makes the question infeasible, the window is
 * widened, to the beginning of the trace if need be.
 */
#ifndef FW_PREDICT_WINDOW_H
#define FW_PREDICT_WINDOW_H

#include "predict/core.h"

#define FW_NO_NODE UINT32_MAX

/* By positions: `from` comes before `to` if both are there. */
struct fw_arrow {
    uint32_t from, to;
};

FW_VEC_TYPE(fw_arrows, struct fw_arrow);
FW_VEC_TYPE(fw_numbers, uint32_t);

/* A thread's part of the window. */
struct fw_lane {
    uint32_t thread;
    uint32_t base;  /* places below are frozen */
    uint32_t count; /* nodes */
    uint32_t row;   /* its nodes: rows[row] .. */
};

/* A node's successor in another thread. */
struct fw_link {
    uint32_t to, next; /* next in links, FW_NO_NODE: the last one */
};

/* An edge one of whose ends has not been swept yet. */
struct fw_late_link {
    uint32_t from, to, next;
};

/* The accesses of one variable in one lane that rules speak of. */
struct fw_slot {
    uint32_t lane, next;   /* of the variable's next slot */
    uint32_t first, count; /* its writes, in window writes: nodes */
    uint32_t base_reader;  /* the lane's last read that must see what was there before the window */
};

/* A variable that is written in the window. */
struct fw_cell {
    uint32_t slots;        /* the first one */
    uint32_t base_readers; /* how many reads must see what was there before the window */
    bool base_is_none;     /* ... which is no write at all */
    /* while linearising */
    uint32_t seen;    /* the latest write's node; FW_NO_NODE: what was there before */
    uint32_t pending; /* reads that must still see it */
};

/* A read that must see a write of the window. */
struct fw_reader_link {
    uint32_t node, next;
};

/* Is a read held to a write? */
enum fw_must {
    FW_MUST_NOTHING,
    FW_MUST_SEE,
    FW_MUST_MATCH, /* any write of its value; none has been chosen yet */
};

/* A lock while linearising. */
struct fw_holding {
    uint32_t lock;
    uint32_t writer; /* lane or FW_NO_NODE */
    uint32_t readers;
};

struct fw_window {
    uint32_t start; /* first position that is not frozen */
    uint32_t nodes, lanes;
    FW_VEC(struct fw_lane) lane;
    struct fw_numbers position, lane_of, order_in_lane, rows;
    FW_VEC(uint32_t) clock; /* nodes times lanes */
    struct fw_numbers out;  /* node → links */
    FW_VEC(struct fw_link) links;
    uint32_t swept;         /* nodes below have a clock and are in order with each other */
    struct fw_numbers late; /* node → links that wait until it is swept, in late_links */
    FW_VEC(struct fw_late_link) late_links;
    FW_VEC(uint8_t) must;   /* node → enum fw_must */
    struct fw_numbers sees; /* of a node with FW_MUST_SEE: the write, FW_NO_EVENT: none */
    struct fw_numbers cell_of, slot_of, writes_before, writes; /* of accesses */
    FW_VEC(struct fw_cell) cells;
    FW_VEC(struct fw_slot) slots;
    struct fw_numbers readers, reader_count; /* write node → the last reader of each lane; all */
    FW_VEC(struct fw_reader_link) reader_links;
    struct fw_numbers queue; /* nodes whose rules have to be looked at again */
    FW_VEC(uint8_t) queued;
    struct fw_numbers stack; /* nodes whose clocks have to be passed on */
    struct fw_numbers indegree, done, delayed, sequence; /* linear.c */
    FW_VEC(struct fw_holding) holdings;
    FW_VEC(uint8_t) parts;           /* with ties: node → bit i: it would part tie i */
    struct fw_numbers parting;       /* those nodes, by tie, then lane, ascending ... */
    struct fw_numbers parting_start; /* ... from here on: tie times lanes, plus lane */
    unsigned open_ties;              /* while linearising: bit i: a is done and b is not */
};

enum fw_step {
    FW_STEP_DONE,
    FW_STEP_IMPOSSIBLE,
    FW_STEP_GROWN, /* the cut had to grow: build the window again */
    FW_STEP_WIDEN, /* impossible under the assumption */
    FW_STEP_SPENT,
    FW_STEP_STUCK, /* a choice is needed */
};

/* Where the witness is. */
enum fw_unwritten {
    FW_WITNESS_WRITTEN,  /* in `witness`, or there is none */
    FW_WITNESS_IN_ORDER, /* the events of `scratch`, in the order of the trace */
    FW_WITNESS_SEARCHED, /* the cut and the window's sequence */
};

/* How the latest question was answered. */
enum fw_how {
    FW_AT_ONCE,
    FW_BY_CLOSURE,
    FW_BY_CHOICE,
};

/* a => b: nothing that would part them comes between (ties.c). */
struct fw_tie {
    uint32_t a, b;           /* positions */
    uint32_t node_a, node_b; /* of the present window */
    bool both_write;
};

#define FW_MAX_TIES 2u

struct fw_solver {
    const struct fw_core *core;
    struct fw_budget budget;
    struct fw_solver_stats stats;
    uint64_t steps; /* left for this question */
    enum fw_how how;
    enum fw_unwritten unwritten;

    /* the question */
    enum fw_claim claim;
    const uint32_t *events;
    uint32_t event_count;
    uint32_t waiting[2];        /* of an iroot that is a deadlock: its events as such */
    struct fw_tie ties[FW_MAX_TIES];
    uint32_t tie_count;         /* 0 unless the claim is FW_CLAIM_IROOT */
    uint32_t *cap;              /* by thread: the most events; core->limit unless asked */
    struct fw_numbers capped;   /* threads whose cap is not the limit */

    /* the search's state */
    struct fw_cut cut;
    struct fw_arrows edges;  /* facts and choices so far */
    struct fw_arrows forced; /* what the question and open sections demand of this cut */
    bool loose;               /* reads may see other writes of their value */
    struct fw_arrows assigned; /* which one, where that was chosen: from the write (FW_NO_EVENT:
                                 none) to the read */
    uint32_t start;         /* of the window, at most */
    uint32_t widen_to;      /* after FW_STEP_WIDEN: where it has to reach, at most */
    bool refuting;          /* only facts are looked for, in a small window */
    bool assuming;          /* that frozen events come first */
    bool grown_assuming;    /* the cut has events that only follow from that */
    uint32_t stuck;         /* after FW_STEP_STUCK: the node that cannot go on */
    struct fw_window window;

    struct fw_cut scratch;
    uint32_t *lane_by_thread, *cell_by_variable, *holding_by_lock; /* FW_NO_NODE: none */
    struct fw_numbers held; /* see fw_held */
    struct fw_numbers witness;
};

static inline bool fw_stopped(const struct fw_solver *s)
{
    return s->budget.stop && atomic_load(s->budget.stop);
}

/* ---- question.c ---- */

/* Sets cap and cut.  False: there can be no witness. */
bool fw_question_begin(struct fw_solver *s);
/* Closes a cut that has grown under what the claim demands; false: it exceeds a cap. */
bool fw_question_close(const struct fw_solver *s, struct fw_cut *cut);
/* Adds the event to the cut; false: it exceeds a cap. */
bool fw_question_grow(struct fw_solver *s, uint32_t event);
/* The same for a write that has to be untainted. */
bool fw_question_grow_clean(struct fw_solver *s, uint32_t write);
/* Fills s->forced, growing the cut as that demands.  False: impossible. */
bool fw_question_force(struct fw_solver *s);
/* Is the cut, grown as needed (into s->scratch), a witness in the order of the trace? */
bool fw_question_in_order(struct fw_solver *s);
/* Closes sections that stand before others where the claim allows it, needed or not. */
void fw_question_tidy(struct fw_solver *s);
/* Writes the witness: the cut's events before `start`, s->window.sequence, what the claim adds. */
void fw_question_write(struct fw_solver *s, const struct fw_cut *cut, uint32_t start);

/* ---- sections.c ---- */

/*
 * The acquires whose locks the thread holds after its first `len` events, into s->held.
 */
void fw_held(struct fw_solver *s, uint32_t thread, uint32_t len);
/* Do two acquires of one lock exclude each other? */
bool fw_sections_conflict(const struct fw_core *core, uint32_t a, uint32_t b);
/* The latest acquire of the group that conflicts with the acquire and is among the first len
 * events of its thread. */
uint32_t fw_last_conflict(const struct fw_core *core, const struct fw_group *group, uint32_t len,
                          uint32_t acquire);
/* Is the event among those of the cut? */
static inline bool fw_cut_has(const struct fw_core *core, const struct fw_cut *cut, uint32_t e)
{
    return fw_place_of(core, e) < cut->len[fw_thread_of(core, e)];
}
/* Does a section of another thread in the cut come after this open one, in the trace? */
bool fw_stands_before(const struct fw_core *core, const struct fw_cut *cut, uint32_t acquire);
/* The position of the first open section that stands before another of its lock, or `limit`. */
uint32_t fw_sections_start(struct fw_solver *s, const struct fw_cut *cut, uint32_t limit);
/* The section (its acquire) that made a try fail, if it is in the cut (NULL: at all), or
 * FW_NO_EVENT. */
uint32_t fw_try_holder(const struct fw_core *core, const struct fw_cut *cut, uint32_t tryfail);

/* ---- window.c ---- */

/* Nodes and variables, no clocks yet.  FW_STEP_DONE, SPENT. */
enum fw_step fw_window_build(struct fw_solver *s);
/* The next node gets its clock: after its thread's previous one and what the trace demands. */
void fw_window_sweep(struct fw_solver *s);
/* Has the edge wait until both nodes are swept. */
void fw_window_later(struct fw_window *window, uint32_t from, uint32_t to);
/* from comes before to, the node that is being swept. */
void fw_window_link(struct fw_window *window, uint32_t from, uint32_t to);
/* The node of an event in the cut, FW_NO_NODE if it is frozen. */
uint32_t fw_window_node(const struct fw_solver *s, uint32_t event);
void fw_window_forget(struct fw_solver *s); /* before the next build */
void fw_window_release(struct fw_window *window);

static inline uint32_t *fw_clock(const struct fw_window *w, uint32_t node)
{
    return w->clock.at + (size_t)node * w->lanes;
}

/* Is a before b, or the same? */
static inline bool fw_reaches(const struct fw_window *w, uint32_t a, uint32_t b)
{
    return fw_clock(w, b)[w->lane_of.at[a]] > w->order_in_lane.at[a];
}

/* ---- ties.c ---- */

/* The ties of an iroot; of one that is a deadlock the question becomes that. */
void fw_ties_set(struct fw_solver *s);
/* Does the must-order turn one round? */
bool fw_ties_contradict(const struct fw_solver *s);
/* Would the event part the tie, if it came between?  Its own two would not. */
bool fw_tie_parts(const struct fw_core *core, const struct fw_tie *tie, uint32_t event);
/* Of an access: its thread's one before it of the same object, and the one behind it, or
 * FW_NO_EVENT. */
uint32_t fw_own_before(const struct fw_core *core, uint32_t event);
uint32_t fw_own_behind(const struct fw_core *core, uint32_t event);
/* In the order of the trace, does no event of the cut part a tie? */
bool fw_ties_in_order(const struct fw_solver *s, const struct fw_cut *cut);
/* Marks the nodes of a window that would part ties. */
void fw_ties_build(struct fw_solver *s);
/* The last of the lane's first `count` nodes that would part the tie, or FW_NO_NODE. */
uint32_t fw_tie_last(const struct fw_window *w, uint32_t tie, uint32_t lane, uint32_t count);

/* ---- merge.c ---- */

/* The events of the cut with from <= position < to, ascending, appended to *into. */
void fw_merge(const struct fw_core *core, const struct fw_cut *cut, uint32_t from, uint32_t to,
              struct fw_numbers *into);

/* ---- closure.c ---- */

/* Inserts edges and forced edges, applies the rules until nothing changes.  New edges that are
 * facts are added to s->edges.  Any step but STUCK. */
enum fw_step fw_closure(struct fw_solver *s);

/* ---- linear.c ---- */

/* May the read, which must see some write of its value, see what is there now? */
bool fw_linear_matches(const struct fw_solver *s, uint32_t node);

/* DONE: window.sequence has the order; STUCK: s->stuck. */
enum fw_step fw_linearise(struct fw_solver *s);

/* ---- search.c ---- */

enum fw_answer fw_search(struct fw_solver *s);

#endif
