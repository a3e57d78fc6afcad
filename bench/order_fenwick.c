/*
 * order_fenwick.c - the order as a Fenwick tree of full length for each pair of chains.
 *
 * The tree of (c, d) answers: the earliest place of d that place p of c, or a
 * later one, reaches (a suffix minimum).  The relation is kept closed, as M2
 * (Pavlogiannis, POPL 2020) and SeqCheck do: an insert enters, for all chains c
 * and d, what reaches the edge's source in c and what its target reaches in d.
 * Left out are chains for which that is known already, so that a step costs
 * what it changes.  Queries are one walk over a tree.
 */
#include "order.h"

#include "base/vec.h"

struct fenwick {
    const struct shape *shape;
    uint32_t k;
    uint32_t **tree; /* c × d → length of c + 1 values, by length - place */
    uint32_t *before, *after, *before_chain, *after_chain; /* scratch: k each */
};

static void *fenwick_create(const struct shape *shape)
{
    struct fenwick *o = fw_xcalloc(1, sizeof *o);
    uint32_t k = o->k = shape->chains;

    o->shape = shape;
    o->tree = fw_xcalloc((size_t)k * k, sizeof *o->tree);
    for (uint32_t i = 0; i < k * k; i++) {
        size_t size = (shape->lengths[i / k] + 1) * sizeof(uint32_t);

        if (i / k == i % k)
            continue;
        o->tree[i] = fw_xmalloc(size);
        memset(o->tree[i], 0xff, size);
    }
    o->before = fw_xcalloc(k, sizeof *o->before);
    o->after = fw_xcalloc(k, sizeof *o->after);
    o->before_chain = fw_xcalloc(k, sizeof *o->before_chain);
    o->after_chain = fw_xcalloc(k, sizeof *o->after_chain);
    return o;
}

static void fenwick_destroy(void *order)
{
    struct fenwick *o = order;

    for (uint32_t i = 0; i < o->k * o->k; i++)
        free(o->tree[i]);
    free(o->tree);
    free(o->before);
    free(o->after);
    free(o->before_chain);
    free(o->after_chain);
    free(o);
}

static void enter(const struct fenwick *o, struct fw_node a, uint32_t d, uint32_t place)
{
    uint32_t *tree = o->tree[a.chain * o->k + d], length = o->shape->lengths[a.chain];

    for (uint32_t i = length - a.place; i <= length && tree[i] > place; i += i & -i)
        tree[i] = place;
}

static uint32_t fenwick_succ(void *order, struct fw_node a, uint32_t chain)
{
    const struct fenwick *o = order;
    const uint32_t *tree = o->tree[a.chain * o->k + chain];
    uint32_t best = FW_CHAIN_NONE;

    if (a.chain == chain)
        return a.place;
    for (uint32_t i = o->shape->lengths[a.chain] - a.place; i; i &= i - 1)
        best = tree[i] < best ? tree[i] : best;
    return best;
}

/* The last place whose suffix minimum is at b or before: a walk down the tree. */
static uint32_t fenwick_pred(void *order, struct fw_node b, uint32_t chain)
{
    const struct fenwick *o = order;
    const uint32_t *tree = o->tree[chain * o->k + b.chain];
    uint32_t length = o->shape->lengths[chain], at = 0;

    if (b.chain == chain)
        return b.place;
    for (uint32_t step = 1u << 31 >> __builtin_clz(length); step; step /= 2)
        if (at + step <= length && tree[at + step] > b.place)
            at += step;
    return at < length ? length - at - 1 : FW_CHAIN_NONE;
}

static bool fenwick_reach(void *order, struct fw_node a, struct fw_node b)
{
    uint32_t place = fenwick_succ(order, a, b.chain);

    return place <= b.place;
}

static void fenwick_insert(void *order, struct fw_node a, struct fw_node b)
{
    struct fenwick *o = order;
    uint32_t befores = 0, afters = 0;

    for (uint32_t c = 0; c < o->k; c++) {
        uint32_t before = fenwick_pred(o, a, c), after = fenwick_succ(o, b, c);

        if (before != FW_CHAIN_NONE && !fenwick_reach(o, (struct fw_node) { c, before }, b)) {
            o->before_chain[befores] = c;
            o->before[befores++] = before;
        }
        if (after != FW_CHAIN_NONE && !fenwick_reach(o, a, (struct fw_node) { c, after })) {
            o->after_chain[afters] = c;
            o->after[afters++] = after;
        }
    }
    for (uint32_t i = 0; i < befores; i++)
        for (uint32_t j = 0; j < afters; j++)
            if (o->before_chain[i] != o->after_chain[j])
                enter(o, (struct fw_node) { o->before_chain[i], o->before[i] }, o->after_chain[j],
                      o->after[j]);
}

static void fenwick_build(void *order, const struct edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!fenwick_reach(order, edges[i].a, edges[i].b))
            fenwick_insert(order, edges[i].a, edges[i].b);
}

static void fenwick_succ_all(void *order, struct fw_node a, uint32_t *places)
{
    for (uint32_t c = 0; c < ((struct fenwick *)order)->k; c++)
        places[c] = fenwick_succ(order, a, c);
}

static void fenwick_pred_all(void *order, struct fw_node b, uint32_t *places)
{
    for (uint32_t c = 0; c < ((struct fenwick *)order)->k; c++)
        places[c] = fenwick_pred(order, b, c);
}

static size_t fenwick_bytes(const void *order)
{
    const struct fenwick *o = order;

    return ((size_t)o->shape->events + o->k) * (o->k - 1) * sizeof **o->tree +
           (size_t)o->k * o->k * sizeof *o->tree;
}

const struct rival rival_fenwick = {
    .name = "Fenwick",
    .create = fenwick_create,
    .destroy = fenwick_destroy,
    .build = fenwick_build,
    .insert = fenwick_insert,
    .reach = fenwick_reach,
    .succ = fenwick_succ,
    .pred = fenwick_pred,
    .succ_all = fenwick_succ_all,
    .pred_all = fenwick_pred_all,
    .bytes = fenwick_bytes,
};
