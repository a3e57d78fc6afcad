/*
 * gen_run.h - a run of the program of the style `recorded`: its threads.
 *
 * One thread runs at a time, until it must wait for a lock, a notify or a
 * barrier, or is switched by chance, most likely at synchronisation.  Locks are
 * taken in the order of their numbers, or, if in the wrong order, then all at
 * once when all are free, so there is always a thread that can go on.
 */
#ifndef BENCH_GEN_RUN_H
#define BENCH_GEN_RUN_H

#include "gen_program.h"

#define CONDITIONS 8u  /* condition c belongs to object c and its lock */
#define HEAP_SLOTS 64u /* addresses of a thread's heap: objects that live at once */

/* A step makes fewer events than this, what is owed apart. */
#define STEP_EVENTS 32u

enum state {
    RUNS,
    WAITS,    /* for a notify */
    NOTIFIED, /* wants its lock back */
    IN_BARRIER,
};

struct thread {
    enum state state;
    uint32_t condition;      /* that it waits for */
    const struct loop *loop; /* NULL: between two loops */
    uint32_t rounds, step;   /* rounds to go, the next step of this one */
    bool in_round;
    bool unlocked;   /* this round has forgotten its locks */
    bool reversed;   /* this round takes them in the wrong order */
    uint32_t locked; /* locks of this round that it has */
    uint32_t object[MAX_NESTING];
    uint32_t cursor, table; /* of its walks */
    uint32_t heap_slot;     /* of the round's object */
    uint32_t next_slot;
    uint32_t parcel, gift; /* heap slot + 1: to be passed on, and got from another thread */
    uint32_t passed_on;    /* of its slots, so many are in others' hands */
};

enum barrier_phase {
    NO_BARRIER,
    GATHERING,
    LEAVING,
};

struct recorded {
    struct program program;
    struct thread *threads;
    uint32_t running;
    uint32_t waiters[CONDITIONS]; /* in state WAITS */
    uint32_t waiting;             /* in state WAITS or NOTIFIED */
    enum barrier_phase barrier;
    uint32_t in_barrier;
    uint64_t next_barrier;
    uint32_t *heap;    /* slot → variable + 1, 0: not used yet; HEAP_SLOTS for each thread */
    bool *slot_taken;  /* its object is alive */
    uint32_t *mailbox; /* object → heap slot + 1; 0: empty */
};

/* gen_sync.c; those that return bool: false if the thread cannot go on now. */
void run_wait(struct gen *g, uint32_t t);
bool run_come_back(struct gen *g, uint32_t t);
void run_notify(struct gen *g, uint32_t t, uint32_t condition);
void run_request_barrier(struct gen *g);
void run_enter_barrier(struct gen *g, uint32_t t);
bool run_leave_barrier(struct gen *g, uint32_t t);
void run_end_sync(struct gen *g); /* all blocks and locks are given back: ends waits and barriers */

/* gen_heap.c */
void run_heap_alloc(struct gen *g, uint32_t t);
void run_heap_drop(struct gen *g, uint32_t t); /* frees the round's object or keeps it to pass on */
void run_heap_exchange(struct gen *g, uint32_t t); /* in a section: puts or takes */
void run_heap_use_gift(struct gen *g, uint32_t t);

static inline uint32_t run_lock_of(const struct gen *g, uint32_t object)
{
    return object % g->options.locks;
}

static inline uint32_t run_field(const struct recorded *r, uint32_t object, uint32_t field)
{
    return r->program.objects.first + object * FIELDS + field;
}

#endif
