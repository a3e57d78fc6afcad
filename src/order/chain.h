/*
 * chain.h - a partial order over chains, to which edges are added and taken away.
 *
 * A chain is a sequence of places, each before the next: a thread and its
 * events, say.  Edges order places of different chains; the relation is what
 * follows from chains and edges together.  A node is a place of a chain.
 *
 *     order = fw_chain_create();
 *     if (!fw_chain_reach(order, b, a))            else it would close a cycle
 *         fw_chain_insert(order, a, b);
 *     fw_chain_succ(order, a, chain);              the earliest place there that a reaches
 *     fw_chain_pred(order, b, chain);              the latest place there that reaches b
 *     fw_chain_delete(order, a, b);
 *
 * Neither the number of chains nor their lengths are given in advance.  Edges
 * are a multiset: one that was inserted twice must be deleted twice.  A node
 * reaches itself and all that is behind it in its chain, so the own place is
 * the answer on the own chain.
 *
 * Edges are kept as they are, by pair of chains (edges.h), not closed under
 * transitivity: that is what makes them deletable.  Queries search: what is
 * known best of each chain is passed on along the pairs that have edges until
 * nothing improves.  With k chains that have edges and e edges between two of them:
 *
 *     insert, delete        O(log e)
 *     succ_all, pred_all    O(k p log e) at worst, where p pairs have edges; mostly p looks at
 *                           four words, and a descent of O(log e) for each improvement
 *     succ, pred            the same: who needs several chains asks for all
 *     reach                 the same; searches from both ends and stops where they meet
 *     memory                about 12 to 25 bytes an edge, 100 to 200 a pair of chains that ever
 *                           had an edge, 400 a chain; nothing for places
 *
 * Cycles: nothing prevents them (the caller asks reach first).  Answers then
 * still are exact for the relation as it is, where nodes on a cycle reach each
 * other and what is before them in their chains' cycles: succ on the own chain
 * may be earlier than the node.  No query ever fails to end.
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
/* Takes one such edge away; false if there is none. */
bool fw_chain_delete(struct fw_chain *order, struct fw_node a, struct fw_node b);

bool fw_chain_reach(struct fw_chain *order, struct fw_node a, struct fw_node b);

/* A place, or FW_CHAIN_NONE. */
uint32_t fw_chain_succ(struct fw_chain *order, struct fw_node a, uint32_t chain);
uint32_t fw_chain_pred(struct fw_chain *order, struct fw_node b, uint32_t chain);

/* The same for the chains 0 .. chains - 1, in one search. */
void fw_chain_succ_all(struct fw_chain *order, struct fw_node a, uint32_t *places, uint32_t chains);
void fw_chain_pred_all(struct fw_chain *order, struct fw_node b, uint32_t *places, uint32_t chains);

uint64_t fw_chain_edges(const struct fw_chain *order); /* there now */
size_t fw_chain_bytes(const struct fw_chain *order);   /* memory it takes */

/* Aborts if an invariant is broken; for tests. */
void fw_chain_check(const struct fw_chain *order);

#endif
