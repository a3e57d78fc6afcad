/*
 * chain.h - a partial order over chains, to which edges are added and taken away.
 *
 * A chain is a sequence of places, each before the next: a thread and its
 * events, say.  Edges order places of different chains; the relation is what
 * follows from chains and edges together.  A node is a place of a chain.
 *
 *     order = fw_chain_create();
 *     if (!fw_chain_reach(order, b, a))            else it would close a cycle
 *         fw_chain_insert(order, a, b);            or fw_chain_settle
 *     fw_chain_succ(order, a, chain);              the earliest place there that a reaches
 *     fw_chain_pred(order, b, chain);              the latest place there that reaches b
 *     fw_chain_delete(order, a, b);
 *
 * Neither the number of chains nor their lengths are given in advance.  A node
 * reaches itself and all that is behind it in its chain, so the own place is
 * the answer on the own chain.
 *
 * There are two ways to add an edge, and they go together in one order:
 *
 *     insert   keeps the edge as it is, so that it can be deleted.  Inserted edges are a
 *              multiset: one that was inserted twice must be deleted twice.
 *     settle   adds it for good and closes what is settled under transitivity, so that
 *              queries need not search.
 *
 * Both are kept by pair of chains, as sets of edges (edges.h).  A query asks
 * the settled edges and then searches over the inserted ones: what is known
 * best of each chain is passed on until nothing improves.  With k chains and at most e
 * edges between two of them:
 *
 *                        nothing inserted      inserted edges between p pairs of chains
 *     insert, delete     O(log e)              O(log e)
 *     settle             O(k² log e) at worst, O(k log e) where it orders little that is new
 *     reach, succ, pred  O(log e)              O(k p log e) at worst
 *     *_all              O(k log e)            the same: who needs several chains asks for all
 *
 * reach searches from both ends and stops where they meet.  Memory: 12 to 25
 * bytes for each inserted edge and for each settled one and what follows from
 * it (a settled edge may order places of all pairs of chains; only the orders that others
 * do not imply are kept, at most one for each chain and source of an edge); 100 to 200
 * bytes for a pair of chains that ever had an edge, 800 for a chain; nothing for places.
 *
 * Cycles: nothing prevents them (the caller asks reach first).  Answers then
 * still are exact for the relation as it is: nodes on a cycle reach each other,
 * so succ on the own chain may be earlier than the node.  No query fails to end.
 *
 * Thread-safety: none; queries use scratch memory of the order as well.
 */
#ifndef FW_ORDER_CHAIN_H
#define FW_ORDER_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_CHAIN_NONE UINT32_MAX /* no place; places are below it, and so are chains */

struct fw_node {
    uint32_t chain, place;
};

struct fw_chain;

struct fw_chain *fw_chain_create(void);
void fw_chain_destroy(struct fw_chain *order);
void fw_chain_clear(struct fw_chain *order); /* no edges and no chains; memory is kept */

void fw_chain_insert(struct fw_chain *order, struct fw_node a, struct fw_node b);
/* Takes one edge away that was inserted; false if there is none such. */
bool fw_chain_delete(struct fw_chain *order, struct fw_node a, struct fw_node b);
void fw_chain_settle(struct fw_chain *order, struct fw_node a, struct fw_node b);

bool fw_chain_reach(struct fw_chain *order, struct fw_node a, struct fw_node b);

/* A place, or FW_CHAIN_NONE. */
uint32_t fw_chain_succ(struct fw_chain *order, struct fw_node a, uint32_t chain);
uint32_t fw_chain_pred(struct fw_chain *order, struct fw_node b, uint32_t chain);

/* The same for the chains 0 .. chains - 1, at once. */
void fw_chain_succ_all(struct fw_chain *order, struct fw_node a, uint32_t *places, uint32_t chains);
void fw_chain_pred_all(struct fw_chain *order, struct fw_node b, uint32_t *places, uint32_t chains);

uint64_t fw_chain_inserted(const struct fw_chain *order); /* inserted edges that are there now */
size_t fw_chain_bytes(const struct fw_chain *order);      /* memory it takes */

/* Aborts if an invariant is broken; for tests. */
void fw_chain_check(const struct fw_chain *order);

#endif
