/*
 * bench_order.c - dynamic orders over chains, side by side.
 *
 *     bench_order [--events N] [--edges N] [--steps N] [--seconds S] [--repeat N]
 *                 [--threads K,K,...]
 *
 * Ours (src/order/chain.h) against vector clocks that are passed on at each
 * insert, and against Fenwick trees of full length that are kept closed.  All
 * get the same operations, each in a process of its own, and must give the
 * same answers.  The chains are threads of one run: bursts of about 45 events,
 * in turns.  The work, in this order:
 *
 *     build    the edges that the run itself has, in order: one event in ten (--edges: so many)
 *              has one, from an event of another thread up to 2000 events before
 *     close    what a predictor does for each order that it adds, anywhere in the trace: ask
 *              whether it is there already or closes a cycle; if not, insert it, and ask what
 *              its source is reached from, and what its target reaches, on all chains
 *     reach, succ, pred, succ_all, pred_all   just these, of events at most 2000 apart
 *     try      insert an edge, ask succ_all and reach ten times, delete it
 *
 * A rival that needs more than --seconds for a part is stopped there, and its
 * speed is that of what it did.  All rivals run in turns, --repeat times; the
 * best time of each part counts.
 */
#include "order.h"

#include "base/alloc.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURST      45u
#define NEAR       2000u /* edges of the run: at most so many events */
#define APART      2000u /* queries and later edges */
#define PAIRS      (1u << 20)
#define MAX_CHAINS 1024u
#define BLOCK      16u /* operations between two looks at the clock */
#define MAX_BLOCKS 65536u

enum part {
    BUILD,
    CLOSE,
    REACH,
    SUCC,
    PRED,
    SUCC_ALL,
    PRED_ALL,
    TRY,
    PARTS
};

static const char *const part_names[PARTS] = { "build", "close",    "reach",    "succ",
                                               "pred",  "succ_all", "pred_all", "try" };

struct options {
    uint32_t events, edges, steps, repeat;
    double seconds;
    uint32_t threads[16], thread_counts;
};

struct result {
    double seconds[PARTS];
    uint64_t done[PARTS];
    uint64_t answers[PARTS][MAX_BLOCKS]; /* sums over the answers so far, by block */
    size_t bytes;
};

/* One rival at work. */
struct bench {
    const struct options *options;
    const struct rival *rival;
    void *order;
    struct shape shape;
    struct edge *edges, *pairs;
    uint32_t edge_count, next_pair;
    uint64_t random, sum;
    uint32_t *places;
    struct result *result;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint32_t below(struct bench *b, uint32_t limit)
{
    return (uint32_t)((next_random(&b->random) >> 32) * limit >> 32);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* --- the run ------------------------------------------------------------------------------ */

static struct fw_node node_at(const struct bench *b, uint32_t event)
{
    return (struct fw_node) { b->shape.chain_of[event], b->shape.place_of[event] };
}

static void make_events(struct bench *b, uint32_t chains)
{
    uint32_t events = b->options->events, running = 0;
    uint32_t *chain_of = fw_xcalloc(events, sizeof *chain_of);
    uint32_t *place_of = fw_xcalloc(events, sizeof *place_of);
    uint32_t *lengths = fw_xcalloc(chains, sizeof *lengths);

    for (uint32_t i = 0; i < events; i++) {
        if (!below(b, BURST))
            running = below(b, chains);
        chain_of[i] = i < chains ? i : running;
        place_of[i] = lengths[chain_of[i]]++;
    }
    b->shape = (struct shape) { chains, lengths, chain_of, place_of, events };
}

static void make_edges(struct bench *b)
{
    uint32_t events = b->options->events, every = events / b->options->edges;

    b->edges = fw_xcalloc(events, sizeof *b->edges);
    for (uint32_t i = 1; i < events; i++) {
        uint32_t from = i - 1 - below(b, i < NEAR ? i : NEAR);

        if (below(b, every) || b->shape.chain_of[from] == b->shape.chain_of[i])
            continue;
        b->edges[b->edge_count++] = (struct edge) { node_at(b, from), node_at(b, i) };
    }
}

/* Two events of different threads, not far apart, in either order. */
static struct edge make_pair(struct bench *b)
{
    uint32_t first, second;

    do {
        first = below(b, b->shape.events);
        second = first + 1 + below(b, APART);
    } while (second >= b->shape.events || b->shape.chain_of[first] == b->shape.chain_of[second]);
    return below(b, 2) ? (struct edge) { node_at(b, first), node_at(b, second) }
                       : (struct edge) { node_at(b, second), node_at(b, first) };
}

/* Made in advance: choosing them takes longer than some of the queries. */
static void make_pairs(struct bench *b)
{
    b->pairs = fw_xcalloc(PAIRS, sizeof *b->pairs);
    for (uint32_t i = 0; i < PAIRS; i++)
        b->pairs[i] = make_pair(b);
}

static struct edge any_pair(struct bench *b)
{
    return b->pairs[b->next_pair++ % PAIRS];
}

/* --- the parts ---------------------------------------------------------------------------- */

static void note(struct bench *b, uint64_t answer)
{
    b->sum = (b->sum ^ answer) * UINT64_C(0x100000001b3);
}

static void note_all(struct bench *b)
{
    for (uint32_t c = 0; c < b->shape.chains; c++)
        note(b, b->places[c]);
}

static void do_close(struct bench *b)
{
    struct edge e = any_pair(b);
    const struct rival *r = b->rival;
    bool back = r->reach(b->order, e.b, e.a), there = !back && r->reach(b->order, e.a, e.b);

    note(b, 2u * back + there);
    if (back || there)
        return;
    r->insert(b->order, e.a, e.b);
    r->pred_all(b->order, e.a, b->places);
    note_all(b);
    r->succ_all(b->order, e.b, b->places);
    note_all(b);
}

static void do_query(struct bench *b, enum part part)
{
    struct edge e = any_pair(b);
    const struct rival *r = b->rival;

    if (part == REACH)
        note(b, r->reach(b->order, e.a, e.b));
    else if (part == SUCC)
        note(b, r->succ(b->order, e.a, e.b.chain));
    else if (part == PRED)
        note(b, r->pred(b->order, e.b, e.a.chain));
    else if (part == SUCC_ALL)
        r->succ_all(b->order, e.a, b->places);
    else
        r->pred_all(b->order, e.a, b->places);
    if (part == SUCC_ALL || part == PRED_ALL)
        note_all(b);
}

static void do_try(struct bench *b)
{
    struct edge e = any_pair(b), other;
    const struct rival *r = b->rival;

    if (r->reach(b->order, e.b, e.a))
        return;
    r->try(b->order, e.a, e.b);
    for (unsigned i = 0; i < 10; i++) {
        other = any_pair(b);
        note(b, r->reach(b->order, other.a, other.b));
        r->succ_all(b->order, other.a, b->places);
        note_all(b);
    }
    r->delete (b->order, e.a, e.b);
}

static void do_part(struct bench *b, enum part part)
{
    uint32_t count = part == CLOSE || part == TRY ? b->options->steps : 10 * b->options->steps;
    struct result *result = b->result;
    double start = now();

    if (part == TRY && !b->rival->try)
        return;
    for (uint32_t i = 0; i < count && now() - start < b->options->seconds;) {
        for (uint32_t j = 0; j < BLOCK && i < count; j++, i++)
            if (part == CLOSE)
                do_close(b);
            else if (part == TRY)
                do_try(b);
            else
                do_query(b, part);
        result->answers[part][(i - 1) / BLOCK % MAX_BLOCKS] = b->sum;
        result->done[part] = i;
    }
    result->seconds[part] = now() - start;
}

static void run(struct bench *b, uint32_t chains)
{
    double start;

    b->random = 1;
    make_events(b, chains);
    make_edges(b);
    make_pairs(b);
    b->places = fw_xcalloc(chains, sizeof *b->places);
    start = now();
    b->order = b->rival->create(&b->shape);
    b->rival->build(b->order, b->edges, b->edge_count);
    b->result->seconds[BUILD] = now() - start;
    b->result->done[BUILD] = b->edge_count;
    for (enum part part = CLOSE; part < PARTS; part++) {
        b->next_pair = 100000 * part; /* the same operations, however far a rival came before */
        b->sum = 0;
        do_part(b, part);
    }
    b->result->bytes = b->rival->bytes(b->order);
}

/* --- all rivals --------------------------------------------------------------------------- */

static const struct rival *const rivals[] = { &rival_settled, &rival_inserted, &rival_clocks,
                                              &rival_fenwick };
#define RIVALS 4u

static void run_apart(const struct options *options, const struct rival *rival, uint32_t chains,
                      struct result *result)
{
    struct bench bench = { .options = options, .rival = rival, .result = result };
    pid_t child = fork();
    int status;

    memset(result, 0, sizeof *result);
    if (child == 0) {
        run(&bench, chains);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) {
        fprintf(stderr, "bench_order: '%s' failed\n", rival->name);
        exit(1);
    }
}

/* Queries after parts that were cut short ask a different order: only equal work is compared. */
static void compare(const struct result *a, const struct result *b, const char *name)
{
    bool same = true;

    for (enum part part = CLOSE; part < TRY && same; part++) {
        uint64_t least = a->done[part] < b->done[part] ? a->done[part] : b->done[part];

        for (uint64_t i = 0; i < least / BLOCK && i < MAX_BLOCKS; i++)
            if (a->answers[part][i] != b->answers[part][i]) {
                fprintf(stderr, "bench_order: '%s' answers %s differently\n", name,
                        part_names[part]);
                exit(1);
            }
        same = a->done[part] == b->done[part];
    }
}

static void print_part(const struct result *results, enum part part, uint32_t chains)
{
    double ours = 0;

    printf("| %" PRIu32 " | %s |", chains, part_names[part]);
    for (unsigned r = 0; r < RIVALS; r++) {
        double each = results[r].seconds[part] / (double)results[r].done[part] * 1e6;

        if (r == 0)
            printf(" %.2f |", ours = each);
        else if (results[r].done[part])
            printf(" %.2f | %.2f |", each, each / ours);
        else
            printf(" cannot | |");
    }
    printf("\n");
}

static void keep_best(struct result *best, const struct result *result, bool first)
{
    best->bytes = result->bytes;
    for (enum part part = BUILD; part < PARTS; part++)
        if (first || result->seconds[part] * (double)best->done[part] <
                         best->seconds[part] * (double)result->done[part]) {
            best->seconds[part] = result->seconds[part];
            best->done[part] = result->done[part];
        }
}

static void measure(const struct options *options, uint32_t chains, struct result *shared)
{
    static struct result results[RIVALS];

    for (uint32_t i = 0; i < options->repeat * RIVALS; i++) {
        unsigned r = i % RIVALS;

        run_apart(options, rivals[r], chains, &shared[r]);
        if (r)
            compare(&shared[0], &shared[r], rivals[r]->name);
        keep_best(&results[r], &shared[r], i < RIVALS);
    }
    for (enum part part = BUILD; part < PARTS; part++)
        print_part(results, part, chains);
    printf("| %" PRIu32 " | MiB |", chains);
    for (unsigned r = 0; r < RIVALS; r++) {
        printf(" %.1f |", (double)results[r].bytes / (1 << 20));
        if (r)
            printf(" %.1f |", (double)results[r].bytes / (double)results[0].bytes);
    }
    printf("\n");
    fflush(stdout);
}

static void parse_threads(struct options *o, char *text)
{
    o->thread_counts = 0;
    for (char *item = strtok(text, ","); item && o->thread_counts < 16; item = strtok(NULL, ","))
        o->threads[o->thread_counts++] = (uint32_t)atoi(item);
}

static void parse(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        { "events", required_argument, NULL, 'n' },
        { "edges", required_argument, NULL, 'e' },
        { "steps", required_argument, NULL, 's' },
        { "seconds", required_argument, NULL, 'l' },
        { "threads", required_argument, NULL, 't' },
        { "repeat", required_argument, NULL, 'r' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'n')
            o->events = (uint32_t)atoi(optarg);
        else if (option == 'e')
            o->edges = (uint32_t)atoi(optarg);
        else if (option == 's')
            o->steps = (uint32_t)atoi(optarg);
        else if (option == 'r')
            o->repeat = (uint32_t)atoi(optarg);
        else if (option == 'l')
            o->seconds = atof(optarg);
        else if (option == 't')
            parse_threads(o, optarg);
        else
            exit(2);
    }
    for (uint32_t i = 0; i < o->thread_counts; i++)
        if (o->threads[i] < 2 || o->threads[i] > MAX_CHAINS)
            exit(2);
    if (o->events < APART || !o->edges || o->edges > o->events || !o->steps || !o->repeat)
        exit(2);
}

int main(int argc, char **argv)
{
    struct options o = { 1000000, 100000, 10000, 3, 2, { 8, 16, 32, 64 }, 4 };
    struct result *results = mmap(NULL, RIVALS * sizeof *results, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    parse(&o, argc, argv);
    printf("| threads | microseconds each | settled | inserted | ratio | clocks | ratio | Fenwick "
           "| ratio |\n");
    printf("|---|---|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < o.thread_counts; i++)
        measure(&o, o.threads[i], results);
    return 0;
}
