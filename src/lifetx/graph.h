/*
 * graph.h - conflict serialisability of transactions that can still be split.
 *
 * Every thread that runs is in one open transaction; what it did before is in finished ones.  An
 * edge leads from an event of one thread into a later one of another (a conflict, or one comes
 * before the other by synchronisation).  The run is serialisable unless the transactions depend on
 * each other in a cycle.  Events of a thread are counted from 0; a transaction is an interval.
 *
 * Only the open transaction of the thread that runs gets edges in, so what matters is what the open
 * ones reach.  Where a thread is reached, everything of it from there on is.  But an open
 * transaction may be split later, and then only its later part reaches what its later events lead
 * to.  So for each open transaction O and thread u there are
 *
 *     first    the earliest event of u that O reaches, all open transactions being atomic
 *     pairs    (c, d): event c of O reaches d of u by edges and finished transactions alone; both
 *              grow, for what an earlier event reaches that a later one does not is later
 *
 * `first` answers whether an edge closes a cycle; `pairs` tell which event of the transaction is
 * the last one that leads into the cycle, and what is left of `first` after a split.
 *
 * When a transaction ends, whoever reaches any of it reaches what it reaches: its pairs are handed
 * to those, and it is forgotten.  So finished transactions have no nodes.  A transaction that no
 * open one reaches is in no pair and cannot be in a cycle any more: that is the source's removal of
 * nodes without edges in.  (Its rule alone would keep all that was started after an open
 * transaction, which in most programs is everything: main's is open from the first fork to the
 * first join.)
 *
 * Nor do pairs grow with the run.  A transaction is split where a segment begins that its thread is
 * still in (a call, a loop, an iteration: *marks*), or before the event at hand.  Two events with
 * no mark between them will always be on one side, so one pair does for both.  Memory is open
 * transactions times threads reached times depth of the marks.
 *
 * Not thread-safe.
 */
#ifndef FW_LIFETX_GRAPH_H
#define FW_LIFETX_GRAPH_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct fw_txs;

/* An event: the nth of its thread. */
struct fw_tx_event {
    uint64_t n;
    uint32_t thread;
    uint32_t site; /* where, for who keeps it; nothing here depends on it */
};

FW_VEC_TYPE(fw_tx_events, struct fw_tx_event);

struct fw_txs *fw_txs_create(void);
void fw_txs_destroy(struct fw_txs *txs);

/* The number of the thread's next event, and of the first of its open transaction. */
uint64_t fw_txs_now(const struct fw_txs *txs, uint32_t thread);
uint64_t fw_txs_start(const struct fw_txs *txs, uint32_t thread);

/* A segment begins with the thread's next event; the innermost `count` of them are left. */
void fw_txs_mark(struct fw_txs *txs, uint32_t thread);
void fw_txs_unmark(struct fw_txs *txs, uint32_t thread, size_t count);

/*
 * Do edges from these events into the thread's next one close a cycle?  *last: the last event of
 * its transaction that leads to one of them.
 */
bool fw_txs_cycle(const struct fw_txs *txs, uint32_t thread, const struct fw_tx_events *from,
                  uint64_t *last);

/* Makes two of the open transaction: `at` is a mark or the next event, and begins the second. */
void fw_txs_split(struct fw_txs *txs, uint32_t thread, uint64_t at);

/* The thread's next event happens, with edges from these, which close no cycle. */
void fw_txs_event(struct fw_txs *txs, uint32_t thread, const struct fw_tx_events *from);

/* An edge to whatever a thread that has no event yet will do. */
void fw_txs_fork(struct fw_txs *txs, struct fw_tx_event from, uint32_t child);

/* The transaction ends before the next event; the thread ends with it. */
void fw_txs_end(struct fw_txs *txs, uint32_t thread);
void fw_txs_end_thread(struct fw_txs *txs, uint32_t thread);

/* What is held for edges: so many pairs and threads reached. */
size_t fw_txs_size(const struct fw_txs *txs);

#endif
