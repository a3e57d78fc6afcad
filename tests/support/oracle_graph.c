/*
 * oracle_graph.c - all states that correct reorderings reach.
 *
 * Breadth first from the empty reordering.  Every edge runs one event, so a
 * node's number is larger than that of each node that leads to it, and the way
 * back over `parent` is a shortest witness.
 */
#include "support/oracle_internal.h"

static const uint8_t *node_state(const struct fw_oracle *o, uint32_t node)
{
    return o->states.at + (size_t)node * o->state_size;
}

static uint32_t hash_state(const struct fw_oracle *o, const uint8_t *state)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = 0;

    for (; i + 8 <= o->state_size; i += 8) {
        uint64_t word;

        memcpy(&word, state + i, 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    for (; i < o->state_size; i++)
        hash = (hash ^ state[i]) * UINT64_C(0x100000001b3);
    hash *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(hash >> 32);
}

static void grow_table(struct fw_oracle *o)
{
    o->table_mask = o->table_mask ? o->table_mask * 2 + 1 : 1023;
    free(o->table);
    o->table = fw_xcalloc((size_t)o->table_mask + 1, sizeof *o->table);
    for (uint32_t i = 0; i < o->nodes.len; i++) {
        uint32_t at = hash_state(o, node_state(o, i)) & o->table_mask;

        while (o->table[at])
            at = (at + 1) & o->table_mask;
        o->table[at] = i + 1;
    }
}

/* The node of the state, made if it is new. */
static uint32_t intern_state(struct fw_oracle *o, const uint8_t *state, uint32_t parent,
                             uint32_t via)
{
    uint32_t at, node = (uint32_t)o->nodes.len;

    if (o->nodes.len * 2 >= o->table_mask)
        grow_table(o);
    at = hash_state(o, state) & o->table_mask;
    for (; o->table[at]; at = (at + 1) & o->table_mask)
        if (memcmp(node_state(o, o->table[at] - 1), state, o->state_size) == 0)
            return o->table[at] - 1;
    o->table[at] = node + 1;
    fw_vec_push(&o->nodes, ((struct oracle_node) { parent, via, 0 }));
    fw_vec_reserve(&o->states, o->states.len + o->state_size);
    memcpy(o->states.at + o->states.len, state, o->state_size);
    o->states.len += o->state_size;
    return node;
}

static void expand(struct fw_oracle *o, uint32_t node)
{
    uint8_t from[FW_ORACLE_STATE_BYTES], to[FW_ORACLE_STATE_BYTES];

    memcpy(from, node_state(o, node), o->state_size);
    o->nodes.at[node].first_edge = (uint32_t)o->edges.len;
    for (uint32_t t = 0; t < o->thread_count; t++) {
        uint32_t event = oracle_next(o, from, t), reached;

        if (event == FW_NO_EVENT || !oracle_may(o, from, event))
            continue;
        memcpy(to, from, o->state_size);
        oracle_step(o, to, event);
        oracle_normalise(o, to);
        reached = intern_state(o, to, node, event);
        fw_vec_push(&o->edges, ((struct oracle_edge) { event, reached }));
    }
}

static void forget_graph(struct fw_oracle *o)
{
    fw_vec_clear(&o->states);
    fw_vec_clear(&o->nodes);
    fw_vec_clear(&o->edges);
    free(o->table);
    o->table = NULL;
    o->table_mask = 0;
}

int fw_oracle_explore(struct fw_oracle *oracle, uint32_t max_states)
{
    uint8_t start[FW_ORACLE_STATE_BYTES] = { 0 };

    forget_graph(oracle);
    if (!oracle->fits)
        return -1;
    intern_state(oracle, start, FW_NO_EVENT, FW_NO_EVENT);
    for (uint32_t i = 0; i < oracle->nodes.len; i++) {
        expand(oracle, i);
        if (oracle->nodes.len > max_states) {
            forget_graph(oracle);
            return -1;
        }
    }
    /* A node behind the last one ends the last one's edges. */
    fw_vec_push(&oracle->nodes, ((struct oracle_node) { FW_NO_EVENT, FW_NO_EVENT, 0 }));
    fw_vec_last(&oracle->nodes).first_edge = (uint32_t)oracle->edges.len;
    return 0;
}

uint32_t fw_oracle_state_count(const struct fw_oracle *oracle)
{
    return oracle->nodes.len ? (uint32_t)oracle->nodes.len - 1 : 0;
}
