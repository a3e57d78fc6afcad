/*
 * layer.h - edges between chains, by pair of chains; one of the two layers of an order (chain.h).
 *
 * A pair of chains that has edges is in two lists, of those out of the one
 * chain and of those into the other, each time with a copy of its set of edges,
 * whose last source and first target often tell without a look at the edges
 * that the pair cannot improve anything.  Pairs stay when their last edge goes.  There is no table
 * of all pairs: chains may be many.
 *
 * Embedded in its owner: fw_layer_release frees, all zero is empty.  Nodes must be
 * of chains that the layer has room for.  Not thread-safe, but questions change
 * nothing.
 */
#ifndef FW_ORDER_LAYER_H
#define FW_ORDER_LAYER_H

#include "base/idmap.h"
#include "base/vec.h"
#include "order/chain.h"
#include "order/edges.h"

/* A pair of chains as one of them sees it. */
struct fw_arc {
    uint32_t chain; /* the other one */
    uint32_t pair;
    struct fw_edges edges; /* a copy; of no edges such that no question is worth asking */
};

FW_VEC_TYPE(fw_arcs, struct fw_arc);

struct fw_chain_arcs {
    struct fw_arcs out, in;
};

struct fw_chain_pair {
    struct fw_edges edges;
    uint32_t from, to;
    uint32_t out, in; /* where it is in the lists of the two */
};

struct fw_layer {
    struct fw_chain_arcs *chains;
    uint32_t room; /* for so many chains */
    FW_VEC(struct fw_chain_pair) pairs;
    struct fw_idmap pair_of; /* (from, to) → pair */
    struct fw_edge_pool pool;
    uint64_t count; /* edges */
};

void fw_layer_release(struct fw_layer *layer);
void fw_layer_clear(struct fw_layer *layer); /* memory is kept */
void fw_layer_grow(struct fw_layer *layer, uint32_t room);

void fw_layer_insert(struct fw_layer *layer, struct fw_node a, struct fw_node b);
void fw_layer_insert_useful(struct fw_layer *layer, struct fw_node a, struct fw_node b);
bool fw_layer_delete(struct fw_layer *layer, struct fw_node a, struct fw_node b);

/* The edges between two chains will be asked for or changed soon. */
void fw_layer_prefetch(const struct fw_layer *layer, uint32_t from, uint32_t to);

/* Over one edge: see fw_edges_target and fw_edges_source. */
uint32_t fw_layer_target(const struct fw_layer *layer, struct fw_node a, uint32_t chain,
                         uint32_t bound);
uint32_t fw_layer_source(const struct fw_layer *layer, struct fw_node b, uint32_t chain);

size_t fw_layer_bytes(const struct fw_layer *layer);
void fw_layer_check(const struct fw_layer *layer); /* aborts if an invariant is broken; for tests */

#endif
