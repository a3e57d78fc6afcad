/*
 * predicted.h - compares a predictor with the brute-force oracle.
 *
 *     return fw_predicted_run("prop_race", &fw_predictor_race, 10000);
 *
 * Of each trace (half of them with values), with --pairs=all:
 *   - no suspect comes twice, and every finding of the oracle is a suspect (the
 *     filters drop nothing);
 *   - every suspect that the solver proves is a finding, and the verifier accepts
 *     its witness;
 *   - every finding is proved: always with two threads, and for nondeterminism;
 *     with more threads misses are counted, and 99.5 percent must be proved in all.
 * By default, with the usual cap and with a cap of two:
 *   - every finding has a unit of its sites (or its variable);
 *   - it is proved there, or the unit says that something was left;
 *   - no unit holds more suspects than the cap.
 */
#ifndef FW_TESTS_PREDICTED_H
#define FW_TESTS_PREDICTED_H

#include "predict/suspect.h"
#include "support/property.h"

/* Runs the property over all profiles the oracle can take; the exit status of the program. */
int fw_predicted_run(const char *program, const struct fw_predictor *predictor, uint64_t count);

/* What the predictor proves about a trace, in the words of an "# expect" line of tests/traces:
 * "(1,7) (2,9)", "5:3 5:-", "none"; on request labels stand before.  Every witness must satisfy
 * the verifier.  The caller frees it. */
char *fw_predicted_answer(const struct fw_predictor *predictor, const struct fw_trace *trace,
                          const struct fw_predict_options *options, bool labels);

/* The suspects of a trace, one unit after the other; the caller releases the unit. */
void fw_predicted_collect(const struct fw_predictor *predictor, const struct fw_core *core,
                          const struct fw_predict_options *options, struct fw_unit *all);
void fw_predicted_release(struct fw_unit *unit);

#endif
