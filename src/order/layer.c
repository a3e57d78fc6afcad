/* layer.c - see layer.h. */
#include "order/layer.h"

#include "base/bug.h"

#define NO_PAIR FW_IDMAP_NONE

void fw_layer_release(struct fw_layer *layer)
{
    for (uint32_t i = 0; i < layer->room; i++) {
        fw_vec_release(&layer->chains[i].out);
        fw_vec_release(&layer->chains[i].in);
    }
    free(layer->chains);
    fw_vec_release(&layer->pairs);
    fw_idmap_release(&layer->pair_of);
    fw_edge_pool_release(&layer->pool);
    *layer = (struct fw_layer) { 0 };
}

void fw_layer_clear(struct fw_layer *layer)
{
    for (size_t i = 0; i < layer->pairs.len; i++) {
        fw_vec_clear(&layer->chains[layer->pairs.at[i].from].out);
        fw_vec_clear(&layer->chains[layer->pairs.at[i].to].in);
    }
    fw_vec_clear(&layer->pairs);
    if (layer->pair_of.count)
        memset(layer->pair_of.slots, 0, layer->pair_of.size * sizeof *layer->pair_of.slots);
    layer->pair_of.count = 0;
    fw_edge_pool_clear(&layer->pool);
    layer->count = 0;
}

void fw_layer_grow(struct fw_layer *layer, uint32_t room)
{
    layer->chains = fw_xrealloc(layer->chains, room, sizeof *layer->chains);
    memset(layer->chains + layer->room, 0, (room - layer->room) * sizeof *layer->chains);
    layer->room = room;
}

/* --- pairs -------------------------------------------------------------------------------- */

struct pair_key {
    const struct fw_layer *layer;
    uint32_t from, to;
};

static bool is_pair(const void *key, uint32_t id)
{
    const struct pair_key *k = key;
    const struct fw_chain_pair *pair = &k->layer->pairs.at[id];

    return pair->from == k->from && pair->to == k->to;
}

static uint32_t hash_of(uint32_t from, uint32_t to)
{
    uint64_t x = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(x >> 32);
}

static uint32_t find_pair(const struct fw_layer *layer, uint32_t from, uint32_t to)
{
    struct pair_key key = { layer, from, to };

    return fw_idmap_find(&layer->pair_of, hash_of(from, to), is_pair, &key);
}

static uint32_t add_pair(struct fw_layer *layer, uint32_t from, uint32_t to)
{
    uint32_t id = (uint32_t)layer->pairs.len;
    struct fw_chain_arcs *source = &layer->chains[from], *target = &layer->chains[to];
    struct fw_chain_pair pair = { .from = from, .to = to };

    pair.out = (uint32_t)source->out.len;
    pair.in = (uint32_t)target->in.len;
    fw_vec_push(&source->out, ((struct fw_arc) { .chain = to, .pair = id }));
    fw_vec_push(&target->in, ((struct fw_arc) { .chain = from, .pair = id }));
    fw_vec_push(&layer->pairs, pair);
    fw_idmap_add(&layer->pair_of, hash_of(from, to), id);
    return id;
}

/* A pair's edges have changed.  The copy of none ends where no place is. */
static void copy_edges(struct fw_layer *layer, const struct fw_chain_pair *pair)
{
    struct fw_arc *out = &layer->chains[pair->from].out.at[pair->out];
    struct fw_arc *in = &layer->chains[pair->to].in.at[pair->in];

    out->edges = pair->edges;
    if (!pair->edges.count)
        out->edges = (struct fw_edges) { .first_target = FW_CHAIN_NONE };
    in->edges = out->edges;
}

/* --- edges -------------------------------------------------------------------------------- */

static void change(struct fw_layer *layer, struct fw_node a, struct fw_node b,
                   void (*how)(struct fw_edge_pool *pool, struct fw_edges *edges, uint32_t source,
                               uint32_t target))
{
    uint32_t id = find_pair(layer, a.chain, b.chain);
    struct fw_chain_pair *pair;

    if (id == NO_PAIR)
        id = add_pair(layer, a.chain, b.chain);
    pair = &layer->pairs.at[id];
    layer->count -= pair->edges.count;
    how(&layer->pool, &pair->edges, a.place, b.place);
    layer->count += pair->edges.count;
    copy_edges(layer, pair);
}

void fw_layer_insert(struct fw_layer *layer, struct fw_node a, struct fw_node b)
{
    change(layer, a, b, fw_edges_insert);
}

void fw_layer_insert_useful(struct fw_layer *layer, struct fw_node a, struct fw_node b)
{
    change(layer, a, b, fw_edges_insert_useful);
}

bool fw_layer_delete(struct fw_layer *layer, struct fw_node a, struct fw_node b)
{
    uint32_t id = find_pair(layer, a.chain, b.chain);
    struct fw_chain_pair *pair;

    if (id == NO_PAIR)
        return false;
    pair = &layer->pairs.at[id];
    if (!fw_edges_delete(&layer->pool, &pair->edges, a.place, b.place))
        return false;
    layer->count--;
    copy_edges(layer, pair);
    return true;
}

/* --- questions ---------------------------------------------------------------------------- */

uint32_t fw_layer_target(const struct fw_layer *layer, struct fw_node a, uint32_t chain,
                         uint32_t bound)
{
    uint32_t id = find_pair(layer, a.chain, chain);

    return id == NO_PAIR
               ? bound
               : fw_edges_target(&layer->pool, &layer->pairs.at[id].edges, a.place, bound);
}

uint32_t fw_layer_source(const struct fw_layer *layer, struct fw_node b, uint32_t chain)
{
    uint32_t id = find_pair(layer, chain, b.chain);

    return id == NO_PAIR ? 0 : fw_edges_source(&layer->pool, &layer->pairs.at[id].edges, b.place);
}

void fw_layer_prefetch(const struct fw_layer *layer, uint32_t from, uint32_t to)
{
    uint32_t id = find_pair(layer, from, to);

    if (id != NO_PAIR)
        fw_edges_prefetch(&layer->pool, &layer->pairs.at[id].edges);
}

size_t fw_layer_bytes(const struct fw_layer *layer)
{
    size_t bytes = layer->room * sizeof *layer->chains;

    for (uint32_t i = 0; i < layer->room; i++)
        bytes += (layer->chains[i].out.cap + layer->chains[i].in.cap) * sizeof(struct fw_arc);
    bytes += layer->pairs.cap * sizeof *layer->pairs.at;
    bytes += layer->pair_of.size * sizeof *layer->pair_of.slots;
    return bytes + layer->pool.used * sizeof *layer->pool.words;
}

void fw_layer_check(const struct fw_layer *layer)
{
    uint64_t edges = 0;

    for (size_t i = 0; i < layer->pairs.len; i++) {
        const struct fw_chain_pair *pair = &layer->pairs.at[i];

        FW_ASSERT(layer->chains[pair->from].out.at[pair->out].pair == i);
        FW_ASSERT(layer->chains[pair->to].in.at[pair->in].pair == i);
        fw_edges_check(&layer->pool, &pair->edges);
        edges += pair->edges.count;
    }
    FW_ASSERT(edges == layer->count);
}
