/*
 * predicted.h - records a program once and foresees what other interleavings would do: what
 * `foreweave run` and `explore --strategy=predict` begin with.
 *
 * A predicted must outlive what is taken from it.
 */
#ifndef FW_CMD_PREDICTED_H
#define FW_CMD_PREDICTED_H

#include "cmd/check_job.h"
#include "explore/conflicts.h"
#include "explore/proposals.h"

#include <stdatomic.h>

struct fw_foreseen {
    const struct fw_finding *finding;
    struct fw_shown shown; /* arrays are the predicted's */
};

struct fw_predicted_setup {
    char **argv;
    const char *runtime;
    const char *trace; /* path */
    uint64_t seed, quantum;
    double limit; /* seconds; 0: as long as it takes */
    double end_stuck; /* the same once all threads wait (recorder.h) */
    void (*stuck)(const char *path); /* told of that; NULL: nobody is */
    double until; /* by fw_check_now: half of the time up to then is for predicting; 0: any */
    const atomic_int *stop; /* set: what is known then is all; NULL: never */
    bool hide;    /* the program's output is not shown */
    bool quiet;
    bool further; /* say of which further processes there are traces, nobody looks at them */
    bool two_variables; /* atomicity: also patterns over two of them */
    const struct fw_selection *selection; /* of analyses; NULL: those that run by default */
};

struct fw_predicted {
    int status; /* of the program, as waitpid gives it */
    struct fw_check_job job;
    struct fw_selection selection; /* where the setup has none */
    struct fw_moments *moments;
    FW_VEC(struct fw_foreseen) list; /* in the order of the analyses */
    FW_VEC(struct fw_shown) proposed;
    struct fw_conflicts conflicts;
    uint64_t *order; /* of the recorded run, if it is proposed */
};

/* 0, or the exit status after printing the error.  Release it in either case. */
int fw_predicted_make(struct fw_predicted *predicted, const struct fw_predicted_setup *setup);
/* What to try, for explore.  A recorded run that failed is tried itself, first. */
struct fw_proposals fw_predicted_propose(struct fw_predicted *predicted);
/* Ends the process with the status instead if an analysis could not be stopped. */
void fw_predicted_release(struct fw_predicted *predicted, int status);

#endif
