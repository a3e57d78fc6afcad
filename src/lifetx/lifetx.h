/*
 * lifetx.h - learns from a trace where transactions may be cut (LifeTx).
 *
 * At first every thread is one transaction.  Where a run is not serialisable, one of its
 * transactions was not atomic after all, and the run is known to be good: so it is cut, there and
 * in every run to come.  What is never cut was atomic in all runs that were seen.
 *
 *     learner = fw_lifetx_create(symbols, &code, cuts, &options);
 *     for each batch of the trace:
 *         fw_lifetx_batch(learner, &batch);
 *     fw_lifetx_finish(learner);
 *     stats = fw_lifetx_stats(learner);
 *
 * Edges between transactions (graph.h): conflicting accesses, atomic ones too (free is a write);
 * release to acquire unless both are shared; fork, join; notify to wake, post to pend, barriers,
 * what the kernel carries.  Accesses inside synchronisation functions are in no trace; only the
 * order that they make counts.
 *
 * On a cycle the transaction of the event that closes it is cut between the last of its events that
 * leads into the cycle and this one: before the outermost segment (call, loop, iteration) that
 * holds this event and not that one, or before this event.  All edges into an event are looked at
 * together, so that one cut does for all.  After it the run is serialisable again.  Since a
 * cutpoint cuts wherever its place is passed, a second look at the same trace finds no cycle: its
 * transactions are parts of those of the first, and a cycle of parts would be one of the wholes.
 *
 * Loops that go round more often than `trips` get a cutpoint for each iteration, if that is asked
 * for; and, if asked for, so does every place where the kernel carries something from one thread to
 * another: it cannot be undone.
 *
 * A *claim* is a site of reads whose transactions mostly write the word later.  Two transactions
 * that have both read what both will write cannot be kept apart by waiting any more; who enforces
 * transactions lets the read keep others away as the write would.  (Not in the source.)
 *
 * An access that was the *last* of its transaction whenever it was made ends it for those who
 * enforce it, who need not wait then for the cutpoint that follows (`ends`; not in the source).
 *
 * Source: Yu's dissertation "Finding and tolerating concurrency bugs", chapter VI.  docs/lifetx.md
 * tells where this differs and why.  Memory follows live variables and open transactions, not the
 * trace.  Not thread-safe.
 */
#ifndef FW_LIFETX_LIFETX_H
#define FW_LIFETX_LIFETX_H

#include "lifetx/cuts.h"
#include "symbol/loops.h"
#include "trace/batch.h"
#include "trace/symbols.h"

/* Loops around the sites of a trace; all NULL: none are known. */
struct fw_lifetx_code {
    void *me;
    /* Where the site is; false: not known. */
    bool (*at)(void *me, const char *site, struct fw_loop_place *place);
    uint32_t (*parent)(void *me, uint32_t loop);
    bool (*again)(void *me, uint32_t loop, uint64_t from, uint64_t to);
    /* Where its header is.  The caller frees it. */
    char *(*name)(void *me, uint32_t loop);
    /* Can a call at the site be told in a cutpoint?  NULL: any can. */
    bool (*can_cut)(void *me, const char *site);
};

/* A transaction is split while learning: for tests and explanations. */
struct fw_lifetx_split {
    uint64_t position; /* of the event that closes the cycle */
    uint32_t thread;
    uint64_t at; /* the number in its thread of the first event behind the cut */
    enum fw_cut_kind kind;
    const char *place;
    bool known; /* the cutpoint is not new: it came after the transaction had passed the place */
};

struct fw_lifetx_options {
    uint32_t trips; /* 0: loops may be long */
    bool system_calls;
    bool ends; /* which accesses are the last of their transactions is of interest */
    void (*on_split)(void *me, const struct fw_lifetx_split *split); /* or NULL */
    void *me;
};

/* Bucket i counts what is below 2^i and not in the one before. */
#define FW_LIFETX_BUCKETS 40u

struct fw_lifetx_spread {
    uint64_t count, sum, most;
    uint64_t buckets[FW_LIFETX_BUCKETS];
};

/* Transactions that were split while learning are not among those measured. */
struct fw_lifetx_stats {
    uint64_t events; /* accesses and synchronisation */
    uint64_t splits, new_cuts;
    uint64_t long_loops, calls;      /* cutpoints for these alone, of the new ones */
    uint64_t claims;                 /* new ones; they are no cutpoints */
    struct fw_lifetx_spread length;  /* of transactions, in events */
    struct fw_lifetx_spread touched; /* words accessed in them */
};

struct fw_lifetx;

/* All are borrowed and outlive it; cutpoints that are found go into `cuts`. */
struct fw_lifetx *fw_lifetx_create(const struct fw_symbols *symbols,
                                   const struct fw_lifetx_code *code, struct fw_cuts *cuts,
                                   const struct fw_lifetx_options *options);
void fw_lifetx_destroy(struct fw_lifetx *learner);
void fw_lifetx_batch(struct fw_lifetx *learner, const struct fw_batch *batch);
/* The trace ends here. */
void fw_lifetx_finish(struct fw_lifetx *learner);
const struct fw_lifetx_stats *fw_lifetx_stats(const struct fw_lifetx *learner);
/* What is held for edges between transactions (fw_txs_size). */
size_t fw_lifetx_size(const struct fw_lifetx *learner);

/* Adds the counts of another trace. */
void fw_lifetx_stats_add(struct fw_lifetx_stats *stats, const struct fw_lifetx_stats *other);
/* The bucket below whose bound are at least so many of a thousand; its bound is 2^bucket. */
unsigned fw_lifetx_quantile(const struct fw_lifetx_spread *spread, unsigned of_thousand);

#endif
