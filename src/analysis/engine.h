/*
 * engine.h - broadcasts a stream of events to analyses.
 *
 * Each analysis gets every batch in order, and runs through it alone: none can
 * see another, and the order in which they are named changes nothing.
 *
 *     engine = fw_engine_create(analyses, count, &setup);
 *     while (fw_reader_next(reader, &batch, &err) > 0)
 *         fw_engine_batch(engine, &batch);
 *     fw_engine_finish(engine);
 *     ... fw_engine_outcome(engine, i) ...
 *     fw_engine_destroy(engine);
 *
 * Predictive analyses get no events.  What they found is put in after
 * fw_engine_finish (forecast.h):
 *
 *     fw_findings_add(fw_engine_sink(engine, i), ...);
 *     fw_engine_conclude(engine, i, &outcome);
 *     fw_engine_finish_ids(engine);
 */
#ifndef FW_ANALYSIS_ENGINE_H
#define FW_ANALYSIS_ENGINE_H

#include "analysis/analysis.h"

struct fw_engine;

/*
 * `analyses` is copied; they run in this order.  The engine fills in the
 * setup's findings and contexts for each of them.
 */
struct fw_engine *fw_engine_create(const struct fw_analysis *const *analyses, size_t count,
                                   const struct fw_analysis_setup *setup);
void fw_engine_destroy(struct fw_engine *engine);

/*
 * Before the first batch: how many threads may work, the caller's included (1
 * unless told).  Findings and outcomes are the same for any number.
 */
void fw_engine_use_jobs(struct fw_engine *engine, size_t jobs);

/* Before the first batch, and perhaps later: it is a recording that may lack repeated accesses.
 * Writes that say some again (trace.h) are no accesses of their own: nobody else's came since the
 * first. */
void fw_engine_lacks_repeats(struct fw_engine *engine);

void fw_engine_batch(struct fw_engine *engine, const struct fw_batch *batch);

/* Behind the last batch, once. */
void fw_engine_finish(struct fw_engine *engine);

/* After that: the events were only the beginning of the trace, which is no complete answer. */
void fw_engine_cut(struct fw_engine *engine, const char *why);

/* For a predictive analysis: where its findings go, and its end. */
struct fw_findings *fw_engine_sink(const struct fw_engine *engine, size_t i);
void fw_engine_conclude(struct fw_engine *engine, size_t i, const struct fw_outcome *outcome);
/* After the last of them: different findings get different ids. */
void fw_engine_finish_ids(struct fw_engine *engine);

/* Is there an analysis that gets events? */
bool fw_engine_streams(const struct fw_engine *engine);

size_t fw_engine_count(const struct fw_engine *engine);
const struct fw_analysis *fw_engine_analysis(const struct fw_engine *engine, size_t i);
/* Borrowed; complete after fw_engine_finish. */
const struct fw_outcome *fw_engine_outcome(const struct fw_engine *engine, size_t i);
const struct fw_findings *fw_engine_findings(const struct fw_engine *engine, size_t i);
struct fw_contexts *fw_engine_contexts(const struct fw_engine *engine);

#endif
