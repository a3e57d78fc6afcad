/*
 * order_chain.c - Foreweave's own order as two rivals: with edges that are settled, and with
 * edges that are inserted, which can be deleted.
 */
#include "order.h"

#include "base/alloc.h"

#include <stdlib.h>

struct ours {
    struct fw_chain *order;
    uint32_t chains;
};

static void *chain_create(const struct shape *shape)
{
    struct ours *o = fw_xmalloc(sizeof *o);

    *o = (struct ours) { fw_chain_create(), shape->chains };
    return o;
}

static void chain_destroy(void *order)
{
    fw_chain_destroy(((struct ours *)order)->order);
    free(order);
}

static struct fw_chain *get(const void *order)
{
    return ((const struct ours *)order)->order;
}

static void insert_all(void *order, const struct edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fw_chain_insert(get(order), edges[i].a, edges[i].b);
}

static void settle_all(void *order, const struct edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fw_chain_settle(get(order), edges[i].a, edges[i].b);
}

static void chain_settle(void *order, struct fw_node a, struct fw_node b)
{
    fw_chain_settle(get(order), a, b);
}

static void chain_insert(void *order, struct fw_node a, struct fw_node b)
{
    fw_chain_insert(get(order), a, b);
}

static void chain_delete(void *order, struct fw_node a, struct fw_node b)
{
    fw_chain_delete(get(order), a, b);
}

static bool chain_reach(void *order, struct fw_node a, struct fw_node b)
{
    return fw_chain_reach(get(order), a, b);
}

static uint32_t chain_succ(void *order, struct fw_node a, uint32_t chain)
{
    return fw_chain_succ(get(order), a, chain);
}

static uint32_t chain_pred(void *order, struct fw_node b, uint32_t chain)
{
    return fw_chain_pred(get(order), b, chain);
}

static void chain_succ_all(void *order, struct fw_node a, uint32_t *places)
{
    fw_chain_succ_all(get(order), a, places, ((struct ours *)order)->chains);
}

static void chain_pred_all(void *order, struct fw_node b, uint32_t *places)
{
    fw_chain_pred_all(get(order), b, places, ((struct ours *)order)->chains);
}

static size_t chain_bytes(const void *order)
{
    return fw_chain_bytes(get(order));
}

#define COMMON                                                                                     \
    .create = chain_create, .destroy = chain_destroy, .try = chain_insert, .delete = chain_delete, \
    .reach = chain_reach, .succ = chain_succ, .pred = chain_pred, .succ_all = chain_succ_all,      \
    .pred_all = chain_pred_all, .bytes = chain_bytes

const struct rival rival_settled = {
    .name = "settled", .build = settle_all, .insert = chain_settle, COMMON
};
const struct rival rival_inserted = {
    .name = "inserted", .build = insert_all, .insert = chain_insert, COMMON
};
