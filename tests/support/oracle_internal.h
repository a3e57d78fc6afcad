/*
 * oracle_internal.h - what the oracle's files share.  See oracle.h.
 *
 *     oracle_facts.c   who sees, answers, holds and needs what in the trace
 *     oracle_step.c    the rules: what may happen next, and what it does
 *     oracle_graph.c   all reachable states
 *     oracle.c         answers read off the graph
 *     oracle_iroot.c   instances of interleaving idioms
 *     oracle_judge.c   is this sequence a witness?  and: all sequences
 */
#ifndef FW_TESTS_ORACLE_INTERNAL_H
#define FW_TESTS_ORACLE_INTERNAL_H

#include "support/oracle.h"

#define ORACLE_MAX_THREADS   32u
#define ORACLE_MAX_VARIABLES 64u
#define ORACLE_MAX_WAKES     64u
#define ORACLE_MAX_PLACES    250u /* events of one thread, writes of one variable */

#define ORACLE_NO_SLOT UINT32_MAX

/* What holds of one event in the trace, whatever the reordering. */
struct oracle_fact {
    uint32_t place;      /* in its thread */
    uint32_t slot;       /* accesses: number of the variable among those read and written */
    uint32_t writing;    /* writes: 1, 2, ... among the writes of the variable */
    uint32_t writer;     /* reads: the write it saw */
    bool must_see;       /* atomic load that synchronised */
    uint32_t answers;    /* wake: its notify; pend: its post */
    uint32_t released;   /* wake: the release that began the wait */
    uint32_t wake;       /* wake: 0, 1, 2, ... in the trace */
    uint32_t round;      /* barin, barout: round of its barrier, 0, 1, ... */
    uint32_t block;      /* outermost block, 0: none; numbered over the trace */
    uint32_t activation; /* innermost function activation, numbered over the trace */
};

/* How a thread holds a lock. */
enum oracle_hold {
    ORACLE_FREE,
    ORACLE_SHARED,
    ORACLE_EXCLUSIVE,
};

struct oracle_thread {
    FW_VEC(uint32_t) events;
    uint32_t fork;           /* its first fork, or FW_NO_EVENT: a root */
    uint8_t *holds;          /* [place][lock]: what it holds before its event at that place */
    uint64_t *reads;         /* [place]: variables it still reads from there on */
    uint64_t *reads_tainted; /* the same if it is tainted */
};

struct oracle_node {
    uint32_t parent;
    uint32_t via; /* the event that led here from the parent */
    uint32_t first_edge;
};

struct oracle_edge {
    uint32_t event;
    uint32_t to;
};

struct fw_oracle {
    const struct fw_trace *trace;
    uint32_t count; /* events */
    uint32_t thread_count, lock_count, slot_count, wake_count;
    bool strict;
    bool fits;
    bool has_blocks;
    bool values; /* equal values are no change */
    struct oracle_fact *facts;
    struct oracle_thread *threads;
    uint32_t *writes[ORACLE_MAX_VARIABLES]; /* slot, number of the write - 1: the event */

    /* The bytes of a state: place of each thread, last write of each variable (0: none), then
     * bits: tainted variables, tainted threads, wakes whose notify followed the release. */
    uint32_t at_last, at_variable_taint, at_thread_taint, at_wake, state_size;

    /* The graph; node 0 is the start, edges lead to higher numbers. */
    FW_VEC(uint8_t) states; /* state_size bytes each */
    FW_VEC(struct oracle_node) nodes;
    FW_VEC(struct oracle_edge) edges; /* of node i: up to the first edge of node i + 1 */
    uint32_t *table;                  /* open addressing: node + 1, 0 is free */
    uint32_t table_mask;
};

static inline const struct fw_event *oracle_event(const struct fw_oracle *o, uint32_t event)
{
    return &o->trace->events[event];
}

static inline bool oracle_bit(const uint8_t *bytes, uint32_t i)
{
    return bytes[i / 8] >> i % 8 & 1;
}

static inline void oracle_set_bit(uint8_t *bytes, uint32_t i, bool on)
{
    bytes[i / 8] = (uint8_t)((bytes[i / 8] & ~(1u << i % 8)) | (unsigned)on << i % 8);
}

static inline bool oracle_done(const struct fw_oracle *o, const uint8_t *state, uint32_t event)
{
    return o->facts[event].place < state[oracle_event(o, event)->thread];
}

/* oracle_facts.c */
void oracle_facts_init(struct fw_oracle *o);
void oracle_facts_release(struct fw_oracle *o);

/* oracle_step.c: the functions of oracle.h on bare bytes */
uint32_t oracle_next(const struct fw_oracle *o, const uint8_t *state, uint32_t thread);
bool oracle_may(const struct fw_oracle *o, const uint8_t *state, uint32_t event);
void oracle_step(const struct fw_oracle *o, uint8_t *state, uint32_t event);
uint32_t oracle_sees(const struct fw_oracle *o, const uint8_t *state, uint32_t event);
bool oracle_tainted(const struct fw_oracle *o, const uint8_t *state, uint32_t thread);
bool oracle_any_tainted(const struct fw_oracle *o, const uint8_t *state);
enum oracle_hold oracle_holds(const struct fw_oracle *o, const uint8_t *state, uint32_t thread,
                              uint32_t lock);
/* Does `thread`, next at the acquire, wait for a lock that `holder` holds? */
bool oracle_waits_for(const struct fw_oracle *o, const uint8_t *state, uint32_t acquire,
                      uint32_t holder);
/* Forgets what can no longer matter, so that equal futures are equal bytes. */
void oracle_normalise(const struct fw_oracle *o, uint8_t *state);

/* With values: is what the write leaves surely what the read got in the trace? */
bool oracle_same_value(const struct fw_oracle *o, uint32_t read, uint32_t write);

/* oracle.c: the definitions that do not depend on the reordering */
bool oracle_conflict(const struct fw_oracle *o, uint32_t a, uint32_t b);
bool oracle_unserialisable(const struct fw_oracle *o, uint32_t a1, uint32_t b, uint32_t a2);
/* Are these consecutive accesses of one thread to one variable, within the scope? */
bool oracle_consecutive(const struct fw_oracle *o, uint32_t a1, uint32_t a2);
bool oracle_in_scope(const struct fw_oracle *o, uint32_t a1, uint32_t a2, bool all_pairs);

#endif
