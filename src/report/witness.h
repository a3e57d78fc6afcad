/*
 * witness.h - the end of a witness, for people: a column for each thread.
 *
 *   Witness (7 steps, 2 switches)
 *     step  index  T0        T1      site
 *        1      0  fork(T1)          main.c:9
 *        2      6            acq(l)  main.c:4
 *      ...
 *        6      1  w(x)              main.c:10  <-
 *        7     10            w(x)    main.c:7   <-
 *
 * The events of the finding are marked.  A deadlock's witness ends before
 * them: they are added as the steps at which the threads wait.
 */
#ifndef FW_REPORT_WITNESS_H
#define FW_REPORT_WITNESS_H

#include "analysis/findings.h"
#include "base/output.h"

/* The last `steps` ones; 0: all. */
void fw_report_witness(struct fw_output *out, const struct fw_index *index,
                       const struct fw_finding *finding, uint64_t steps);

#endif
