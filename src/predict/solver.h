/*
 * solver.h - can this happen?  The one question that all predictors ask.
 *
 * A question is a claim as the verifier knows it (trace/verify.h): these two
 * events can be next together (race), these acquires can wait for each other
 * (deadlock), these events can come in this order (order, atomicity), this
 * read can see that write (nondeterminism), these accesses can be an instance
 * of an interleaving idiom (iroot).  The answer is a correct
 * reordering that shows it, or that there is none, or that the budget was
 * spent first.  Both definite answers are exact for any number of threads.
 *
 *     core = fw_core_create(index, &options);          once for a trace
 *     solver = fw_solver_create(core, &budget);        one for each thread
 *     if (fw_solver_ask(solver, FW_CLAIM_RACE, pair, 2) == FW_FEASIBLE)
 *         order = fw_solver_witness(solver, &count);
 *
 * The answer depends on the question alone: not on earlier questions, not on
 * how many solvers there are (unless `stop` was raised).
 *
 * Thread-safety: a core is immutable and may be shared; a solver belongs to
 * one thread.  The index outlives the core, the core its solvers.
 */
#ifndef FW_PREDICT_SOLVER_H
#define FW_PREDICT_SOLVER_H

#include "trace/index.h"
#include "trace/verify.h"

#include <stdatomic.h>

enum fw_answer {
    FW_FEASIBLE,
    FW_INFEASIBLE,
    FW_UNDECIDED, /* the budget was spent, or `stop` was raised */
};

struct fw_core;

struct fw_core_options {
    bool values; /* a read that sees another write of the same value counts as unchanged */
    bool chains; /* keep demands as if there were very many threads (for tests) */
    bool iroots; /* FW_CLAIM_IROOT will be asked about */
};

struct fw_core *fw_core_create(const struct fw_index *index,
                               const struct fw_core_options *options);
void fw_core_destroy(struct fw_core *core);
const struct fw_index *fw_core_index(const struct fw_core *core);
size_t fw_core_bytes(const struct fw_core *core); /* memory it takes */

/*
 * Does every correct reordering that holds b hold a before it?  Exact for what fork, join, wakes,
 * pends, barriers, synchronising atomics and what branches depend on demand; locks and the
 * exclusion of other writes are not looked at.  With very many threads the search is cut short, and
 * false may mean that it is not known.  (False also if a == b.)
 */
bool fw_core_must_precede(const struct fw_core *core, uint32_t a, uint32_t b);

struct fw_solver;

struct fw_budget {
    uint64_t steps;           /* work for one question, about one event looked at each; 0: the
                                 default */
    const atomic_bool *stop;  /* or NULL; once true every question is undecided soon */
};

#define FW_BUDGET_STEPS 20000000u

struct fw_solver *fw_solver_create(const struct fw_core *core, const struct fw_budget *budget);
void fw_solver_destroy(struct fw_solver *solver);

/* The events are positions, as in struct fw_witness; the claim must be well-formed. */
enum fw_answer fw_solver_ask(struct fw_solver *solver, enum fw_claim claim,
                             const uint32_t *events, uint32_t count);

/* After FW_FEASIBLE: the witness's order (positions), borrowed until the next question.  It is
 * written down only when asked for: the answer itself may be much cheaper. */
const uint32_t *fw_solver_witness(struct fw_solver *solver, uint32_t *count);

/* How questions were answered so far; sums over solvers do not depend on their number. */
struct fw_solver_stats {
    uint64_t asked;
    uint64_t infeasible_at_once; /* the needed events or their must-order contradict the claim */
    uint64_t feasible_at_once;   /* the needed events in the order of the trace do it */
    uint64_t infeasible_closed;  /* the closure of the orders has a cycle */
    uint64_t feasible_closed;    /* closed orders could be linearised without a choice */
    uint64_t chosen;             /* choices had to be explored */
    uint64_t choices;            /* how many, over all questions */
    uint64_t undecided;
};

struct fw_solver_stats fw_solver_stats(const struct fw_solver *solver);

#endif
