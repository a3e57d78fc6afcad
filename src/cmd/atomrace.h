/*
 * atomrace.h - internal to foreweave atomrace: what was caught in several runs of a program.
 *
 * Each run leaves a trace for each of its processes.  A finding is known by its id, whichever run
 * it is of; the trace where it was seen first stays, and those that showed nothing new are removed,
 * but for the first.
 */
#ifndef FW_CMD_ATOMRACE_H
#define FW_CMD_ATOMRACE_H

#include "cmd/check_job.h"
#include "cmd/noise.h"

/* A trace that was looked at. */
struct fw_caught_trace {
    char *path;
    uint64_t run; /* from 1 */
    struct fw_check_job job;
};

struct fw_caught_finding {
    const struct fw_caught_trace *trace; /* where it was seen first */
    const struct fw_analysis *analysis;
    const struct fw_finding *finding;
    uint64_t runs, last; /* in so many, the latest of which was this */
};

struct fw_caught {
    struct fw_selection selection; /* the analyses: overlap, between */
    FW_VEC(struct fw_caught_trace *) traces;
    FW_VEC(struct fw_caught_finding) findings; /* in the order in which they came */
    uint64_t runs, with_findings, latest; /* the latest run that has any */
    struct fw_noise_learnt learnt;
    uint64_t overlaps; /* that were counted, of all places ... */
    bool more_overlaps; /* ... and there may be more: a run did not come to say how many */
    const char *incomplete; /* why something was not looked at, or NULL */
};

void fw_caught_init(struct fw_caught *caught);
void fw_caught_release(struct fw_caught *caught);

/* A run begins. */
void fw_caught_begin_run(struct fw_caught *caught);
/* A trace of it, which is removed if it is of no use.  0, or the exit status after printing an
 * error. */
int fw_caught_add(struct fw_caught *caught, const char *path);

/* The report; an exit status: that of findings, or 0. */
int fw_caught_report(const struct fw_caught *caught, int format, const char *output, bool quiet);

#endif
