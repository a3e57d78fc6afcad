/*
 * smt.h - the answer by an SMT solver (Z3), for traces of medium size.
 *
 * The brute-force oracle (oracle.h) goes through all states and is lost beyond
 * some thirty events.  Here the definitions of docs/soundness.md are written
 * down as formulas instead, and the question is whether they can be true:
 *
 *     smt = fw_smt_create(trace, 0);
 *     if (fw_smt_ask(smt, FW_CLAIM_RACE, pair, 2) == FW_SMT_FEASIBLE)
 *         order = fw_smt_witness(smt, &count);
 *
 * The encoding is made once for a trace; questions are assumptions on top of
 * it, so that they share what the solver learns.  Of the oracle only the facts
 * about the trace are used (who saw, answered, forked whom), none of its
 * rules; and neither index, verifier nor predictor.
 *
 * Answers do not depend on the machine or the time of day: the limit counts
 * Z3's own steps.  Up to about 400 events; not thread-safe.
 */
#ifndef FW_TESTS_SMT_H
#define FW_TESTS_SMT_H

#include "trace/trace.h"
#include "trace/verify.h"

struct fw_smt;

enum fw_smt_answer {
    FW_SMT_FEASIBLE,
    FW_SMT_INFEASIBLE,
    FW_SMT_UNKNOWN, /* the limit was reached */
};

/* Work for one question, in Z3's resource units; some seconds at worst. */
#define FW_SMT_LIMIT 20000000u

/* The trace must outlive it.  limit 0: FW_SMT_LIMIT. */
struct fw_smt *fw_smt_create(const struct fw_trace *trace, unsigned limit);
/* The same; a read that sees another write of the same value counts as unchanged. */
struct fw_smt *fw_smt_create_values(const struct fw_trace *trace, unsigned limit);
void fw_smt_destroy(struct fw_smt *smt);

/* Is there a correct reordering that shows the claim?  A claim that is not well-formed has none. */
enum fw_smt_answer fw_smt_ask(struct fw_smt *smt, enum fw_claim claim, const uint32_t *events,
                              uint32_t count);

/* After FW_SMT_FEASIBLE: the witness's order, borrowed until the next question. */
const uint32_t *fw_smt_witness(struct fw_smt *smt, uint32_t *count);

#endif
