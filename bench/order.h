/*
 * order.h - partial orders over chains, as bench_order compares them.
 *
 * A rival keeps an order over chains whose lengths are known in advance; its
 * answers are places, FW_CHAIN_NONE for none.  `insert` is called only with edges that close no
 * cycle and are not there yet.
 */
#ifndef BENCH_ORDER_H
#define BENCH_ORDER_H

#include "order/chain.h"

struct edge {
    struct fw_node a, b;
};

struct shape {
    uint32_t chains;
    const uint32_t *lengths;             /* by chain */
    const uint32_t *chain_of, *place_of; /* by event, in an order that all first edges obey */
    uint32_t events;
};

struct rival {
    const char *name;
    void *(*create)(const struct shape *shape);
    void (*destroy)(void *order);
    /* The first edges all at once, sorted by where they end. */
    void (*build)(void *order, const struct edge *edges, uint32_t count);
    void (*insert)(void *order, struct fw_node a, struct fw_node b);
    void (*try)(void *order, struct fw_node a, struct fw_node b);    /* or NULL: cannot delete */
    void (*delete)(void *order, struct fw_node a, struct fw_node b); /* what was tried */
    bool (*reach)(void *order, struct fw_node a, struct fw_node b);
    uint32_t (*succ)(void *order, struct fw_node a, uint32_t chain);
    uint32_t (*pred)(void *order, struct fw_node b, uint32_t chain);
    void (*succ_all)(void *order, struct fw_node a, uint32_t *places);
    void (*pred_all)(void *order, struct fw_node b, uint32_t *places);
    size_t (*bytes)(const void *order);
};

extern const struct rival rival_settled, rival_inserted;
extern const struct rival rival_clocks;
extern const struct rival rival_fenwick;

#endif
