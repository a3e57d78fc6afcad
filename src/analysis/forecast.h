/*
 * forecast.h - the analyses that look at the whole trace: race, deadlock, atomicity, nondet,
 * iroot.
 *
 *     forecast = fw_forecast_create(&setup, analyses, count);
 *     fw_forecast_run(forecast);                 long
 *     fw_forecast_report(forecast, engine);      findings and outcomes, into the engine
 *
 * Index, core, solvers and verifiers are made once for all of them.
 *
 * fw_forecast_run may work on a thread of its own.  Meanwhile another one may
 * ask how far it is, stop it, and if it then does not end soon enough write the
 * report without waiting: it says what is proved so far.
 */
#ifndef FW_ANALYSIS_FORECAST_H
#define FW_ANALYSIS_FORECAST_H

#include "analysis/engine.h"

struct fw_forecast;

struct fw_forecast_setup {
    const struct fw_trace *trace; /* must outlive it, and the report */
    struct fw_predict_options options;
    uint64_t steps; /* of one question; 0: the default */
    uint32_t jobs;
    const struct fw_id_ranges *unseen; /* variables that were written unseen; NULL: none */
    const char *cut; /* why this is only the beginning of the trace; NULL: it is all of it */
};

/* Only the analyses among `analyses` that have a predictor count. */
struct fw_forecast *fw_forecast_create(const struct fw_forecast_setup *setup,
                                       const struct fw_analysis *const *analyses, size_t count);
void fw_forecast_destroy(struct fw_forecast *forecast);

void fw_forecast_run(struct fw_forecast *forecast);

/* Ends it soon; from any thread. */
void fw_forecast_stop(struct fw_forecast *forecast);

/*
 * Where time is short, each analysis gets its share of what is left: call it now and then, from one
 * other thread, with the seconds that are left.  True: the present analysis has had its share, and
 * the next one begins soon.
 */
bool fw_forecast_share(struct fw_forecast *forecast, double left);

/* "race: 1200 suspects checked, 3 proved", for people who wait. */
void fw_forecast_progress(struct fw_forecast *forecast, char *text, size_t size);

/* Steps of all witnesses so far, for those who must foresee the time that writing them takes. */
uint64_t fw_forecast_steps(struct fw_forecast *forecast);

/*
 * Adds the findings to the engine's sinks, which then point into `forecast`, and concludes its
 * predictive analyses.  The engine has the same analyses and is finished.  `limit`: what ended
 * the run early ("the time"), if something did.
 */
void fw_forecast_report(struct fw_forecast *forecast, struct fw_engine *engine, const char *limit);

/* About what running takes for a trace of this size, besides the trace and what is found. */
uint64_t fw_forecast_bytes(uint64_t events, uint64_t variables, uint32_t jobs);

/* For walking through witnesses; NULL if there can be none. */
const struct fw_index *fw_forecast_index(const struct fw_forecast *forecast);

/* A witness that the verifier rejected (our mistake), or NULL.  After fw_forecast_run. */
const struct fw_rejection *fw_forecast_rejection(const struct fw_forecast *forecast);

#endif
