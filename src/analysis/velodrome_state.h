/*
 * velodrome_state.h - what the velodrome analysis knows; private to velodrome*.c.
 *
 * A transaction is an outermost block of a thread, or an event outside all
 * blocks.  Edges lead from a transaction to a later one if an event of the
 * first conflicts with, or synchronises with, a later event of the second, or
 * if they are of the same thread.  The trace is serialisable unless there is a
 * cycle (Flanagan, Freund, Yi: Velodrome, PLDI 2008).
 *
 * Only an open transaction gets new edges in; so the only transactions whose
 * descendants matter are the open ones, at most one a thread.  And since the
 * transactions of a thread are ordered, what an open transaction reaches in
 * thread u is all from some number on.  So the whole graph is one table:
 *
 *     open.first[u]    the first transaction of thread u that it reaches
 *
 * An edge from transaction k of u into the open transaction of t closes a
 * cycle exactly if t's first[u] <= k.  Else every open transaction o with
 * first[u] <= k now reaches what t's reaches: first of o becomes the minimum
 * of both, once for each pair of open transactions, not once for each edge.
 *
 * A transaction that no open one reaches can never be in a cycle again; that
 * is the source's garbage collection, and here there is nothing to collect:
 * finished transactions have no nodes.  Memory is threads times open
 * transactions, and what is known of variables and locks.
 *
 * So that a cycle can be shown, each entry of the table has the link by which
 * the transaction was entered: the events at both ends of an edge.
 *
 * Events outside blocks share a number as long as no open transaction comes to
 * reach them in between (the source's merging of unary transactions).
 */
#ifndef FW_ANALYSIS_VELODROME_STATE_H
#define FW_ANALYSIS_VELODROME_STATE_H

#include "analysis/blocks.h"
#include "analysis/live.h"
#include "base/bug.h"
#include "order/flow.h"

#define VELODROME_NEVER UINT32_MAX

/* An event as the graph remembers it: 32 bytes, two to a cache line. */
struct access {
    uint64_t index;
    uint32_t transaction; /* number in its thread, from 1; 0: there is no event */
    uint32_t thread : 20;
    uint32_t kind : 8;
    uint32_t site;
    uint32_t block; /* label of its transaction's block, plus 1; 0: outside */
    struct fw_context context;
};

_Static_assert(sizeof(struct access) == 32, "an access is 32 bytes");

FW_VEC_TYPE(accesses, struct access);

/*
 * A variable or a lock: its latest write (exclusive release) and the reads
 * (shared releases) since, the latest of each thread.  One reader is in place;
 * more of them in a list, then readers counts from 1.
 */
struct cell {
    struct access write;
    union {
        struct access read;
        struct {
            uint64_t readers;
            uint32_t transaction; /* VELODROME_NEVER: there is a list */
        };
    };
};

_Static_assert(sizeof(struct cell) == FW_LIVE_SIZE, "a cell is a cache line");

#define VELODROME_NO_EVENT UINT64_MAX /* the index of what is not there */

/* An edge of the graph; fork has no event at its end, join none at its start. */
struct link {
    struct access from, to;
    uint32_t target; /* of both events */
};

/* An open transaction. */
struct open {
    uint32_t thread, place;   /* place in velodrome.open */
    uint32_t *first;          /* by thread; VELODROME_NEVER: it reaches nothing there */
    uint32_t *link;           /* by thread; how it got to first, in links */
    FW_VEC(uint32_t) touched; /* threads where it reaches something */
};

struct thread {
    struct fw_block_stack blocks;
    struct open *open;    /* NULL: outside all transactions */
    uint32_t level;       /* of the block that is the open transaction */
    uint32_t transaction; /* number of the present one, or of the next */
    bool used;            /* an event with edges out has this number */
    bool started;         /* there was an event of it ... */
    struct fw_mark first; /* ... this one */
    struct access fork;   /* of this thread; no event if it is a root */
};

struct velodrome {
    const struct fw_symbols *symbols;
    struct fw_findings *findings;
    bool functions, pairs_all;
    FW_VEC(struct thread) threads;
    FW_VEC(struct open *) open;
    FW_VEC(struct open *) spare;
    uint32_t width; /* threads that the tables of open transactions have room for */
    FW_VEC(struct link) links;
    FW_VEC(uint32_t) free_links;
    size_t link_limit; /* as many before the unused ones are looked for */
    struct fw_live variables; /* struct cell */
    FW_VEC(struct cell) locks;
    FW_VEC(struct accesses) readers;
    FW_VEC(uint32_t) free_readers;
    struct fw_flow *flow;
    FW_VEC(struct accesses) slots;
    FW_VEC(bool) refuted; /* functions that are known not to be atomic */
    struct fw_block_paths paths;
    struct velodrome_known *known; /* what has been reported */
    struct access now;             /* the event at hand */
    uint32_t now_target;
    const struct fw_place *now_place;
};

/* velodrome_graph.c */
struct thread *velodrome_thread(struct velodrome *v, uint32_t t);
/* The thread's innermost block is new, or inner blocks have ended. */
void velodrome_enter(struct velodrome *v, uint32_t t);
void velodrome_leave(struct velodrome *v, uint32_t t);
/* Remembers the event at hand, whose edges come next. */
void velodrome_event(struct velodrome *v, const struct fw_place *place);
/* An edge from an earlier event of another thread into the event at hand. */
void velodrome_add_edge(struct velodrome *v, const struct access *from);
void velodrome_fork(struct velodrome *v, uint32_t child);
void velodrome_join(struct velodrome *v, uint32_t child);
/* Can the transaction of this event still be in a cycle? */
bool velodrome_alive(const struct velodrome *v, const struct access *access);
void velodrome_graph_release(struct velodrome *v);

/* The thread of the event at hand. */
static inline struct thread *velodrome_actor(struct velodrome *v, const struct fw_place *place)
{
    uint32_t t = place->batch->events[place->i].thread;
    struct thread *thread = t < v->threads.len ? &v->threads.at[t] : velodrome_thread(v, t);

    if (FW_UNLIKELY(!thread->started)) {
        thread->started = true;
        thread->first = fw_place_mark(place);
    }
    return thread;
}

/* An edge from an earlier event, if there is one, into the event at hand. */
static inline void velodrome_edge(struct velodrome *v, const struct access *from)
{
    if (from->transaction && from->thread != v->now.thread)
        velodrome_add_edge(v, from);
}

/* The event at hand may have edges out: its number is taken. */
static inline const struct access *velodrome_use(struct velodrome *v)
{
    v->threads.at[v->now.thread].used = true;
    return &v->now;
}

/* velodrome_report.c: the edge into the event at hand closes a cycle. */
void velodrome_report(struct velodrome *v, const struct link *closing);
void velodrome_report_release(struct velodrome *v);

#endif
