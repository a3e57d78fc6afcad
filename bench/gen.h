/*
 * gen.h - what the parts of the trace generator share: options, random numbers,
 * threads with what they hold, and the events on their way to the files.
 *
 * Events that are owed (releases of what is held, ends of open blocks, joins)
 * are counted, so that a trace has exactly the wanted number of events and
 * still ends in good order.  The styles: `uniform` is in gen.c, `shaped` in
 * gen_shaped.c, `recorded` in gen_program.c (the code that is run) and gen_recorded.c, gen_sync.c
 * (running it).
 */
#ifndef BENCH_GEN_H
#define BENCH_GEN_H

#include "base/alloc.h"
#include "trace/writer.h"

#include <stdlib.h>

#define MAX_OUTPUTS 4
#define MAX_NESTING 3u /* locks held at once */
#define MAX_OWED    8u /* locks held and blocks open at once */

/* Of a million critical sections at most so many go without their locks. */
#define FORGETFUL     8u /* one in so many loops does */
#define MOST_UNLOCKED (1000000u / FORGETFUL)
#define MOST_REVERSED 1000000u

struct options {
    uint64_t events, seed, barriers;
    uint64_t accesses, lock_events, waits; /* shaped: so many of each */
    uint32_t threads, locks, variables, sites, unlocked, reversed;
    bool recorded, shaped, calls, branches, sizes, blocks, heap;
    const char *outputs[MAX_OUTPUTS];
    unsigned output_count;
};

/* A lock to be released or a block to be ended. */
struct owed {
    uint32_t id;
    bool block;
};

struct stack {
    struct owed owed[MAX_OWED];
    uint32_t depth;
};

struct recorded; /* state of the style `recorded` */

struct gen {
    struct options options;
    uint64_t random, written;
    struct fw_symbols *symbols;
    struct fw_writer *writers[MAX_OUTPUTS];
    struct fw_event batch[FW_BATCH_EVENTS];
    uint32_t batch_count;
    struct stack *stacks; /* by thread */
    uint32_t *holder;     /* lock → thread + 1, 0: free */
    uint64_t unfinished;  /* events still owed */
    struct recorded *recorded;
};

uint64_t gen_random(struct gen *g);
uint32_t gen_below(struct gen *g, uint32_t limit);

/* `count` names made by the format, which takes one number. */
void gen_names(struct gen *g, enum fw_space space, const char *format, uint32_t count);

static inline bool gen_one_in(struct gen *g, uint32_t n)
{
    return gen_below(g, n) == 0;
}

/* Events so far. */
static inline uint64_t gen_done(const struct gen *g)
{
    return g->written + g->batch_count;
}

/* Is there room for n more events beside those that are owed? */
static inline bool gen_room(const struct gen *g, uint64_t n)
{
    return g->options.events - gen_done(g) >= g->unfinished + n;
}

void gen_emit(struct gen *g, unsigned kind, uint32_t thread, uint32_t target, uint32_t site);

/* Takes a lock that is free, or begins a block; pop undoes the latest of these. */
void gen_acquire(struct gen *g, uint32_t t, uint32_t lock, uint32_t site);
void gen_begin(struct gen *g, uint32_t t, uint32_t block, uint32_t site);
void gen_pop(struct gen *g, uint32_t t, uint32_t site);

/* The style `recorded`: create adds names, start writes what is there before the threads, run
 * leaves at most locks and blocks to be given back, and little room. */
void recorded_create(struct gen *g);
void recorded_start(struct gen *g);
void recorded_run(struct gen *g);
void recorded_destroy(struct gen *g);

/* The style `shaped`: leaves at most locks to be given back, and little room. */
void shaped_run(struct gen *g);

#endif
