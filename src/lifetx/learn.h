/*
 * learn.h - cutpoints from recorded traces of a program, into its constraints.
 *
 *     learning = fw_lifetx_learning_create(constraints, &options);
 *     for each trace of a run that passed:
 *         fw_lifetx_learn_trace(learning, path, &news, &err);
 *     fw_lifetx_learning_destroy(learning);
 *
 * Cutpoints that the constraints have already are taken into account from the first trace on,
 * those of one trace from the next.  Traces are best recorded with --repeats.  Not thread-safe.
 */
#ifndef FW_LIFETX_LEARN_H
#define FW_LIFETX_LEARN_H

#include "lifetx/lifetx.h"

struct fw_lifetx_learning;

struct fw_lifetx_news {
    struct fw_lifetx_stats stats;
    size_t cuts;     /* new in the constraints */
    size_t claims;   /* the same of claims, and of accesses that were the last, or not */
    size_t nameless; /* cutpoints of the trace that no source is known of: of this learning alone */
    size_t missing;  /* cutpoints of the constraints that are not in this build of their module */
};

/* The constraints are borrowed and outlive it. */
struct fw_lifetx_learning *fw_lifetx_learning_create(struct fw_constraints *constraints,
                                                     const struct fw_lifetx_options *options);
void fw_lifetx_learning_destroy(struct fw_lifetx_learning *learning);

/* Cutpoints of the constraints: no claims, no last accesses. */
size_t fw_lifetx_cut_count(const struct fw_constraints *constraints);

/* -1: err.  What was learnt until an error counts. */
int fw_lifetx_learn_trace(struct fw_lifetx_learning *learning, const char *path,
                          struct fw_lifetx_news *news, struct fw_error *err);

/*
 * Nothing is learnt: how often does the trace break what the constraints keep together?  Every
 * violation is counted once and its transaction split.
 */
int fw_lifetx_check_trace(struct fw_lifetx_learning *learning, const char *path,
                          struct fw_lifetx_news *news, struct fw_error *err);

#endif
