/*
 * gen.c - writes a well-formed trace of any length, for benchmarks.
 *
 *     gen --events N --threads T --locks L --variables V --sites S --seed X
 *         --style uniform|recorded|shaped [--calls] [--branches] [--sizes] [--blocks] [--heap]
 *         [--barriers N] [--unlocked N] [--reversed N] -o FILE [-o FILE]
 *
 * The format of each FILE comes from its extension.  Equal options give equal
 * traces.  Memory does not depend on the number of events, but for the names
 * of variables that --heap allocates.
 *
 * uniform:  every event is of a random thread, at a random site, on a random
 *           variable; critical sections are nested up to three deep.  Nothing
 *           to hold on to for a compressor: the hard case.
 * recorded: what a recorder sees (gen_program.h, gen_run.h).  A thread runs for
 *           a while and is switched at synchronisation; code is loops over
 *           sites that each have one kind; phases of a thread on memory of its
 *           own alternate with critical sections, nested up to three deep, on
 *           objects of Zipf's distribution under striped locks.
 * shaped:   a trace with given numbers of accesses (--accesses), lock events
 *           (--lock-events) and wait and notify events (--waits); see gen_shaped.c.
 */
#include "gen.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void die(const struct fw_error *err)
{
    fprintf(stderr, "gen: %s\n", err->message);
    exit(1);
}

uint64_t gen_random(struct gen *g)
{
    uint64_t x = g->random += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint32_t gen_below(struct gen *g, uint32_t limit)
{
    return (uint32_t)((gen_random(g) >> 32) * limit >> 32);
}

static void flush(struct gen *g)
{
    static const struct fw_attr attrs[] = {
        { 0 },
        { .has = FW_ATTR_SIZE, .size = 1 },
        { .has = FW_ATTR_SIZE, .size = 4 },
        { .has = FW_ATTR_SIZE, .size = 8 },
    };
    struct fw_batch batch = {
        .events = g->batch, .attrs = attrs, .first = g->written, .count = g->batch_count
    };
    struct fw_error err;

    for (unsigned i = 0; i < g->options.output_count; i++)
        if (batch.count && fw_writer_batch(g->writers[i], &batch, &err) < 0)
            die(&err);
    g->written += g->batch_count;
    g->batch_count = 0;
}

void gen_emit(struct gen *g, unsigned kind, uint32_t thread, uint32_t target, uint32_t site)
{
    static const uint8_t orders[FW_KIND_COUNT] = {
        [FW_ATOMIC_LOAD] = FW_ORDER_ACQUIRE,
        [FW_ATOMIC_STORE] = FW_ORDER_RELEASE,
        [FW_ATOMIC_RMW] = FW_ORDER_RELAXED,
    };
    struct fw_event event = {
        .kind = kind & 0xff, .thread = thread & (FW_MAX_THREADS - 1), .target = target, .site = site
    };

    event.order = orders[kind] & 0xf;
    if (g->options.sizes && fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE))
        event.attr = 1 + site % 3;
    g->batch[g->batch_count++] = event;
    if (g->batch_count == FW_BATCH_EVENTS)
        flush(g);
}

static void push(struct gen *g, uint32_t t, struct owed owed)
{
    struct stack *stack = &g->stacks[t];

    stack->owed[stack->depth++] = owed;
    g->unfinished++;
}

void gen_acquire(struct gen *g, uint32_t t, uint32_t lock, uint32_t site)
{
    push(g, t, (struct owed) { lock, false });
    g->holder[lock] = t + 1;
    gen_emit(g, FW_ACQUIRE, t, lock, site);
}

void gen_begin(struct gen *g, uint32_t t, uint32_t block, uint32_t site)
{
    push(g, t, (struct owed) { block, true });
    gen_emit(g, FW_BEGIN, t, block, site);
}

void gen_pop(struct gen *g, uint32_t t, uint32_t site)
{
    struct owed owed = g->stacks[t].owed[--g->stacks[t].depth];

    g->unfinished--;
    if (!owed.block)
        g->holder[owed.id] = 0;
    gen_emit(g, owed.block ? FW_END : FW_RELEASE, t, owed.id, site);
}

/* Site ids are 1 .. sites; 0 is "no site". */
static uint32_t any_site(struct gen *g)
{
    return 1 + gen_below(g, g->options.sites);
}

static void uniform_event(struct gen *g)
{
    uint32_t t = gen_below(g, g->options.threads), what = gen_below(g, 10);
    uint32_t depth = g->stacks[t].depth, lock = gen_below(g, g->options.locks);

    if (what == 0 && depth < MAX_NESTING && !g->holder[lock] && gen_room(g, 2))
        gen_acquire(g, t, lock, any_site(g));
    else if (what == 1 && depth)
        gen_pop(g, t, any_site(g));
    else
        gen_emit(g, what < 5 ? FW_WRITE : FW_READ, t, gen_below(g, g->options.variables),
                 any_site(g));
}

void gen_names(struct gen *g, enum fw_space space, const char *format, uint32_t count)
{
    char name[64];

    for (uint32_t i = 0; i < count; i++) {
        int len = snprintf(name, sizeof name, format, i);

        fw_strtab_append(&g->symbols->table[space], name, (size_t)len);
    }
}

static void start(struct gen *g)
{
    const struct options *o = &g->options;
    struct fw_error err;

    g->random = o->seed;
    g->stacks = fw_xcalloc(o->threads, sizeof *g->stacks);
    g->holder = fw_xcalloc(o->locks, sizeof *g->holder);
    g->symbols = fw_symbols_create();
    gen_names(g, FW_SPACE_THREAD, "T%" PRIu32, o->threads);
    gen_names(g, FW_SPACE_VARIABLE, "V%" PRIu32, o->variables);
    gen_names(g, FW_SPACE_LOCK, "L%" PRIu32, o->locks);
    gen_names(g, FW_SPACE_SITE, "prog.c:%" PRIu32, o->sites);
    if (o->recorded)
        recorded_create(g);
    for (unsigned i = 0; i < o->output_count; i++)
        if (fw_writer_open(&g->writers[i], o->outputs[i], NULL, g->symbols,
                           o->branches && o->recorded, &err) < 0)
            die(&err);
}

/* The first thread, alone again, fills what is left. */
static void fill_up(struct gen *g)
{
    while (gen_room(g, 1))
        gen_emit(g, FW_READ, 0, g->options.variables - 1, 1);
}

static void generate(struct gen *g)
{
    uint32_t threads = g->options.threads;

    g->unfinished = 2 * (uint64_t)(threads - 1);
    if (g->recorded)
        recorded_start(g);
    for (uint32_t t = 1; t < threads; t++) {
        g->unfinished--;
        gen_emit(g, FW_FORK, 0, t, 1);
    }
    if (g->recorded)
        recorded_run(g);
    else if (g->options.shaped)
        shaped_run(g);
    while (!g->recorded && !g->options.shaped && gen_room(g, 1))
        uniform_event(g);
    for (uint32_t t = 0; t < threads; t++)
        while (g->stacks[t].depth)
            gen_pop(g, t, 1);
    fill_up(g);
    for (uint32_t t = 1; t < threads; t++)
        gen_emit(g, FW_JOIN, 0, t, 1);
    flush(g);
}

static void finish(struct gen *g)
{
    struct fw_error err;

    for (unsigned i = 0; i < g->options.output_count; i++)
        if (fw_writer_close(g->writers[i], &err) < 0)
            die(&err);
    if (g->recorded)
        recorded_destroy(g);
    fw_symbols_destroy(g->symbols);
    free(g->stacks);
    free(g->holder);
}

static void usage(void)
{
    fputs(
        "usage: gen [--events N] [--threads T] [--locks L] [--variables V] [--sites S]\n"
        "           [--seed X] [--style uniform|recorded|shaped] [--calls] [--branches] [--sizes]\n"
        "           [--blocks] [--heap] [--barriers N] [--unlocked N] [--reversed N]\n"
        "           [--accesses N] [--lock-events N] [--waits N]\n"
        "           -o FILE [-o FILE]...\n",
        stderr);
    exit(2);
}

static uint64_t number(const char *text, uint64_t low, uint64_t high)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        fprintf(stderr, "gen: '%s' is not a number from %" PRIu64 " to %" PRIu64 "\n", text, low,
                high);
        exit(2);
    }
    return value;
}

static void parse_style(struct options *o, const char *style)
{
    if (strcmp(style, "recorded") == 0)
        o->recorded = true;
    else if (strcmp(style, "shaped") == 0)
        o->shaped = true;
    else if (strcmp(style, "uniform") != 0)
        usage();
}

static void parse_option(struct options *o, int option)
{
    switch (option) {
    case 'e':
        o->events = number(optarg, 1, UINT64_MAX);
        break;
    case 't':
        o->threads = (uint32_t)number(optarg, 1, FW_MAX_THREADS);
        break;
    case 'l':
        o->locks = (uint32_t)number(optarg, 1, 1u << 24);
        break;
    case 'v':
        o->variables = (uint32_t)number(optarg, 1, 1u << 28);
        break;
    case 's':
        o->sites = (uint32_t)number(optarg, 1, 1u << 24);
        break;
    case 'x':
        o->seed = number(optarg, 0, UINT64_MAX);
        break;
    case 'y':
        parse_style(o, optarg);
        break;
    case 'b':
        o->barriers = number(optarg, 0, UINT64_MAX / 2);
        break;
    case 'u':
        o->unlocked = (uint32_t)number(optarg, 0, MOST_UNLOCKED);
        break;
    case 'r':
        o->reversed = (uint32_t)number(optarg, 0, MOST_REVERSED);
        break;
    case 'A':
        o->accesses = number(optarg, 0, UINT32_MAX);
        break;
    case 'L':
        o->lock_events = number(optarg, 0, UINT32_MAX);
        break;
    case 'W':
        o->waits = number(optarg, 0, UINT32_MAX);
        break;
    case 'o':
        if (o->output_count == MAX_OUTPUTS)
            usage();
        o->outputs[o->output_count++] = optarg;
        break;
    default:
        usage();
    }
}

static void parse(struct options *o, int argc, char **argv)
{
    int calls = 0, branches = 0, sizes = 0, blocks = 0, heap = 0, option;
    const struct option table[] = {
        { "events", required_argument, NULL, 'e' },
        { "threads", required_argument, NULL, 't' },
        { "locks", required_argument, NULL, 'l' },
        { "variables", required_argument, NULL, 'v' },
        { "sites", required_argument, NULL, 's' },
        { "seed", required_argument, NULL, 'x' },
        { "style", required_argument, NULL, 'y' },
        { "calls", no_argument, &calls, 1 },
        { "branches", no_argument, &branches, 1 },
        { "sizes", no_argument, &sizes, 1 },
        { "blocks", no_argument, &blocks, 1 },
        { "heap", no_argument, &heap, 1 },
        { "barriers", required_argument, NULL, 'b' },
        { "unlocked", required_argument, NULL, 'u' },
        { "reversed", required_argument, NULL, 'r' },
        { "accesses", required_argument, NULL, 'A' },
        { "lock-events", required_argument, NULL, 'L' },
        { "waits", required_argument, NULL, 'W' },
        { NULL, 0, NULL, 0 },
    };

    while ((option = getopt_long(argc, argv, "o:", table, NULL)) != -1)
        if (option)
            parse_option(o, option);
    o->calls = calls;
    o->branches = branches;
    o->sizes = sizes;
    o->blocks = blocks;
    o->heap = heap;
    if (optind < argc || !o->output_count || o->events < 2 * (uint64_t)o->threads)
        usage();
    if (o->recorded && (o->variables < 64 || o->variables / 4 < o->threads)) {
        fputs("gen: the style 'recorded' needs 64 variables, and 4 for each thread\n", stderr);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    static struct gen g;

    g.options = (struct options) { .events = 1000000,
                                   .seed = 1,
                                   .threads = 16,
                                   .locks = 100,
                                   .variables = 10000,
                                   .sites = 500,
                                   .unlocked = 1000 };
    parse(&g.options, argc, argv);
    start(&g);
    generate(&g);
    finish(&g);
    return 0;
}
