/*
 * generate_internal.h - the simulated program behind generate.h.
 *
 *     generate.c           the loop: who goes on, what it does, and the text
 *     generate_acts.c      one function for each act
 *     generate_profiles.c  the table of profiles
 */
#ifndef FW_TESTS_GENERATE_INTERNAL_H
#define FW_TESTS_GENERATE_INTERNAL_H

#include "support/generate.h"

#include "base/vec.h"

#define GEN_MAX_THREADS 16u
#define GEN_MAX_LOCKS   8u
#define GEN_MAX_DEPTH   4u /* of open blocks and of calls */
#define GEN_OBJECTS     2u /* conditions, semaphores, barriers, heap names */

enum gen_phase {
    GEN_UNBORN,
    GEN_RUNNING,
    GEN_WAITING,    /* has released its lock, not woken yet */
    GEN_WOKEN,      /* must take its lock back */
    GEN_AT_BARRIER, /* between barin and barout */
    GEN_ENDED,
};

enum gen_hold {
    GEN_FREE,
    GEN_SHARED,
    GEN_EXCLUSIVE,
};

struct gen_thread {
    enum gen_phase phase;
    uint8_t holds[GEN_MAX_LOCKS];
    uint32_t wait_lock, wait_condition, wait_since; /* index of the release */
    enum gen_hold wait_mode;
    uint32_t barrier, round;
    uint8_t blocks[GEN_MAX_DEPTH], calls[GEN_MAX_DEPTH]; /* labels, innermost last */
    uint32_t block_depth, call_depth;
};

struct gen_barrier {
    uint32_t parties, in, round;
    bool opened; /* somebody left the current round */
};

FW_VEC_TYPE(gen_indices, uint32_t);

struct generator {
    const struct fw_generate_options *options;
    struct fw_random random;
    struct fw_generated *out;
    uint8_t weights[FW_GEN_ACT_COUNT];
    uint32_t weight_sum;
    uint32_t thread_count, variable_count, lock_count;
    uint32_t guarded_percent;
    bool branches;
    struct gen_thread threads[GEN_MAX_THREADS];
    struct gen_indices notifies[GEN_OBJECTS]; /* by condition */
    struct gen_indices posts[GEN_OBJECTS];    /* by semaphore: unanswered, oldest first */
    struct gen_barrier barriers[GEN_OBJECTS];
    bool allocated[GEN_OBJECTS];
    struct gen_indices last_write; /* by variable number: index + 1; see gen_variable_name */
    struct gen_indices last_value; /* by variable number, with true_values */
};

/* An event to be written; fields that stay zero are left out. */
struct gen_line {
    uint32_t thread;
    const char *op, *target;
    const char *order;
    bool has_rf, is_access, takes_size;
    uint32_t rf;
    uint32_t value; /* of an access, with true_values */
};

void gen_emit(struct generator *g, const struct gen_line *line);
/* The index that the next event will have. */
static inline uint32_t gen_index(const struct generator *g)
{
    return g->out->events;
}

/* Tries the act for a running thread, or goes on with a waiting one; false: not possible now. */
bool gen_act(struct generator *g, uint32_t thread, enum fw_generate_act act);
bool gen_resume(struct generator *g, uint32_t thread);
/* At the end: a lock that the thread waits for, if there is one. */
bool gen_request(struct generator *g, uint32_t thread);

#endif
