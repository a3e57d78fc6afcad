/* gen_program.c - see gen_program.h. */
#include "gen_program.h"

#include <math.h>

/* One cycle of loops takes about 256 sites; longer programs have several cycles. */
#define CYCLE_SITES 256u
static const uint32_t cycle[LOOP_KINDS] = {
    [LOOP_LOCAL] = 6, [LOOP_SECTION] = 12, [LOOP_READ] = 3, [LOOP_HEAP] = 2, [LOOP_QUEUE] = 2
};

void zipf_init(struct zipf *zipf, uint32_t count)
{
    for (uint32_t i = 0; i <= ZIPF_STEPS; i++)
        zipf->from[i] = (uint32_t)pow(count + 1, (double)i / ZIPF_STEPS) - 1;
    zipf->from[ZIPF_STEPS] = count;
}

uint32_t zipf_rank(struct gen *g, const struct zipf *zipf)
{
    uint32_t i = gen_below(g, ZIPF_STEPS);
    uint32_t from = zipf->from[i], until = zipf->from[i + 1];

    return until > from + 1 ? from + gen_below(g, until - from) : from;
}

static void region_init(struct region *region, uint32_t *next, uint32_t count, uint32_t size)
{
    region->first = *next;
    region->count = count;
    zipf_init(&region->zipf, count);
    *next += count * size;
}

static uint32_t take_sites(struct program *p, uint32_t count)
{
    p->next_site += count;
    return p->next_site - count;
}

static void make_step(struct gen *g, struct program *p, struct step *step, enum meaning meaning)
{
    static const uint8_t atomic[] = { FW_ATOMIC_LOAD, FW_ATOMIC_RMW,   FW_ATOMIC_LOAD,
                                      FW_ATOMIC_LOAD, FW_ATOMIC_STORE, FW_ATOMIC_LOAD };

    step->meaning = meaning;
    step->site = program_site(g, take_sites(p, 1));
    step->kind = gen_below(g, 10) < 6 ? FW_READ : FW_WRITE;
    if (meaning == MEANS_CONSTANT || meaning == MEANS_TABLE)
        step->kind = FW_READ;
    if (meaning == MEANS_FIELD)
        step->variable = gen_below(g, MAILBOX);
    if (meaning == MEANS_FIXED) {
        step->kind = atomic[p->atomic_steps++ % sizeof atomic];
        step->variable = p->atomics.first + gen_below(g, p->atomics.count);
    }
}

static enum meaning choose_meaning(struct gen *g, enum loop_kind kind)
{
    switch (kind) {
    case LOOP_LOCAL:
        return gen_one_in(g, 3) ? MEANS_ARRAY : MEANS_LOCAL;
    case LOOP_READ:
        return gen_one_in(g, 5) ? MEANS_FIXED : gen_one_in(g, 2) ? MEANS_TABLE : MEANS_CONSTANT;
    case LOOP_HEAP:
        return gen_one_in(g, 4) ? MEANS_LOCAL : MEANS_HEAP;
    default:
        return gen_one_in(g, 4) ? MEANS_LOCAL : MEANS_FIELD;
    }
}

/* Which loops are deep, have blocks or bugs goes by their numbers: every seed has some. */
static void make_section(struct gen *g, struct program *p, struct loop *loop, uint32_t number)
{
    uint32_t most = g->options.locks < p->objects.count ? g->options.locks : p->objects.count;

    loop->depth = number % 12 == 5 ? 3 : number % 4 == 2 ? 2 : 1;
    if (loop->depth > most)
        loop->depth = most;
    loop->forgets = number % FORGETFUL == 4;
    loop->reverses = loop->depth > 1 && number % 8 == 2;
    loop->block = number % 3 == 0 ? BLOCK_NONE : BLOCK_ROUND;
    if (number % 12 == 7)
        loop->block = BLOCK_PAIR;
    else if (number % 12 == 11)
        loop->block = BLOCK_WHOLE;
}

static void make_loop(struct gen *g, struct program *p, enum loop_kind kind, uint32_t number)
{
    struct loop *loop = &p->loops[p->loop_count];
    bool locked = kind == LOOP_SECTION || kind == LOOP_QUEUE;

    loop->kind = kind;
    loop->function = p->loop_count++;
    loop->length = locked ? 2 + gen_below(g, 8) : 3 + gen_below(g, MAX_BODY - 2);
    loop->depth = locked;
    if (kind == LOOP_SECTION)
        make_section(g, p, loop, number);
    if (loop->length < loop->depth)
        loop->length = loop->depth;
    loop->lock_site = take_sites(p, 2 * loop->depth);
    loop->block_site = take_sites(p, loop->block ? 2 : 0);
    for (uint32_t i = 0; i < loop->length; i++)
        make_step(g, p, &loop->step[i], choose_meaning(g, kind));
    if (kind == LOOP_HEAP) {
        loop->step[0].meaning = MEANS_HEAP;
        loop->step[0].kind = FW_WRITE;
    }
}

void program_init(struct program *p, struct gen *g)
{
    const struct options *o = &g->options;
    uint32_t cycles = 1 + o->sites / CYCLE_SITES, total = 0, next = 0;

    region_init(&p->constants, &next, o->variables / 8, 1);
    region_init(&p->atomics, &next, o->variables / 64, 1);
    region_init(&p->objects, &next, o->variables / 2 / FIELDS, FIELDS);
    region_init(&p->local, &next, (o->variables - next) / o->threads, 1);
    p->next_site = LIB_SITES;
    for (int kind = 0; kind < LOOP_KINDS; kind++)
        total += cycles * cycle[kind];
    p->loops = fw_xcalloc(total, sizeof *p->loops);
    for (int kind = 0; kind < LOOP_KINDS; kind++) {
        p->first[kind] = p->loop_count;
        p->count[kind] = cycles * cycle[kind];
        for (uint32_t i = 0; i < p->count[kind]; i++)
            make_loop(g, p, (enum loop_kind)kind, i);
    }
}

void program_release(struct program *p)
{
    free(p->loops);
}
