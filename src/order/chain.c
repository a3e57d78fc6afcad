/*
 * chain.c - see chain.h.
 *
 * Each pair of chains that has edges is in two lists, of those out of the one
 * chain and of those into the other, each time with a summary (the last
 * source and the first target of its edges) that mostly tells without looking
 * at the edges that a pair cannot improve anything.
 *
 * A search forward keeps for each chain the earliest place reached so far, a
 * search backward 1 + the latest place that reaches (0: none); both have a queue of
 * the chains whose value has improved since they were last looked at.  Between
 * queries all values say "none", so that a query costs nothing for chains that
 * it does not touch.
 *
 * A search ends because values only improve, and there are no more of them than
 * ends of edges.  In an acyclic relation a shortest path enters a chain once at
 * most, so with k chains k rounds of the queue are enough.
 */
#include "order/chain.h"

#include "base/bug.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "order/edges.h"

#define NOT_REACHED UINT32_MAX

/* A pair of chains as one of them sees it. */
struct arc {
    uint32_t chain; /* the other one */
    uint32_t pair;
    uint32_t last_source, first_target; /* no edges: such that no query looks further */
};

FW_VEC_TYPE(arcs, struct arc);

struct pair {
    struct fw_edges edges;
    uint32_t from, to;
    uint32_t out, in; /* where it is in the lists of the two */
};

struct chain {
    struct arcs out, in;
};

/* One direction of a query. */
struct search {
    uint32_t *value; /* by chain */
    bool *queued;
    uint32_t *queue, head, waiting; /* a ring as long as there are chains */
    uint32_t *touched, touched_count;
};

struct fw_chain {
    FW_VEC(struct chain) chains;
    FW_VEC(struct pair) pairs;
    struct fw_idmap pair_of; /* (from, to) → pair */
    struct fw_edge_pool pool;
    uint64_t edges;
    struct search forward, backward;
    size_t scratch; /* chains that the searches have room for */
};

/* --- life --------------------------------------------------------------------------------- */

struct fw_chain *fw_chain_create(void)
{
    struct fw_chain *order = fw_xcalloc(1, sizeof *order);

    fw_edge_pool_init(&order->pool);
    return order;
}

static void search_release(struct search *search)
{
    free(search->value);
    free(search->queued);
    free(search->queue);
    free(search->touched);
}

void fw_chain_destroy(struct fw_chain *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->chains.cap; i++) {
        fw_vec_release(&order->chains.at[i].out);
        fw_vec_release(&order->chains.at[i].in);
    }
    fw_vec_release(&order->chains);
    fw_vec_release(&order->pairs);
    fw_idmap_release(&order->pair_of);
    fw_edge_pool_release(&order->pool);
    search_release(&order->forward);
    search_release(&order->backward);
    free(order);
}

void fw_chain_clear(struct fw_chain *order)
{
    for (size_t i = 0; i < order->chains.len; i++) {
        fw_vec_clear(&order->chains.at[i].out);
        fw_vec_clear(&order->chains.at[i].in);
    }
    order->chains.len = 0;
    fw_vec_clear(&order->pairs);
    if (order->pair_of.count)
        memset(order->pair_of.slots, 0, order->pair_of.size * sizeof *order->pair_of.slots);
    order->pair_of.count = 0;
    fw_edge_pool_clear(&order->pool);
    order->edges = 0;
}

/* Lists of chains beyond len stay for their next use: all of cap is always in order. */
static void add_chains(struct fw_chain *order, uint32_t chain)
{
    size_t had = order->chains.cap;

    fw_vec_reserve(&order->chains, (size_t)chain + 1);
    memset(order->chains.at + had, 0, (order->chains.cap - had) * sizeof *order->chains.at);
    if (order->chains.len <= chain)
        order->chains.len = (size_t)chain + 1;
}

/* --- edges -------------------------------------------------------------------------------- */

struct pair_key {
    const struct fw_chain *order;
    uint32_t from, to;
};

static bool is_pair(const void *key, uint32_t id)
{
    const struct pair_key *k = key;
    const struct pair *pair = &k->order->pairs.at[id];

    return pair->from == k->from && pair->to == k->to;
}

static uint32_t hash_of(uint32_t from, uint32_t to)
{
    uint64_t x = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(x >> 32);
}

static uint32_t find_pair(const struct fw_chain *order, uint32_t from, uint32_t to)
{
    struct pair_key key = { order, from, to };

    return fw_idmap_find(&order->pair_of, hash_of(from, to), is_pair, &key);
}

static uint32_t add_pair(struct fw_chain *order, uint32_t from, uint32_t to)
{
    uint32_t id = (uint32_t)order->pairs.len;
    struct pair pair = { .from = from, .to = to };
    struct chain *source, *target;

    add_chains(order, from > to ? from : to);
    source = &order->chains.at[from];
    target = &order->chains.at[to];
    pair.out = (uint32_t)source->out.len;
    pair.in = (uint32_t)target->in.len;
    fw_vec_push(&source->out, ((struct arc) { .chain = to, .pair = id }));
    fw_vec_push(&target->in, ((struct arc) { .chain = from, .pair = id }));
    fw_vec_push(&order->pairs, pair);
    fw_idmap_add(&order->pair_of, hash_of(from, to), id);
    return id;
}

/* The arc without edges ends where no place is, and starts before all of them. */
static void summarise(struct fw_chain *order, const struct pair *pair)
{
    struct arc *out = &order->chains.at[pair->from].out.at[pair->out];
    struct arc *in = &order->chains.at[pair->to].in.at[pair->in];
    bool some = pair->edges.count > 0;

    out->last_source = in->last_source = some ? pair->edges.last_source : 0;
    out->first_target = in->first_target = some ? pair->edges.first_target : FW_CHAIN_NONE;
}

void fw_chain_insert(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    uint32_t id = find_pair(order, a.chain, b.chain);
    struct pair *pair;

    FW_ASSERT(a.place < FW_CHAIN_NONE && b.place < FW_CHAIN_NONE);
    if (id == FW_IDMAP_NONE)
        id = add_pair(order, a.chain, b.chain);
    pair = &order->pairs.at[id];
    fw_edges_insert(&order->pool, &pair->edges, a.place, b.place);
    summarise(order, pair);
    order->edges++;
}

bool fw_chain_delete(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    uint32_t id = find_pair(order, a.chain, b.chain);
    struct pair *pair;

    if (id == FW_IDMAP_NONE)
        return false;
    pair = &order->pairs.at[id];
    if (!fw_edges_delete(&order->pool, &pair->edges, a.place, b.place))
        return false;
    summarise(order, pair);
    order->edges--;
    return true;
}

/* --- searches ----------------------------------------------------------------------------- */

static void search_grow(struct search *search, size_t had, size_t want, uint32_t none)
{
    search->value = fw_xrealloc(search->value, want, sizeof *search->value);
    search->queued = fw_xrealloc(search->queued, want, sizeof *search->queued);
    search->queue = fw_xrealloc(search->queue, want, sizeof *search->queue);
    search->touched = fw_xrealloc(search->touched, want, sizeof *search->touched);
    for (size_t i = had; i < want; i++) {
        search->value[i] = none;
        search->queued[i] = false;
    }
}

static void prepare(struct fw_chain *order)
{
    size_t want = order->chains.cap;

    if (order->scratch >= want)
        return;
    search_grow(&order->forward, order->scratch, want, NOT_REACHED);
    search_grow(&order->backward, order->scratch, want, 0);
    order->scratch = want;
}

static void improve(struct search *search, uint32_t chain, uint32_t value, uint32_t none,
                    size_t chains)
{
    uint32_t at;

    if (search->value[chain] == none)
        search->touched[search->touched_count++] = chain;
    search->value[chain] = value;
    if (search->queued[chain])
        return;
    at = search->head + search->waiting++;
    search->queue[at < chains ? at : at - chains] = chain;
    search->queued[chain] = true;
}

static uint32_t pop(struct search *search, size_t chains)
{
    uint32_t chain = search->queue[search->head++];

    if (search->head == chains)
        search->head = 0;
    search->waiting--;
    search->queued[chain] = false;
    return chain;
}

static void search_end(struct search *search, uint32_t none)
{
    for (uint32_t i = 0; i < search->touched_count; i++) {
        search->value[search->touched[i]] = none;
        search->queued[search->touched[i]] = false;
    }
    search->touched_count = search->head = search->waiting = 0;
}

/* Looks at what one chain's improvement leads to; true if the two searches have met. */
static bool go_forward(struct fw_chain *order)
{
    struct search *s = &order->forward;
    uint32_t chain = pop(s, order->chains.len), place = s->value[chain];
    const struct arcs *out = &order->chains.at[chain].out;

    for (size_t i = 0; i < out->len; i++) {
        const struct arc *arc = &out->at[i];
        uint32_t had = s->value[arc->chain], got;

        if (arc->first_target >= had || arc->last_source < place)
            continue;
        got = fw_edges_target(&order->pool, &order->pairs.at[arc->pair].edges, place, had);
        if (got == had)
            continue;
        improve(s, arc->chain, got, NOT_REACHED, order->chains.len);
        if (got < order->backward.value[arc->chain])
            return true;
    }
    return false;
}

static bool go_backward(struct fw_chain *order)
{
    struct search *s = &order->backward;
    uint32_t chain = pop(s, order->chains.len), place = s->value[chain] - 1;
    const struct arcs *in = &order->chains.at[chain].in;

    for (size_t i = 0; i < in->len; i++) {
        const struct arc *arc = &in->at[i];
        uint32_t had = s->value[arc->chain], got;

        if (arc->first_target > place || arc->last_source < had)
            continue;
        got = fw_edges_source(&order->pool, &order->pairs.at[arc->pair].edges, place);
        if (got <= had)
            continue;
        improve(s, arc->chain, got, 0, order->chains.len);
        if (got > order->forward.value[arc->chain])
            return true;
    }
    return false;
}

static void start_forward(struct fw_chain *order, struct fw_node a)
{
    prepare(order);
    if (a.chain < order->chains.len)
        improve(&order->forward, a.chain, a.place, NOT_REACHED, order->chains.len);
}

static void start_backward(struct fw_chain *order, struct fw_node b)
{
    prepare(order);
    if (b.chain < order->chains.len)
        improve(&order->backward, b.chain, b.place + 1, 0, order->chains.len);
}

/* --- queries ------------------------------------------------------------------------------ */

bool fw_chain_reach(struct fw_chain *order, struct fw_node a, struct fw_node b)
{
    const struct search *forward = &order->forward, *backward = &order->backward;
    bool met = false;

    if (a.chain == b.chain && a.place <= b.place)
        return true;
    if (a.chain >= order->chains.len || b.chain >= order->chains.len)
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

uint32_t fw_chain_succ(struct fw_chain *order, struct fw_node a, uint32_t chain)
{
    uint32_t place;

    if (a.chain >= order->chains.len || chain >= order->chains.len)
        return a.chain == chain ? a.place : FW_CHAIN_NONE;
    search_forward(order, a);
    place = order->forward.value[chain];
    search_end(&order->forward, NOT_REACHED);
    return place;
}

uint32_t fw_chain_pred(struct fw_chain *order, struct fw_node b, uint32_t chain)
{
    uint32_t place;

    if (b.chain >= order->chains.len || chain >= order->chains.len)
        return b.chain == chain ? b.place : FW_CHAIN_NONE;
    search_backward(order, b);
    place = order->backward.value[chain] - 1; /* none: 0 - 1 */
    search_end(&order->backward, 0);
    return place;
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
    search_backward(order, b);
    for (uint32_t i = 0; i < s->touched_count; i++)
        if (s->touched[i] < chains)
            places[s->touched[i]] = s->value[s->touched[i]] - 1;
    search_end(&order->backward, 0);
}

uint64_t fw_chain_edges(const struct fw_chain *order)
{
    return order->edges;
}

size_t fw_chain_bytes(const struct fw_chain *order)
{
    const struct search *s = &order->forward;
    size_t bytes = sizeof *order;

    bytes += order->chains.cap * sizeof *order->chains.at;
    for (size_t i = 0; i < order->chains.cap; i++)
        bytes += (order->chains.at[i].out.cap + order->chains.at[i].in.cap) * sizeof(struct arc);
    bytes += order->pairs.cap * sizeof *order->pairs.at;
    bytes += order->pair_of.size * sizeof *order->pair_of.slots;
    bytes += order->pool.used * sizeof *order->pool.words;
    bytes += 2 * order->scratch *
             (sizeof *s->value + sizeof *s->queued + sizeof *s->queue + sizeof *s->touched);
    return bytes;
}

void fw_chain_check(const struct fw_chain *order)
{
    uint64_t edges = 0;

    for (size_t i = 0; i < order->pairs.len; i++) {
        const struct pair *pair = &order->pairs.at[i];

        FW_ASSERT(order->chains.at[pair->from].out.at[pair->out].pair == i);
        FW_ASSERT(order->chains.at[pair->to].in.at[pair->in].pair == i);
        fw_edges_check(&order->pool, &pair->edges);
        edges += pair->edges.count;
    }
    FW_ASSERT(edges == order->edges);
    for (size_t i = 0; i < order->scratch; i++)
        FW_ASSERT(order->forward.value[i] == NOT_REACHED && !order->backward.value[i]);
}
