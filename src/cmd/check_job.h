/*
 * check_job.h - internal to foreweave check: reading, analysing and predicting within limits.
 *
 *     reading ─► engine (streaming analyses) and builder (the whole trace, if wanted)
 *             ─► predictive analyses, on a thread of their own ─► report
 *
 * The command's thread keeps an eye on the limits.  When one is reached it
 * asks for the end, waits a moment, and if the work does not end soon enough goes
 * on without it: the report then holds what is proved so far, and the process
 * ends without cleaning up behind the thread that is still at work.
 */
#ifndef FW_CMD_CHECK_JOB_H
#define FW_CMD_CHECK_JOB_H

#include "analysis/forecast.h"
#include "base/options.h"
#include "cmd/selection.h"
#include "record/recording.h"

#include <stdatomic.h>

struct fw_check_limits {
    double start;   /* of the command */
    double seconds; /* from there; 0: no limit */
    uint64_t bytes; /* resident at most; 0: no limit */
    uint64_t steps; /* of one question; 0: the default */
    size_t jobs;    /* threads; 0: as many as are useful here */
    bool all_steps; /* the report will have all steps of all witnesses */
    const atomic_int *stop; /* set: it ends as if the time were over; NULL: never */
};

struct fw_check_job {
    /* Given. */
    const char *path; /* "-": standard input */
    struct fw_reader *reader;
    const struct fw_selection *selection;
    struct fw_analysis_setup setup; /* its options; the rest is filled in */
    struct fw_predict_options options;
    struct fw_words order; /* --order: indices; empty: none */
    struct fw_check_limits limits;
    /* Made. */
    bool has_branches;
    struct fw_recording recording; /* known when the trace is read */
    struct fw_engine *engine;
    struct fw_trace *trace; /* NULL if no analysis needs it */
    struct fw_forecast *forecast;
    FW_VEC(uint64_t) order_indices;
    FW_VEC(uint32_t) order_events;
    char cut[160];     /* why only the beginning of the trace was read, or empty */
    const char *limit; /* that ended the work, or NULL */
    bool abandoned;    /* a thread is still at work: end the process, release nothing */
    double seconds;    /* it took */
};

/* Seconds on a clock that only goes forward. */
double fw_check_now(void);

/* Has the caller had enough? */
static inline bool fw_check_is_stopped(const struct fw_check_job *job)
{
    return job->limits.stop && *job->limits.stop;
}

/* Does an analysis need the whole trace in memory? */
bool fw_check_predicts(const struct fw_check_job *job);

/* 0, or the exit status after printing the error. */
int fw_check_run(struct fw_check_job *job);
void fw_check_release(struct fw_check_job *job);

#endif
