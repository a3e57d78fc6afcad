/*
 * gen_program.h - the program whose run the style `recorded` pretends to have recorded.
 *
 * Memory: constants (written before the threads start), atomics, shared objects
 * of FIELDS variables each, and a share of its own for every thread; beside it a
 * heap, if wanted.  An object belongs to a stripe: the lock of object o is
 * o modulo the number of locks.  Code: loops, each over sites of its own.
 */
#ifndef BENCH_GEN_PROGRAM_H
#define BENCH_GEN_PROGRAM_H

#include "gen.h"

#define MAX_BODY 16u
#define FIELDS   8u
#define MAILBOX  (FIELDS - 1) /* the field that passes heap objects on; no site means it */

/* What code works on. */
enum loop_kind {
    LOOP_LOCAL,   /* a long phase on the thread's own memory */
    LOOP_SECTION, /* each round is a critical section on one object or more */
    LOOP_READ,    /* constants, and atomics now and then */
    LOOP_HEAP,    /* each round has a short-lived object */
    LOOP_QUEUE,   /* each round is a section that may wait for others */
    LOOP_KINDS
};

/* What a step of a loop accesses. */
enum meaning {
    MEANS_LOCAL,    /* memory of the thread, some of it more popular */
    MEANS_ARRAY,    /* memory of the thread, one after the other */
    MEANS_CONSTANT, /* a constant, some of them more popular */
    MEANS_TABLE,    /* constants, one after the other */
    MEANS_FIXED,    /* always the same variable: an atomic one */
    MEANS_FIELD,    /* always the same field of the round's object */
    MEANS_HEAP,     /* the round's heap object */
};

struct step {
    uint8_t kind;
    enum meaning meaning;
    uint32_t site;
    uint32_t variable; /* MEANS_FIXED: which; MEANS_FIELD: which field */
};

/* What a block around code of a section loop spans. */
enum block_kind {
    BLOCK_NONE,
    BLOCK_ROUND, /* a round; the second lock of a round has an inner block of its own */
    BLOCK_PAIR,  /* two rounds with the same objects: look first, then act */
    BLOCK_WHOLE, /* all rounds */
};

struct loop {
    enum loop_kind kind;
    struct step step[MAX_BODY];
    uint32_t length;
    uint32_t depth; /* locks of a round */
    enum block_kind block;
    bool forgets;        /* leaves out the locks now and then */
    bool reverses;       /* takes them in the wrong order now and then */
    uint32_t function;   /* its id; blocks are 1 + 2 * function and the next */
    uint32_t lock_site;  /* acquire and release of the first lock, of the second, ... */
    uint32_t block_site; /* begin and end */
};

/* Sites of what all threads share, as if it were a library. */
enum library_site {
    LIB_MAIN,
    LIB_BARRIER,
    LIB_ALLOC,
    LIB_FREE,
    LIB_PUT,
    LIB_LOOK,
    LIB_TAKE,
    LIB_USE,
    LIB_WAIT,
    LIB_NOTIFY,
    LIB_SITES
};

/* Zipf's distribution over 0 .. n-1: the chance of rank i is about 1 / (i + 1). */
#define ZIPF_STEPS 4096u
struct zipf {
    uint32_t from[ZIPF_STEPS + 1];
};

/* A part of memory: variables first .. first + count - 1. */
struct region {
    uint32_t first, count;
    struct zipf zipf;
};

struct program {
    uint32_t next_site, atomic_steps;        /* made so far */
    struct region constants, atomics, local; /* local: of thread 0; the others follow */
    struct region objects;                   /* counted in objects, not in variables */
    struct loop *loops;
    uint32_t loop_count;
    uint32_t first[LOOP_KINDS], count[LOOP_KINDS]; /* loops of a kind */
};

/* Lays memory out and makes the loops.  Variables must be 64 and 4 for each thread at least. */
void program_init(struct program *p, struct gen *g);
void program_release(struct program *p);

void zipf_init(struct zipf *zipf, uint32_t count);
uint32_t zipf_rank(struct gen *g, const struct zipf *zipf);

/* Site ids are 1 .. sites; more than there are begin again. */
static inline uint32_t program_site(const struct gen *g, uint32_t number)
{
    return 1 + number % g->options.sites;
}

#endif
