/*
 * prop_chain.c - the dynamic order over chains against a flood of its graph.
 *
 * Random inserts and deletes on 1 to 8 chains, some edges many times, some
 * settled, some relations with cycles; after them every answer must be what walking over the
 * places and edges one by one gives.
 *
 *     FOREWEAVE_COUNT=N  how many orders (default 12000; a tenth under a sanitizer)
 *     FOREWEAVE_FIRST=N  the first seed (default 1)
 *     FOREWEAVE_SEED=N   just this one
 */
#include "support/random.h"

#include "base/vec.h"
#include "order/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define MAX_CHAINS 8u
#define MAX_LENGTH 400u
#define MAX_NODES  (MAX_CHAINS * MAX_LENGTH)

struct edge {
    struct fw_node a, b;
};

struct sample {
    struct fw_random random;
    uint32_t chains, length; /* length: of every chain */
    uint32_t steps, deletes; /* deletes: percent, changes on the way */
    uint32_t near;           /* targets are so near to where their sources are; 0: anywhere */
    bool cycles;
    struct fw_chain *order;
    FW_VEC(struct edge) edges; /* those inserted, behind those settled */
    size_t settled;
    uint32_t settles; /* percent */
    char why[200];
};

/* --- the naive answers -------------------------------------------------------------------- */

struct flood {
    bool seen[MAX_NODES];
    uint32_t list[MAX_NODES], count;
};

static void visit(struct flood *flood, uint32_t node)
{
    if (flood->seen[node])
        return;
    flood->seen[node] = true;
    flood->list[flood->count++] = node;
}

static uint32_t number_of(const struct sample *s, struct fw_node node)
{
    return node.chain * s->length + node.place;
}

/* Edges by the node they are followed from: those of node n are next[n] .. next[n + 1]. */
static void sort_edges(const struct sample *s, bool back, uint32_t *next, uint32_t *other)
{
    memset(next, 0, (s->chains * s->length + 2) * sizeof *next);
    for (size_t i = 0; i < s->edges.len; i++)
        next[number_of(s, back ? s->edges.at[i].b : s->edges.at[i].a) + 2]++;
    for (uint32_t n = 2; n < s->chains * s->length + 2; n++)
        next[n] += next[n - 1];
    for (size_t i = 0; i < s->edges.len; i++) {
        uint32_t a = number_of(s, s->edges.at[i].a), b = number_of(s, s->edges.at[i].b);

        other[next[(back ? b : a) + 1]++] = back ? a : b;
    }
}

/* What the node reaches, or what reaches it. */
static void flood(const struct sample *s, struct fw_node from, bool back, struct flood *flood)
{
    static uint32_t next[MAX_NODES + 2];
    uint32_t *other = fw_xmalloc((s->edges.len + 1) * sizeof *other);

    sort_edges(s, back, next, other);
    memset(flood, 0, sizeof *flood);
    visit(flood, number_of(s, from));
    for (uint32_t i = 0; i < flood->count; i++) {
        uint32_t node = flood->list[i], place = node % s->length;

        if (back && place)
            visit(flood, node - 1);
        if (!back && place + 1 < s->length)
            visit(flood, node + 1);
        for (uint32_t e = next[node]; e < next[node + 1]; e++)
            visit(flood, other[e]);
    }
    free(other);
}

static uint32_t best_of(const struct sample *s, const struct flood *flood, uint32_t chain,
                        bool back)
{
    for (uint32_t i = 0; i < s->length; i++) {
        uint32_t place = back ? s->length - 1 - i : i;

        if (flood->seen[chain * s->length + place])
            return place;
    }
    return FW_CHAIN_NONE;
}

/* --- checks ------------------------------------------------------------------------------- */

static struct fw_node any_node(struct sample *s)
{
    return (struct fw_node) { fw_random_below(&s->random, s->chains),
                              fw_random_below(&s->random, s->length) };
}

static bool fail(struct sample *s, const char *what, struct fw_node node, uint32_t chain,
                 uint32_t got, uint32_t wanted)
{
    snprintf(s->why, sizeof s->why,
             "%s of (%" PRIu32 ",%" PRIu32 ") on chain %" PRIu32 " is %" PRIu32 " and not %" PRIu32,
             what, node.chain, node.place, chain, got, wanted);
    return false;
}

static bool answers_are_right(struct sample *s, struct fw_node node, bool back)
{
    static struct flood reached;
    uint32_t all[MAX_CHAINS + 1], n = s->chains + 1;
    struct fw_node other = any_node(s);
    bool reach, wanted;

    flood(s, node, back, &reached);
    (back ? fw_chain_pred_all : fw_chain_succ_all)(s->order, node, all, n);
    for (uint32_t c = 0; c < s->chains; c++)
        if (all[c] != best_of(s, &reached, c, back))
            return fail(s, back ? "pred" : "succ", node, c, all[c], best_of(s, &reached, c, back));
    if (all[s->chains] != FW_CHAIN_NONE)
        return fail(s, "unknown chain", node, s->chains, all[s->chains], FW_CHAIN_NONE);
    n = (back ? fw_chain_pred : fw_chain_succ)(s->order, node, other.chain);
    if (n != all[other.chain])
        return fail(s, "single answer", node, other.chain, n, all[other.chain]);
    reach = back ? fw_chain_reach(s->order, other, node) : fw_chain_reach(s->order, node, other);
    wanted = reached.seen[number_of(s, other)];
    return reach == wanted || fail(s, "reach", node, other.chain, reach, wanted);
}

/* --- changes ------------------------------------------------------------------------------ */

/* Some edges are far, most of them near, as in a trace; one in eight is a copy. */
static struct edge any_edge(struct sample *s)
{
    struct edge edge = { any_node(s), any_node(s) };
    uint32_t low;

    if (s->edges.len && fw_random_percent(&s->random, 12))
        return s->edges.at[fw_random_below(&s->random, (uint32_t)s->edges.len)];
    if (s->near && fw_random_percent(&s->random, 90)) {
        low = edge.a.place > s->near / 4 ? edge.a.place - s->near / 4 : 0;
        edge.b.place = low + fw_random_below(&s->random, s->near);
        if (edge.b.place >= s->length)
            edge.b.place = s->length - 1;
    }
    return edge;
}

static void insert(struct sample *s)
{
    struct edge edge = any_edge(s);

    if (!s->cycles && fw_chain_reach(s->order, edge.b, edge.a))
        return;
    fw_vec_push(&s->edges, edge);
    if (!fw_random_percent(&s->random, s->settles)) {
        fw_chain_insert(s->order, edge.a, edge.b);
        return;
    }
    fw_chain_settle(s->order, edge.a, edge.b);
    fw_vec_last(&s->edges) = s->edges.at[s->settled];
    s->edges.at[s->settled++] = edge;
}

static bool delete (struct sample *s)
{
    struct edge edge = any_edge(s);
    bool there = false;

    if (s->edges.len && fw_random_percent(&s->random, 95))
        edge = s->edges.at[fw_random_below(&s->random, (uint32_t)s->edges.len)];
    for (size_t i = s->settled; !there && i < s->edges.len; i++)
        if (!memcmp(&s->edges.at[i], &edge, sizeof edge)) {
            s->edges.at[i] = s->edges.at[--s->edges.len];
            there = true;
        }
    return fw_chain_delete(s->order, edge.a, edge.b) == there ||
           fail(s, "delete", edge.a, edge.b.chain, !there, there);
}

static bool step(struct sample *s)
{
    if (fw_random_percent(&s->random, 2))
        s->deletes = fw_random_below(&s->random, 90);
    if (!fw_random_percent(&s->random, s->deletes))
        insert(s);
    else if (!delete (s))
        return false;
    if (fw_random_percent(&s->random, 2))
        fw_chain_check(s->order);
    if (fw_chain_inserted(s->order) != s->edges.len - s->settled)
        return fail(s, "edges", any_node(s), 0, (uint32_t)fw_chain_inserted(s->order), 0);
    return !fw_random_percent(&s->random, 20) ||
           answers_are_right(s, any_node(s), fw_random_percent(&s->random, 50));
}

/* --- samples ------------------------------------------------------------------------------ */

static void choose(struct sample *s, uint64_t seed)
{
    static const uint32_t lengths[] = { 3, 8, 30, 100, MAX_LENGTH };
    static const uint32_t settles[] = { 0, 50, 90, 100 };

    fw_random_init(&s->random, seed);
    s->chains = fw_random_between(&s->random, 1, MAX_CHAINS);
    s->length = lengths[fw_random_below(&s->random, 5)];
    /* One in fifty fills nodes over several levels. */
    s->steps = fw_random_percent(&s->random, 2) ? 10000 : s->length * s->chains / 2 + 20;
    s->deletes = fw_random_below(&s->random, 60);
    s->near = fw_random_below(&s->random, s->length);
    s->cycles = fw_random_percent(&s->random, 25);
    s->settles = settles[fw_random_below(&s->random, 4)];
    s->settled = 0;
    fw_vec_clear(&s->edges);
    fw_chain_clear(s->order);
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static bool check_one(struct sample *s, uint64_t seed, uint64_t *steps)
{
    choose(s, seed);
    for (uint32_t i = 0; i < s->steps; i++, ++*steps)
        if (!step(s)) {
            printf("prop_chain: seed %" PRIu64 ", step %" PRIu32 ": %s\n", seed, i, s->why);
            printf("replay: FOREWEAVE_SEED=%" PRIu64 " build/tests/prop_chain\n", seed);
            return false;
        }
    return true;
}

int main(void)
{
    uint64_t first = number_from("FOREWEAVE_FIRST", 1), only = number_from("FOREWEAVE_SEED", 0);
    bool slow = getenv("FOREWEAVE_SANITIZE") && *getenv("FOREWEAVE_SANITIZE");
    uint64_t count = only ? 1 : number_from("FOREWEAVE_COUNT", slow ? 1200 : 12000);
    struct sample sample = { .order = fw_chain_create() };
    uint64_t done = 0, steps = 0;
    clock_t start = clock();
    bool good = true;

    for (first = only ? only : first; good && done < count; done++)
        good = check_one(&sample, first + done, &steps);
    printf(
        "prop_chain: %" PRIu64 " orders, %" PRIu64 " steps, seeds from %" PRIu64 ", %.1f s: %s\n",
        done, steps, first, (double)(clock() - start) / CLOCKS_PER_SEC, good ? "holds" : "FAILS");
    fw_vec_release(&sample.edges);
    fw_chain_destroy(sample.order);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
