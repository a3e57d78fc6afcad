/*
 * two_variables.h - atomicity violations over two variables, on request.
 *
 * A thread accesses x (a1) and then y (a2) in one scope, without touching
 * either between; another one accesses both in one scope of its own (b1, b2, in
 * either order), each in conflict.  In the order a1, b1, b2, a2 the first thread
 * comes before the second on x and after it on y: no serial order explains that.
 *
 *     T1           T2
 *     w(x)
 *                  r(x)
 *                  r(y)     sees the new x with the old y
 *     w(y)
 *
 * The claim is an order of four events.  Dropped are candidates whose b1 must
 * precede a1 or whose b2 must follow a2, and those where a lock that is held
 * from a1 to a2 conflicts with one held at b1 or b2.  By default a thread's
 * latest NEAR variables are paired, and of pairs that are alike (thread,
 * variables, sites, kinds) a few are kept, the others counted; with --pairs=all
 * all are.
 */
#ifndef FW_PREDICT_TWO_VARIABLES_H
#define FW_PREDICT_TWO_VARIABLES_H

#include "predict/gather.h"
#include "predict/scopes.h"

/* Adds the candidates to the gathered ones. */
void fw_two_variables_gather(const struct fw_core *core, const struct fw_predict_options *options,
                             const struct fw_scopes *scopes, struct fw_gather *gather);

#endif
