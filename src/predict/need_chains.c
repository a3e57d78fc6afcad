/*
 * need_chains.c - demands as edges between chains (order/layer.h).
 *
 * Each thread is two chains: place n of the first is "its first n + 1 events",
 * of the second "clean to n + 1".  A barrier is a chain of its rounds.  Who
 * demands comes after what is demanded; so all that is demanded of a thread is
 * the latest place of its chains that comes before.
 *
 * Being clean demands the events before as well.  That is no edge: they are told
 * of either, and whoever asks takes c - 1 events with clean c.
 *
 * A cut is closed, so a search goes on only from what the cut does not have yet.
 */
#include "base/alloc.h"
#include "order/layer.h"
#include "predict/need_store.h"

struct fw_chain_store {
    const struct fw_core *core;
    struct fw_layer edges;
    uint32_t *rounds; /* barrier → rounds told so far; while building */
};

static uint32_t chain_count(const struct fw_core *core)
{
    return 2 * core->threads + fw_symbols_count(core->trace->symbols, FW_SPACE_BARRIER);
}

static struct fw_node node_of(struct fw_demander who)
{
    return (struct fw_node) { 2 * who.thread + who.clean, who.number - 1 };
}

/* ---- the sink ---- */

static void demand(struct fw_chain_store *store, struct fw_node what, struct fw_demander who)
{
    fw_layer_insert(&store->edges, what, node_of(who));
}

static void demand_event(void *to, struct fw_demander who, uint32_t e)
{
    struct fw_chain_store *store = to;
    const struct fw_core *core = store->core;
    uint32_t thread = fw_thread_of(core, e), len = fw_place_of(core, e) + 1, seen;

    if (thread == who.thread)
        return;
    demand(store, (struct fw_node) { 2 * thread, len - 1 }, who);
    if (!core->strict)
        return;
    demand(store, node_of(fw_demander_of(core, thread, len)), who);
    seen = fw_seen_by_force(core, thread, len);
    if (seen != FW_NO_EVENT)
        demand_event(store, who, seen);
}

static void demand_clean(void *to, struct fw_demander who, uint32_t thread, uint32_t c)
{
    if (thread != who.thread || !who.clean)
        demand(to, (struct fw_node) { 2 * thread + 1, c - 1 }, who);
}

static void demand_ins(struct fw_chain_store *store, struct fw_node node, uint32_t round)
{
    const struct fw_core *core = store->core;
    const struct fw_rows *rounds = &core->index->rounds;

    for (uint32_t i = 0; i < fw_row_count(rounds, round); i++) {
        uint32_t in = fw_row(rounds, round)[i], thread = fw_thread_of(core, in);
        uint32_t len = fw_place_of(core, in) + 1;

        fw_layer_insert(&store->edges, (struct fw_node) { 2 * thread, len - 1 }, node);
        if (core->strict)
            fw_layer_insert(&store->edges, node_of(fw_demander_of(core, thread, len)), node);
    }
}

/* Rounds of a barrier come in turn; the first to ask has the ins told. */
static void demand_round(void *to, struct fw_demander who, uint32_t round)
{
    struct fw_chain_store *store = to;
    const struct fw_core *core = store->core;
    uint32_t in = fw_row(&core->index->rounds, round)[0];
    uint32_t barrier = core->trace->events[in].target;
    struct fw_node node = { 2 * core->threads + barrier, round };

    if (store->rounds[barrier] <= round) {
        demand_ins(store, node, round);
        store->rounds[barrier] = round + 1;
    }
    demand(store, node, who);
}

static void complete(void *to, struct fw_demander who)
{
    (void)to;
    (void)who;
}

static const struct fw_need_sink sink = {
    .event = demand_event, .clean = demand_clean, .round = demand_round, .complete = complete
};

/* ---- lookup ---- */

FW_VEC_TYPE(nodes, struct fw_node);

/* How many places of the chain the cut has; of rounds it keeps no account. */
static uint32_t known(const struct fw_core *core, const struct fw_cut *cut, uint32_t chain)
{
    if (chain >= 2 * core->threads)
        return 0;
    return chain % 2 ? cut->clean[chain / 2] : cut->len[chain / 2];
}

static void add(const struct fw_core *core, struct fw_cut *cut, struct fw_node node,
                struct nodes *work)
{
    uint32_t count = node.place + 1;

    if (node.chain < 2 * core->threads) {
        if (node.chain % 2)
            fw_cut_raise(cut, node.chain / 2, count - 1, count);
        else
            fw_cut_raise(cut, node.chain / 2, count, 0);
    }
    fw_vec_push(work, node);
}

/* What the node demands directly and the cut does not have. */
static void step_back(const struct fw_chain_store *store, struct fw_node node, struct fw_cut *cut,
                      struct nodes *work)
{
    const struct fw_arcs *in = &store->edges.chains[node.chain].in;

    for (size_t i = 0; i < in->len; i++) {
        const struct fw_arc *arc = &in->at[i];
        uint32_t had = known(store->core, cut, arc->chain), count;

        if (arc->edges.first_target > node.place || arc->edges.last_source < had)
            continue;
        count = fw_edges_source(&store->edges.pool, &arc->edges, node.place);
        if (count > had)
            add(store->core, cut, (struct fw_node) { arc->chain, count - 1 }, work);
    }
}

void fw_chain_store_join(const struct fw_chain_store *store, struct fw_demander who,
                         struct fw_cut *cut)
{
    struct nodes work = { 0 };

    fw_vec_push(&work, node_of(who));
    if (!who.clean && cut->clean[who.thread])
        fw_vec_push(&work, ((struct fw_node) { 2 * who.thread + 1, cut->clean[who.thread] - 1 }));
    while (work.len) {
        struct fw_node node = fw_vec_pop(&work);

        if (node.chain < store->edges.room)
            step_back(store, node, cut, &work);
    }
    fw_vec_release(&work);
}

/* A search for one event: what was reached, in an open hash table, and how much may be spent. */
#define REACHED 512u
#define LOOKS   4096u

struct quest {
    struct fw_node reached[REACHED]; /* place: how many of the chain; 0: free */
    struct fw_node work[REACHED];
    uint32_t count, waiting;
    uint32_t looks; /* at arcs, that are left */
};

/* The entry of the chain; NULL: the table is full. */
static struct fw_node *reached(struct quest *quest, uint32_t chain)
{
    uint32_t i = chain * 2654435761u % REACHED;

    while (quest->reached[i].place && quest->reached[i].chain != chain)
        i = (i + 1) % REACHED;
    if (!quest->reached[i].place && quest->count++ > REACHED / 2)
        return NULL;
    return &quest->reached[i];
}

static bool quest_step(const struct fw_chain_store *store, struct quest *quest,
                       struct fw_node node)
{
    const struct fw_arcs *in = &store->edges.chains[node.chain].in;

    for (size_t i = 0; i < in->len; i++) {
        const struct fw_arc *arc = &in->at[i];
        struct fw_node *entry;
        uint32_t count;

        if (quest->looks-- == 0)
            return false;
        if (arc->edges.first_target > node.place)
            continue;
        count = fw_edges_source(&store->edges.pool, &arc->edges, node.place);
        entry = count ? reached(quest, arc->chain) : NULL;
        if (count && (!entry || quest->waiting == REACHED))
            return false;
        if (!count || entry->place >= count)
            continue;
        *entry = (struct fw_node) { arc->chain, count };
        quest->work[quest->waiting++] = (struct fw_node) { arc->chain, count - 1 };
    }
    return true;
}

static bool quest_has(struct quest *quest, uint32_t thread, uint32_t place)
{
    const struct fw_node *len = reached(quest, 2 * thread), *clean = reached(quest, 2 * thread + 1);

    return (len && len->chain == 2 * thread && len->place > place) ||
           (clean && clean->chain == 2 * thread + 1 && clean->place > place + 1);
}

bool fw_chain_store_has(const struct fw_chain_store *store, struct fw_demander who,
                        uint32_t thread, uint32_t place)
{
    struct quest quest = { .looks = LOOKS };

    quest.work[quest.waiting++] = node_of(who);
    while (quest.waiting) {
        struct fw_node node = quest.work[--quest.waiting];

        if (node.chain < store->edges.room && !quest_step(store, &quest, node))
            break;
        if (quest_has(&quest, thread, place))
            return true;
    }
    return quest_has(&quest, thread, place);
}

/* ---- life cycle ---- */

struct fw_chain_store *fw_chain_store_create(const struct fw_core *core, bool loose)
{
    struct fw_chain_store *store = fw_xcalloc(1, sizeof *store);
    uint32_t barriers = fw_symbols_count(core->trace->symbols, FW_SPACE_BARRIER);

    store->core = core;
    fw_layer_grow(&store->edges, chain_count(core) + 1);
    store->rounds = fw_xcalloc((size_t)barriers + 1, sizeof *store->rounds);
    fw_need_tell(core, loose, &sink, store);
    free(store->rounds);
    return store;
}

size_t fw_chain_store_bytes(const struct fw_chain_store *store)
{
    return sizeof *store + fw_layer_bytes(&store->edges);
}

void fw_chain_store_destroy(struct fw_chain_store *store)
{
    if (!store)
        return;
    fw_layer_release(&store->edges);
    free(store);
}
