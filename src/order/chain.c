/*
 * chain.c - see chain.h.
 *
 * Inserted and settled edges are two layers of the same shape (layer.h).  The
 * settled one is closed: if x reaches y over settled edges alone, then one of
 * them, from x's chain to y's, says so.  Adding a → b to a closed relation adds just
 * (what reaches a) × (what b reaches), with cycles as well as without.
 *
 * A search forward keeps for each chain the earliest place reached so far, a
 * search backward 1 + the latest place that reaches (0: none); both have a queue
 * of the chains whose value has improved since they were last looked at.  A value
 * that came over a settled edge is passed on over inserted edges only.  Between
 * queries all values say "none", so that a query costs nothing for chains that it
 * does not touch.  A search ends because values only improve, and there are no
 * more of them than ends of edges.
 */
#include "order/chain.h"

#include "base/bug.h"
#include "order/layer.h"

#define NOT_REACHED UINT32_MAX
#define AHEAD       4u

/* Over which edges a value is still to be passed on. */
enum {
    IDLE,     /* none: not in the queue */
    INSERTED, /* inserted ones */
    ALL
};

/* One direction of a query. */
struct search {
    uint32_t *value;                /* by chain */
    uint8_t *due;                   /* by chain: one of the above */
    uint32_t *queue, head, waiting; /* a ring with room for every chain */
    uint32_t *touched, touched_count;
};

struct fw_chain {
    uint32_t room; /* for so many chains, in the layers and the searches */
    struct fw_layer inserted, settled;
    struct search forward, backward;
    FW_VEC(struct fw_node) before, after; /* of the edge that is being settled */
};

/* --- life --------------------------------------------------------------------------------- */

struct fw_chain *fw_chain_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_chain));
}

static void search_release(struct search *search)
{
    free(search->value);
    free(search->due);
    free(search->queue);
    free(search->touched);
}

void fw_chain_destroy(struct fw_chain *order)
{
    if (!order)
        return;
    fw_layer_release(&order->inserted);
    fw_layer_release(&order->settled);
    search_release(&order->forward);
    search_release(&order->backward);
    fw_vec_release(&order->before);
    fw_vec_release(&order->after);
    free(order);
}

void fw_chain_clear(struct fw_chain *order)
{
    fw_layer_clear(&order->inserted);
    fw_layer_clear(&order->settled);
}

static void search_grow(struct search *search, uint32_t had, uint32_t want, uint32_t none)
{
    search->value = fw_xrealloc(search->value, want, sizeof *search->value);
    search->due = fw_xrealloc(search->due, want, sizeof *search->due);
    search->queue = fw_xrealloc(search->queue, want, sizeof *search->queue);
    search->touched = fw_xrealloc(search->touched, want, sizeof *search->touched);
    memset(search->due + had, IDLE, want - had);
    for (uint32_t i = had; i < want; i++)
        search->value[i] = none;
}

static void make_room(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    uint32_t want = (a.chain > b.chain ? a.chain : b.chain) + 1;

    FW_ASSERT(a.place < FW_CHAIN_NONE && b.place < FW_CHAIN_NONE && want);
    if (want <= order->room)
        return;
    if (order->room < UINT32_MAX / 2 && want < 2 * order->room)
        want = 2 * order->room;
    fw_layer_grow(&order->inserted, want);
    fw_layer_grow(&order->settled, want);
    search_grow(&order->forward, order->room, want, NOT_REACHED);
    search_grow(&order->backward, order->room, want, 0);
    order->room = want;
}

/* --- edges -------------------------------------------------------------------------------- */

void fw_chain_insert(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    make_room(order, a, b);
    fw_layer_insert(&order->inserted, a, b);
}

bool fw_chain_delete(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    return fw_layer_delete(&order->inserted, a, b);
}

/* Does a reach b over settled edges? */
static bool is_settled(const struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    if (a.chain == b.chain && a.place <= b.place)
        return true;
    return fw_layer_target(&order->settled, a, b.chain, FW_CHAIN_NONE) <= b.place;
}

/* --- searches ----------------------------------------------------------------------------- */

static void improve(struct search *search, uint32_t room, struct fw_node node, uint32_t none,
                    uint8_t due)
{
    uint32_t at;

    if (search->value[node.chain] == none)
        search->touched[search->touched_count++] = node.chain;
    search->value[node.chain] = node.place;
    if (search->due[node.chain] == IDLE && due != IDLE) {
        at = search->head + search->waiting++;
        search->queue[at < room ? at : at - room] = node.chain;
    }
    if (due > search->due[node.chain])
        search->due[node.chain] = due;
}

static uint32_t pop(struct search *search, uint32_t room, uint8_t *due)
{
    uint32_t chain = search->queue[search->head++];

    if (search->head == room)
        search->head = 0;
    search->waiting--;
    *due = search->due[chain];
    search->due[chain] = IDLE;
    return chain;
}

static void search_end(struct search *search, uint32_t none)
{
    for (uint32_t i = 0; i < search->touched_count; i++) {
        search->value[search->touched[i]] = none;
        search->due[search->touched[i]] = IDLE;
    }
    search->touched_count = search->head = search->waiting = 0;
}

/* The arc, with the edges of one that comes soon on their way. */
static inline const struct fw_arc *fetch(const struct fw_layer *layer, const struct fw_arcs *arcs,
                                         size_t i)
{
    if (i + AHEAD < arcs->len)
        fw_edges_prefetch(&layer->pool, &arcs->at[i + AHEAD].edges);
    return &arcs->at[i];
}

/* Passes the value of a chain on over the edges of a layer; true if the two searches have met. */
static bool pass_forward(struct fw_chain *order, const struct fw_layer *layer, uint32_t chain)
{
    struct search *s = &order->forward;
    const struct fw_arcs *out = &layer->chains[chain].out;
    uint32_t place = s->value[chain];

    for (size_t i = 0; i < out->len; i++) {
        const struct fw_arc *arc = fetch(layer, out, i);
        uint32_t had = s->value[arc->chain];
        struct fw_node got = { .chain = arc->chain };
        uint8_t due = layer == &order->inserted                    ? ALL
                      : order->inserted.chains[arc->chain].out.len ? INSERTED
                                                                   : IDLE;

        if (arc->edges.first_target >= had || arc->edges.last_source < place)
            continue;
        got.place = fw_edges_target(&layer->pool, &arc->edges, place, had);
        if (got.place == had)
            continue;
        improve(s, order->room, got, NOT_REACHED, due);
        if (got.place < order->backward.value[arc->chain])
            return true;
    }
    return false;
}

static bool pass_backward(struct fw_chain *order, const struct fw_layer *layer, uint32_t chain)
{
    struct search *s = &order->backward;
    const struct fw_arcs *in = &layer->chains[chain].in;
    uint32_t place = s->value[chain] - 1;

    for (size_t i = 0; i < in->len; i++) {
        const struct fw_arc *arc = fetch(layer, in, i);
        uint32_t had = s->value[arc->chain];
        struct fw_node got = { .chain = arc->chain };
        uint8_t due = layer == &order->inserted                   ? ALL
                      : order->inserted.chains[arc->chain].in.len ? INSERTED
                                                                  : IDLE;

        if (arc->edges.first_target > place || arc->edges.last_source < had)
            continue;
        got.place = fw_edges_source(&layer->pool, &arc->edges, place);
        if (got.place <= had)
            continue;
        improve(s, order->room, got, 0, due);
        if (got.place > order->forward.value[arc->chain])
            return true;
    }
    return false;
}

static bool go_forward(struct fw_chain *order)
{
    uint8_t due;
    uint32_t chain = pop(&order->forward, order->room, &due);

    return (due == ALL && pass_forward(order, &order->settled, chain)) ||
           pass_forward(order, &order->inserted, chain);
}

static bool go_backward(struct fw_chain *order)
{
    uint8_t due;
    uint32_t chain = pop(&order->backward, order->room, &due);

    return (due == ALL && pass_backward(order, &order->settled, chain)) ||
           pass_backward(order, &order->inserted, chain);
}

static void start_forward(struct fw_chain *order, struct fw_node a)
{
    improve(&order->forward, order->room, a, NOT_REACHED, ALL);
}

static void start_backward(struct fw_chain *order, struct fw_node b)
{
    struct fw_node start = { b.chain, b.place + 1 };

    improve(&order->backward, order->room, start, 0, ALL);
}

static void search_forward(struct fw_chain *order, struct fw_node a)
{
    start_forward(order, a);
    while (order->forward.waiting)
        go_forward(order);
}

static void search_backward(struct fw_chain *order, struct fw_node b)
{
    start_backward(order, b);
    while (order->backward.waiting)
        go_backward(order);
}

/* --- settling ----------------------------------------------------------------------------- */

/* What reaches a but not yet b, the last of each chain. */
static void find_before(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    const struct fw_layer *layer = &order->settled;
    const struct fw_arcs *in = &layer->chains[a.chain].in;

    fw_vec_clear(&order->before);
    fw_vec_push(&order->before, a);
    start_backward(order, b);
    pass_backward(order, layer, b.chain);
    for (size_t i = 0; i < in->len; i++) {
        const struct fw_arc *arc = fetch(layer, in, i);
        uint32_t place = fw_edges_source(&layer->pool, &arc->edges, a.place);

        if (place > order->backward.value[arc->chain])
            fw_vec_push(&order->before, ((struct fw_node) { arc->chain, place - 1 }));
    }
    search_end(&order->backward, 0);
}

/* What b reaches but a does not yet, the first of each chain. */
static void find_after(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    const struct fw_layer *layer = &order->settled;
    const struct fw_arcs *out = &layer->chains[b.chain].out;

    fw_vec_clear(&order->after);
    fw_vec_push(&order->after, b);
    start_forward(order, a);
    pass_forward(order, layer, a.chain);
    for (size_t i = 0; i < out->len; i++) {
        const struct fw_arc *arc = fetch(layer, out, i);
        uint32_t place = fw_edges_target(&layer->pool, &arc->edges, b.place, FW_CHAIN_NONE);

        if (place < order->forward.value[arc->chain])
            fw_vec_push(&order->after, ((struct fw_node) { arc->chain, place }));
    }
    search_end(&order->forward, NOT_REACHED);
}

void fw_chain_settle(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    make_room(order, a, b);
    if (is_settled(order, a, b))
        return;
    find_before(order, a, b);
    find_after(order, a, b);
    for (size_t i = 0; i < order->before.len; i++) {
        struct fw_node from = order->before.at[i];

        for (size_t j = 0; j < order->after.len; j++)
            fw_layer_prefetch(&order->settled, from.chain, order->after.at[j].chain);
        for (size_t j = 0; j < order->after.len; j++)
            if (from.chain != order->after.at[j].chain || from.place > order->after.at[j].place)
                fw_layer_insert_useful(&order->settled, from, order->after.at[j]);
    }
}

/* --- queries ------------------------------------------------------------------------------ */

bool fw_chain_reach(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    const struct search *forward = &order->forward, *backward = &order->backward;
    bool met = false;

    if (is_settled(order, a, b))
        return true;
    if (!order->inserted.count || a.chain >= order->room || b.chain >= order->room)
        return false;
    start_forward(order, a);
    start_backward(order, b);
    /* Where one of them ends without the other, there is nothing more to meet. */
    while (!met && forward->waiting && backward->waiting)
        met = go_forward(order) || go_backward(order);
    search_end(&order->forward, NOT_REACHED);
    search_end(&order->backward, 0);
    return met;
}

uint32_t fw_chain_succ(struct fw_chain *order, struct fw_node a, uint32_t chain)
{
    uint32_t own = a.chain == chain ? a.place : FW_CHAIN_NONE, place;

    if (a.chain >= order->room || chain >= order->room)
        return own;
    if (!order->inserted.count)
        return fw_layer_target(&order->settled, a, chain, own);
    search_forward(order, a);
    place = order->forward.value[chain];
    search_end(&order->forward, NOT_REACHED);
    return place;
}

uint32_t fw_chain_pred(struct fw_chain *order, struct fw_node b, uint32_t chain)
{
    uint32_t own = b.chain == chain ? b.place + 1 : 0, place;

    if (b.chain >= order->room || chain >= order->room)
        return own - 1; /* none: 0 - 1 */
    if (!order->inserted.count) {
        place = fw_layer_source(&order->settled, b, chain);
        return (place > own ? place : own) - 1;
    }
    search_backward(order, b);
    place = order->backward.value[chain];
    search_end(&order->backward, 0);
    return place - 1;
}

/* Everything is none but the own place. */
static void fill(struct fw_node own, uint32_t *places, uint32_t chains)
{
    memset(places, 0xff, chains * sizeof *places);
    if (own.chain < chains)
        places[own.chain] = own.place;
}

void fw_chain_succ_all(struct fw_chain *order, struct fw_node a, uint32_t *places, uint32_t chains)
{
    const struct search *s = &order->forward;

    fill(a, places, chains);
    if (a.chain >= order->room)
        return;
    search_forward(order, a);
    for (uint32_t i = 0; i < s->touched_count; i++)
        if (s->touched[i] < chains)
            places[s->touched[i]] = s->value[s->touched[i]];
    search_end(&order->forward, NOT_REACHED);
}

void fw_chain_pred_all(struct fw_chain *order, struct fw_node b, uint32_t *places, uint32_t chains)
{
    const struct search *s = &order->backward;

    fill(b, places, chains);
    if (b.chain >= order->room)
        return;
    search_backward(order, b);
    for (uint32_t i = 0; i < s->touched_count; i++)
        if (s->touched[i] < chains)
            places[s->touched[i]] = s->value[s->touched[i]] - 1;
    search_end(&order->backward, 0);
}

uint64_t fw_chain_inserted(const struct fw_chain *order)
{
    return order->inserted.count;
}

size_t fw_chain_bytes(const struct fw_chain *order)
{
    const struct search *s = &order->forward;
    size_t each = sizeof *s->value + sizeof *s->due + sizeof *s->queue + sizeof *s->touched;

    return sizeof *order + 2 * order->room * each + fw_layer_bytes(&order->inserted) +
           fw_layer_bytes(&order->settled) +
           (order->before.cap + order->after.cap) * sizeof *order->before.at;
}

void fw_chain_check(const struct fw_chain *order)
{
    fw_layer_check(&order->inserted);
    fw_layer_check(&order->settled);
    for (uint32_t i = 0; i < order->room; i++) {
        FW_ASSERT(order->forward.value[i] == NOT_REACHED && !order->backward.value[i]);
        FW_ASSERT(order->forward.due[i] == IDLE && order->backward.due[i] == IDLE);
    }
}
