/*
 * lifetx_state.h - what learning knows while a trace goes by; private to src/lifetx.
 *
 * Segments of a thread stand in a stack, outermost first: calls, loops, and the present iteration
 * of each loop.  Each has a mark in the graph, in the same order.
 */
#ifndef FW_LIFETX_LIFETX_STATE_H
#define FW_LIFETX_LIFETX_STATE_H

#include "analysis/live.h"
#include "lifetx/graph.h"
#include "lifetx/lifetx.h"
#include "order/flow.h"

struct segment {
    enum fw_cut_kind kind; /* where it would be cut: CALL or ENTRY, LOOP, ITERATION */
    uint64_t entry;        /* the thread's event that it begins with */
    uint32_t place;        /* site, function or loop */
    uint32_t trips;        /* of a loop: iterations begun after the first */
};

/* An activation of a function. */
struct frame {
    size_t base;                /* its segments begin here, behind that of its call */
    bool placed;                /* `last` is known */
    struct fw_loop_place last;  /* where it was seen last */
};

struct actor {
    FW_VEC(struct segment) segments;
    FW_VEC(struct frame) frames; /* the first one has no call */
    struct fw_tx_event fork;     /* of it; known if it was forked */
    bool forked, split;          /* split: the open transaction is a part of one */
    uint64_t words;              /* that the open transaction accessed */
    uint32_t last;               /* site of its latest access; 0: there is none */
    uint32_t waits;              /* site of a release that may be a wait's, its latest event */
};

/* A variable or a lock: its latest write (exclusive release), and the reads (shared releases)
 * since, the latest of each thread.  One is in place; more of them in a list. */
struct cell {
    bool written, has_read;
    uint32_t list; /* 0: none; else counts from 1, and `read` is not used */
    struct fw_tx_event write, read;
};

_Static_assert(sizeof(struct cell) <= FW_LIVE_SIZE, "a cell fits into a line");

/* A site, worked out once. */
struct site {
    bool asked, placed;
    bool foreign; /* a call there cannot be told in a cutpoint: the entry of what it calls can */
    uint8_t cuts; /* a bit for each kind */
    struct fw_loop_place at;
    uint32_t first_reads; /* of a word in a transaction ... */
    uint32_t upgrades;    /* ... that wrote the word later */
    bool last, more;      /* accesses here were the last of a transaction; were not */
};

struct fw_lifetx {
    const struct fw_symbols *symbols;
    struct fw_lifetx_code code;
    struct fw_cuts *cuts;
    struct fw_lifetx_options options;
    struct fw_lifetx_stats stats;
    struct fw_txs *txs;
    FW_VEC(struct actor) actors;
    FW_VEC(struct site) sites;
    FW_VEC(uint8_t) functions; /* 0: not asked; 1: asked; 3: there is a cutpoint at its entry */
    FW_VEC(uint8_t) loops;     /* the same, with a bit 4 for LOOP and 8 for ITERATION */
    struct fw_live variables;  /* struct cell */
    FW_VEC(struct cell) locks;
    FW_VEC(struct fw_tx_events) readers;
    FW_VEC(uint32_t) free_readers;
    struct fw_flow *flow;
    FW_VEC(struct fw_tx_events) slots;
    struct fw_tx_events from; /* edges into the event at hand */
    struct fw_tx_event now;
    uint64_t position;
};

static inline struct actor *lifetx_actor(struct fw_lifetx *l, uint32_t t)
{
    if (FW_UNLIKELY(t >= l->actors.len))
        fw_vec_extend(&l->actors, t + (size_t)1);
    return &l->actors.at[t];
}

/* lifetx_segments.c */

/* The thread is at the site: loops begin, go round, or are left.  True: a cutpoint is passed. */
bool lifetx_at(struct fw_lifetx *l, uint32_t t, uint32_t site);
bool lifetx_call(struct fw_lifetx *l, uint32_t t, uint32_t function, uint32_t site);
void lifetx_return(struct fw_lifetx *l, uint32_t t);
/* Is there a cutpoint just before what happens at the site? */
bool lifetx_cut_before(struct fw_lifetx *l, uint32_t site);
/* Cuts between the thread's event `last` and its next one, which is at the site. */
void lifetx_cut(struct fw_lifetx *l, uint32_t t, uint32_t site, uint64_t last);
/* A transaction reads a word first at this site; it writes the word later. */
void lifetx_first_read(struct fw_lifetx *l, uint32_t site);
void lifetx_upgrade(struct fw_lifetx *l, uint32_t site);
/* Sites whose reads are mostly of words that are written later are claims. */
void lifetx_claim(struct fw_lifetx *l);
/* A transaction has ended whose last access was at this site; it goes on behind one. */
void lifetx_last(struct fw_lifetx *l, uint32_t site);
void lifetx_more(struct fw_lifetx *l, uint32_t site);
/* Which sites were the last of their transactions, and which were not. */
void lifetx_ends(struct fw_lifetx *l);
/* A system call at the site cannot be undone. */
void lifetx_cut_call(struct fw_lifetx *l, uint32_t site);


#endif
