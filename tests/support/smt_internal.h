/*
 * smt_internal.h - what the SMT oracle's files share.  See smt.h.
 *
 *     smt_encode.c   the rules of correct reorderings as clauses
 *     smt.c          claims as assumptions; the witness from the model
 *
 * For each event e of the trace there are
 *     present[e]   Boolean: e is in the reordering
 *     clean[e]     Boolean: e is in it and its thread is untainted behind e
 *     time[e]      integer: where; means nothing if e is not present
 *
 * Nothing is gained by being tainted, so clean[e] only ever implies what it
 * needs; a solver that leaves it false just does not claim it.  Times occur in
 * no other way than "a before b", and never negated: so equal times are good in
 * either order, and an absent event has a time behind all present ones.
 */
#ifndef FW_TESTS_SMT_INTERNAL_H
#define FW_TESTS_SMT_INTERNAL_H

#include "support/smt.h"

#include "support/oracle_internal.h"

#include <z3.h>

FW_VEC_TYPE(smt_literals, Z3_ast);
FW_VEC_TYPE(smt_events, uint32_t);

/* A thread holds a lock from one event on up to another one of it, or to its end. */
struct smt_hold {
    uint32_t thread, lock;
    uint32_t acquire, release; /* release: FW_NO_EVENT if there is none */
    bool shared;
};

struct fw_smt {
    const struct fw_trace *trace;
    struct fw_oracle *oracle; /* for its facts */
    uint32_t count;
    bool strict;
    Z3_context z3;
    Z3_solver solver;
    Z3_ast *present, *clean, *time;
    uint64_t *earlier;         /* bits [e][a]: a is before e in every reordering that has e */
    uint32_t words;            /* of a row of it */
    Z3_ast *order;             /* [a][b]: "a before b", or NULL: not made yet */
    Z3_ast *asked;             /* [a][b]: Boolean that implies it, for questions */
    Z3_ast *last;              /* [w]: Boolean that implies that w is its variable's last write */
    Z3_ast *unwritten;         /* [variable]: ... that there is no write of it */
    Z3_ast all_clean;          /* Boolean: every read sees what it saw */
    struct smt_events *writes; /* by variable */
    FW_VEC(struct smt_hold) holds;
    struct smt_literals clause; /* being made */
    struct smt_literals assumptions;
    struct smt_events witness;
};

static inline const struct fw_event *smt_event(const struct fw_smt *s, uint32_t event)
{
    return &s->trace->events[event];
}

static inline const struct oracle_fact *smt_fact(const struct fw_smt *s, uint32_t event)
{
    return &s->oracle->facts[event];
}

/* The event before this one in its thread, or FW_NO_EVENT. */
uint32_t smt_previous(const struct fw_smt *s, uint32_t event);

/* Clauses: literals first, then the clause is added.  A literal is NULL if it cannot be true. */
void smt_or(struct fw_smt *s, Z3_ast literal);
void smt_or_not(struct fw_smt *s, Z3_ast literal);
void smt_or_before(struct fw_smt *s, uint32_t a, uint32_t b);
void smt_add(struct fw_smt *s);
Z3_ast smt_boolean(struct fw_smt *s);
Z3_ast smt_before(struct fw_smt *s, uint32_t a, uint32_t b);

/* Is a before b in every reordering that has b? */
bool smt_must_precede(const struct fw_smt *s, uint32_t a, uint32_t b);

/* Adds all rules. */
void smt_encode(struct fw_smt *s);

#endif
