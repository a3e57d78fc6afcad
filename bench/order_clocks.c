/*
 * order_clocks.c - the order as a vector clock for each event.
 *
 * clock(e)[c] is 1 + the latest place of chain c that reaches e, 0 if none, so
 * reach and pred are one look; succ is a binary search over the other chain.
 * An insert joins the source's clock into the target's and passes the change
 * on, along the chain and over edges, as far as something changes.
 */
#include "order.h"

#include "base/vec.h"

struct link {
    uint32_t to, next; /* event; link + 1 */
};

struct clocks {
    const struct shape *shape;
    uint32_t k;
    uint32_t *start; /* chain → its first event */
    uint32_t *at;    /* event × chain; events are numbered chain by chain */
    uint32_t *first; /* event → link + 1: edges out of it */
    FW_VEC(struct link) links;
    FW_VEC(uint32_t) work;
};

static void *clocks_create(const struct shape *shape)
{
    struct clocks *o = fw_xcalloc(1, sizeof *o);

    o->shape = shape;
    o->k = shape->chains;
    o->start = fw_xcalloc(shape->chains + 1, sizeof *o->start);
    for (uint32_t c = 0; c < o->k; c++)
        o->start[c + 1] = o->start[c] + shape->lengths[c];
    o->at = fw_xcalloc((size_t)shape->events * o->k, sizeof *o->at);
    o->first = fw_xcalloc(shape->events, sizeof *o->first);
    for (uint32_t c = 0; c < o->k; c++)
        for (uint32_t p = 0; p < shape->lengths[c]; p++)
            o->at[(size_t)(o->start[c] + p) * o->k + c] = p + 1;
    return o;
}

static void clocks_destroy(void *order)
{
    struct clocks *o = order;

    free(o->start);
    free(o->at);
    free(o->first);
    fw_vec_release(&o->links);
    fw_vec_release(&o->work);
    free(o);
}

static uint32_t event_of(const struct clocks *o, struct fw_node node)
{
    return o->start[node.chain] + node.place;
}

static uint32_t *clock_of(const struct clocks *o, uint32_t event)
{
    return o->at + (size_t)event * o->k;
}

/* True if something changed. */
static bool join(const struct clocks *o, uint32_t to, uint32_t from)
{
    uint32_t *restrict a = clock_of(o, to);
    const uint32_t *restrict b = clock_of(o, from);
    uint32_t changed = 0;

    for (uint32_t i = 0; i < o->k; i++) {
        uint32_t more = b[i] > a[i] ? b[i] : a[i];

        changed |= more ^ a[i];
        a[i] = more;
    }
    return changed;
}

static void add_link(struct clocks *o, uint32_t from, uint32_t to)
{
    fw_vec_push(&o->links, ((struct link) { to, o->first[from] }));
    o->first[from] = (uint32_t)o->links.len;
}

/* One pass over the events in an order that the edges obey. */
static void clocks_build(void *order, const struct edge *edges, uint32_t count)
{
    struct clocks *o = order;
    uint32_t next = 0;

    for (uint32_t i = 0; i < o->shape->events; i++) {
        struct fw_node node = { o->shape->chain_of[i], o->shape->place_of[i] };
        uint32_t event = event_of(o, node);

        if (node.place)
            join(o, event, event - 1);
        for (;
             next < count && edges[next].b.chain == node.chain && edges[next].b.place == node.place;
             next++) {
            add_link(o, event_of(o, edges[next].a), event);
            join(o, event, event_of(o, edges[next].a));
        }
    }
}

/* The event's clock has changed: its chain behind it, and where edges lead. */
static void spread(struct clocks *o, uint32_t event, uint32_t end)
{
    for (;;) {
        for (uint32_t l = o->first[event]; l; l = o->links.at[l - 1].next)
            if (join(o, o->links.at[l - 1].to, event))
                fw_vec_push(&o->work, o->links.at[l - 1].to);
        if (++event == end || !join(o, event, event - 1))
            return;
    }
}

static uint32_t chain_of(const struct clocks *o, uint32_t event)
{
    uint32_t low = 0, high = o->k - 1;

    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;

        if (o->start[middle] <= event)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void clocks_insert(void *order, struct fw_node a, struct fw_node b)
{
    struct clocks *o = order;

    add_link(o, event_of(o, a), event_of(o, b));
    if (join(o, event_of(o, b), event_of(o, a)))
        fw_vec_push(&o->work, event_of(o, b));
    while (o->work.len) {
        uint32_t event = fw_vec_pop(&o->work);

        spread(o, event, o->start[chain_of(o, event) + 1]);
    }
}

static bool clocks_reach(void *order, struct fw_node a, struct fw_node b)
{
    return clock_of(order, event_of(order, b))[a.chain] > a.place;
}

static uint32_t clocks_pred(void *order, struct fw_node b, uint32_t chain)
{
    return clock_of(order, event_of(order, b))[chain] - 1;
}

static uint32_t clocks_succ(void *order, struct fw_node a, uint32_t chain)
{
    const struct clocks *o = order;
    uint32_t low = 0, high = o->shape->lengths[chain];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (clock_of(o, o->start[chain] + middle)[a.chain] > a.place)
            high = middle;
        else
            low = middle + 1;
    }
    return low < o->shape->lengths[chain] ? low : FW_CHAIN_NONE;
}

static void clocks_succ_all(void *order, struct fw_node a, uint32_t *places)
{
    for (uint32_t c = 0; c < ((struct clocks *)order)->k; c++)
        places[c] = clocks_succ(order, a, c);
}

static void clocks_pred_all(void *order, struct fw_node b, uint32_t *places)
{
    const uint32_t *clock = clock_of(order, event_of(order, b));

    for (uint32_t c = 0; c < ((struct clocks *)order)->k; c++)
        places[c] = clock[c] - 1;
}

static size_t clocks_bytes(const void *order)
{
    const struct clocks *o = order;

    return (size_t)o->shape->events * (o->k + 1) * sizeof *o->at +
           o->links.len * sizeof *o->links.at;
}

const struct rival rival_clocks = {
    .name = "clocks",
    .create = clocks_create,
    .destroy = clocks_destroy,
    .build = clocks_build,
    .insert = clocks_insert,
    .reach = clocks_reach,
    .succ = clocks_succ,
    .pred = clocks_pred,
    .succ_all = clocks_succ_all,
    .pred_all = clocks_pred_all,
    .bytes = clocks_bytes,
};
