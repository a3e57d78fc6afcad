/*
 * edges.h - the edges from one chain to another, as a set that grows and shrinks.
 *
 * An edge goes from a place of the first chain (its source) to a place of the
 * second (its target).  The set is a multiset, and two questions are asked:
 *
 *     the earliest target of the edges that start at place i or later;
 *     the latest source of the edges that end at place j or earlier.
 *
 * Both are answered by one tree: the edges sorted by source and then target,
 * in nodes of up to 42 edges, where each entry of a node also has the least
 * target of itself and all entries behind it.  That column never falls from
 * left to right, so either question is one binary search in each node on the
 * way down.  Compare the sparse segment trees of Tunc, Deshmukh, Cirisci, Enea
 * and Pavlogiannis, "CSSTs: A Dynamic Data Structure for Partial Orders in
 * Concurrent Execution Analysis", ASPLOS 2024: the same two questions, but
 * nodes of one cache line or a few instead of two children, and no dependence
 * on the length of the chain.
 *
 * Cost: insert, delete and both questions take O(log edges).  Memory: nothing
 * for one edge, otherwise about 12 to 25 bytes an edge, from the pool.
 *
 * Invariants (`fw_edges_check` looks at them):
 *     count <= 1: there are no nodes; the one edge is (last_source, first_target).
 *     count >= 2: last_source is the largest source, first_target the least target.
 *     A node has at least one entry, a root that is not a leaf at least two; all
 *     leaves are on level 0, the root on level `height`.
 *
 * A pool serves many sets and owns their nodes: a set has nothing to release,
 * and an all-zero set is empty.  Places are below UINT32_MAX.  Not thread-safe,
 * but questions change nothing.
 */
#ifndef FW_ORDER_EDGES_H
#define FW_ORDER_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_EDGE_CLASSES 4 /* sizes of nodes */

struct fw_edge_pool {
    uint32_t *words;
    size_t used, cap;               /* words; a node is named by its first word */
    uint32_t free[FW_EDGE_CLASSES]; /* lists of nodes given back; 0: none */
};

struct fw_edges {
    uint32_t count;
    uint32_t root, height;
    uint32_t last_source, first_target; /* if count */
};

void fw_edge_pool_init(struct fw_edge_pool *pool);
void fw_edge_pool_release(struct fw_edge_pool *pool);
void fw_edge_pool_clear(struct fw_edge_pool *pool); /* all its sets are void; memory is kept */

void fw_edges_insert(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                     uint32_t target);
/* Removes one such edge; false if there is none. */
bool fw_edges_delete(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                     uint32_t target);

/*
 * Inserts an edge unless it answers no question, and deletes those that with it no longer answer
 * any.  For sets that are changed by nothing else: then a later source has a later target.
 */
void fw_edges_insert_useful(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                            uint32_t target);

/* The earliest target from `source` or later if it is below `bound`, else `bound`. */
uint32_t fw_edges_target(const struct fw_edge_pool *pool, const struct fw_edges *edges,
                         uint32_t source, uint32_t bound);
/* 1 + the latest source of an edge to `target` or earlier; 0 if there is none. */
uint32_t fw_edges_source(const struct fw_edge_pool *pool, const struct fw_edges *edges,
                         uint32_t target);

/* A question will be asked soon. */
static inline void fw_edges_prefetch(const struct fw_edge_pool *pool, const struct fw_edges *edges)
{
    const uint32_t *root = pool->words + edges->root;

    if (edges->count < 2)
        return;
    __builtin_prefetch(root);
    __builtin_prefetch(root + 16);
    __builtin_prefetch(root + 52);
    __builtin_prefetch(root + 104);
}

/* Aborts if an invariant is broken; for tests. */
void fw_edges_check(const struct fw_edge_pool *pool, const struct fw_edges *edges);

#endif
