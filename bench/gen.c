/*
 * gen.c - writes a well-formed trace of any length, for benchmarks.
 *
 *     gen --events N --threads T --locks L --variables V --sites S --seed X
 *         --style uniform|recorded [--calls] [--branches] [--sizes] -o FILE [-o FILE]
 *
 * The format of each FILE comes from its extension.  Equal options give equal
 * traces.  Memory does not depend on the number of events.
 *
 * uniform:  every event is of a random thread, at a random site, on a random
 *           variable; critical sections are nested up to three deep.  Nothing
 *           to hold on to for a compressor: the hard case.
 * recorded: what a recorder sees.  A thread runs for a while and is switched
 *           at synchronisation; code is loops over sites that each have one
 *           kind; a site means one variable, walks an array, works on memory
 *           of its thread, or takes a shared variable of Zipf's distribution;
 *           shared data is under striped locks.
 */
#include "base/alloc.h"
#include "trace/writer.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OUTPUTS 4
#define MAX_NESTING 3u
#define MAX_BODY    16u
#define ZIPF_TABLE  65536u

struct options {
    uint64_t events, seed;
    uint32_t threads, locks, variables, sites;
    bool recorded, calls, branches, sizes;
    const char *outputs[MAX_OUTPUTS];
    unsigned output_count;
};

/* What a site of a recorded-like program means. */
enum meaning {
    MEANS_ONE,    /* always the same variable */
    MEANS_ARRAY,  /* the next element each time */
    MEANS_LOCAL,  /* memory of the running thread */
    MEANS_SHARED, /* a popular shared variable */
    MEANING_COUNT
};

struct site {
    uint8_t kind;
    enum meaning meaning;
    uint32_t variable;
};

/* A loop: its sites in order; a locked one runs each round in a critical section. */
struct loop {
    uint32_t site[MAX_BODY];
    uint32_t length;
    bool locked;
};

struct thread {
    uint32_t held[MAX_NESTING];
    uint32_t nesting;
    uint32_t loop, rounds, step; /* where it is in its program */
    uint32_t cursor;             /* of its array walks */
    bool in_section;
};

struct gen {
    struct options options;
    uint64_t random, written;
    struct fw_symbols *symbols;
    struct fw_writer *writers[MAX_OUTPUTS];
    struct fw_event batch[FW_BATCH_EVENTS];
    uint32_t batch_count;
    struct thread *threads;
    uint32_t *holder; /* lock → thread + 1, 0: free */
    uint32_t *zipf;   /* a uniform random index gives a variable */
    struct site *sites;
    struct loop *loops;
    uint32_t loop_count;
    uint32_t unfinished; /* releases and joins still owed */
};

static void die(const struct fw_error *err)
{
    fprintf(stderr, "gen: %s\n", err->message);
    exit(1);
}

static uint64_t next_random(struct gen *g)
{
    uint64_t x = g->random += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t below(struct gen *g, uint32_t limit)
{
    return (uint32_t)((next_random(g) >> 32) * limit >> 32);
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

static uint64_t events_left(const struct gen *g)
{
    return g->options.events - g->written - g->batch_count;
}

/* Is there room for n more events beside the releases and joins that are owed? */
static bool room(const struct gen *g, uint32_t n)
{
    return events_left(g) >= (uint64_t)g->unfinished + n;
}

static void emit(struct gen *g, unsigned kind, uint32_t thread, uint32_t target, uint32_t site)
{
    struct fw_event event = {
        .kind = kind & 0xff, .thread = thread & (FW_MAX_THREADS - 1), .target = target, .site = site
    };

    if (kind == FW_ATOMIC_LOAD)
        event.order = FW_ORDER_ACQUIRE;
    if (g->options.sizes && fw_is_class(kind, FW_CLASS_READ | FW_CLASS_WRITE))
        event.attr = 1 + site % 3;
    g->batch[g->batch_count++] = event;
    if (g->batch_count == FW_BATCH_EVENTS)
        flush(g);
}

static void acquire(struct gen *g, uint32_t t, uint32_t lock, uint32_t site)
{
    struct thread *thread = &g->threads[t];

    thread->held[thread->nesting++] = lock;
    g->holder[lock] = t + 1;
    g->unfinished++;
    emit(g, FW_ACQUIRE, t, lock, site);
}

static void release(struct gen *g, uint32_t t, uint32_t site)
{
    struct thread *thread = &g->threads[t];
    uint32_t lock = thread->held[--thread->nesting];

    g->holder[lock] = 0;
    g->unfinished--;
    emit(g, FW_RELEASE, t, lock, site);
}

/* Site ids are 1 .. sites; 0 is "no site". */
static uint32_t any_site(struct gen *g)
{
    return 1 + below(g, g->options.sites);
}

static void uniform_event(struct gen *g)
{
    uint32_t t = below(g, g->options.threads), what = below(g, 10);
    struct thread *thread = &g->threads[t];
    uint32_t lock = below(g, g->options.locks);

    if (what == 0 && thread->nesting < MAX_NESTING && !g->holder[lock] && room(g, 2))
        acquire(g, t, lock, any_site(g));
    else if (what == 1 && thread->nesting)
        release(g, t, any_site(g));
    else
        emit(g, what < 5 ? FW_WRITE : FW_READ, t, below(g, g->options.variables), any_site(g));
}

/* The recorded style. */

static void make_zipf(struct gen *g)
{
    g->zipf = fw_xcalloc(ZIPF_TABLE, sizeof *g->zipf);
    for (uint32_t i = 0; i < ZIPF_TABLE; i++)
        g->zipf[i] = (uint32_t)pow(g->options.variables, (i + 0.5) / ZIPF_TABLE) - 1;
}

static void make_site(struct gen *g, struct site *site)
{
    static const uint8_t kinds[] = { FW_READ, FW_READ,  FW_READ,  FW_READ,  FW_READ,
                                     FW_READ, FW_WRITE, FW_WRITE, FW_WRITE, FW_ATOMIC_LOAD };

    site->kind = kinds[below(g, sizeof kinds)];
    site->meaning = (enum meaning)below(g, MEANING_COUNT);
    site->variable = g->zipf[below(g, ZIPF_TABLE)];
}

static void make_program(struct gen *g)
{
    const struct options *o = &g->options;

    make_zipf(g);
    g->sites = fw_xcalloc(o->sites + 1, sizeof *g->sites);
    for (uint32_t i = 1; i <= o->sites; i++)
        make_site(g, &g->sites[i]);
    g->loop_count = 1 + o->sites / 8;
    g->loops = fw_xcalloc(g->loop_count, sizeof *g->loops);
    for (uint32_t i = 0; i < g->loop_count; i++) {
        struct loop *loop = &g->loops[i];
        uint32_t first = any_site(g);

        loop->length = 3 + below(g, MAX_BODY - 2);
        loop->locked = below(g, 3) == 0;
        for (uint32_t j = 0; j < loop->length; j++)
            loop->site[j] = 1 + (first + j) % o->sites;
    }
}

static uint32_t choose_variable(struct gen *g, uint32_t t, const struct site *site)
{
    uint32_t limit = g->options.variables, share = 1 + limit / (2 * g->options.threads);
    struct thread *thread = &g->threads[t];

    switch (site->meaning) {
    case MEANS_ONE:
        return site->variable;
    case MEANS_ARRAY:
        return (site->variable + thread->cursor++ % 512) % limit;
    case MEANS_LOCAL:
        return (limit / 2 + t * share + g->zipf[below(g, ZIPF_TABLE)] % share) % limit;
    default:
        return g->zipf[below(g, ZIPF_TABLE)];
    }
}

static void start_loop(struct gen *g, uint32_t t)
{
    struct thread *thread = &g->threads[t];

    thread->loop = g->zipf[below(g, ZIPF_TABLE)] % g->loop_count;
    thread->rounds = 1 + below(g, 20);
    if (g->options.calls && room(g, 1))
        emit(g, FW_CALL, t, thread->loop, g->loops[thread->loop].site[0]);
}

/* A round of a loop begins; true if another thread should go on now. */
static bool begin_round(struct gen *g, uint32_t t)
{
    struct thread *thread = &g->threads[t];
    const struct loop *loop = &g->loops[thread->loop];
    uint32_t stripe = below(g, g->options.locks);

    if (!loop->locked || thread->nesting || g->holder[stripe] || !room(g, 2))
        return false;
    acquire(g, t, stripe, loop->site[0]);
    return below(g, 8) == 0;
}

static bool end_round(struct gen *g, uint32_t t)
{
    struct thread *thread = &g->threads[t];
    const struct loop *loop = &g->loops[thread->loop];
    bool released = thread->nesting > 0;

    thread->step = 0;
    if (released)
        release(g, t, loop->site[loop->length - 1]);
    if (--thread->rounds > 0)
        return released && below(g, 4) == 0;
    if (g->options.calls && room(g, 1))
        emit(g, FW_RETURN, t, thread->loop, loop->site[loop->length - 1]);
    return below(g, 4) == 0;
}

/* The next event of the thread; true if another thread should go on now. */
static bool recorded_step(struct gen *g, uint32_t t)
{
    struct thread *thread = &g->threads[t];
    const struct loop *loop;
    uint32_t site, kind;

    if (!thread->rounds)
        start_loop(g, t);
    loop = &g->loops[thread->loop];
    if (thread->step == 0 && begin_round(g, t))
        return true;
    site = loop->site[thread->step++];
    kind = g->sites[site].kind;
    if (room(g, 1) && below(g, 8)) /* one in eight is not executed: a condition in the loop */
        emit(g, kind, t, choose_variable(g, t, &g->sites[site]), site);
    if (g->options.branches && fw_is_read(kind) && room(g, 1) && below(g, 2))
        emit(g, FW_BRANCH, t, 0, site);
    return thread->step == loop->length && end_round(g, t);
}

static void add_names(struct gen *g, enum fw_space space, const char *format, uint32_t count)
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
    g->threads = fw_xcalloc(o->threads, sizeof *g->threads);
    g->holder = fw_xcalloc(o->locks, sizeof *g->holder);
    if (o->recorded)
        make_program(g);
    g->symbols = fw_symbols_create();
    add_names(g, FW_SPACE_THREAD, "T%" PRIu32, o->threads);
    add_names(g, FW_SPACE_VARIABLE, "V%" PRIu32, o->variables);
    add_names(g, FW_SPACE_LOCK, "L%" PRIu32, o->locks);
    add_names(g, FW_SPACE_FUNCTION, "f%" PRIu32, g->loop_count);
    add_names(g, FW_SPACE_SITE, "prog.c:%" PRIu32, o->sites);
    for (unsigned i = 0; i < o->output_count; i++)
        if (fw_writer_open(&g->writers[i], o->outputs[i], NULL, g->symbols,
                           o->branches && o->recorded, &err) < 0)
            die(&err);
}

static void generate(struct gen *g)
{
    uint32_t running = 0;

    g->unfinished = g->options.threads - 1;
    for (uint32_t t = 1; t < g->options.threads; t++)
        emit(g, FW_FORK, 0, t, 1);
    while (room(g, 1)) {
        if (!g->options.recorded)
            uniform_event(g);
        else if (recorded_step(g, running))
            running = below(g, g->options.threads);
    }
    for (uint32_t t = 0; t < g->options.threads; t++)
        while (g->threads[t].nesting)
            release(g, t, 1);
    for (uint32_t t = 1; t < g->options.threads; t++)
        emit(g, FW_JOIN, 0, t, 1);
    flush(g);
}

static void finish(struct gen *g)
{
    struct fw_error err;

    for (unsigned i = 0; i < g->options.output_count; i++)
        if (fw_writer_close(g->writers[i], &err) < 0)
            die(&err);
    fw_symbols_destroy(g->symbols);
    free(g->threads);
    free(g->holder);
    free(g->zipf);
    free(g->sites);
    free(g->loops);
}

static void usage(void)
{
    fputs("usage: gen [--events N] [--threads T] [--locks L] [--variables V] [--sites S]\n"
          "           [--seed X] [--style uniform|recorded] [--calls] [--branches] [--sizes]\n"
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
    int calls = 0, branches = 0, sizes = 0, option;
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
        { NULL, 0, NULL, 0 },
    };

    while ((option = getopt_long(argc, argv, "o:", table, NULL)) != -1)
        if (option)
            parse_option(o, option);
    o->calls = calls;
    o->branches = branches;
    o->sizes = sizes;
    if (optind < argc || !o->output_count || o->events < 2 * (uint64_t)o->threads)
        usage();
}

int main(int argc, char **argv)
{
    static struct gen g;

    g.options = (struct options) {
        .events = 1000000, .seed = 1, .threads = 16, .locks = 100, .variables = 10000, .sites = 500
    };
    parse(&g.options, argc, argv);
    start(&g);
    generate(&g);
    finish(&g);
    return 0;
}
