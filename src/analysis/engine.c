/* engine.c - see engine.h. */
#include "analysis/engine.h"

#include "analysis/pipeline.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

/* One analysis at work. */
struct worker {
    const struct fw_analysis *analysis;
    void *state;
    struct fw_analysis_setup setup;
    struct fw_outcome outcome;
    bool lacks_repeats;
};

struct fw_engine {
    struct fw_contexts *contexts;
    struct worker *workers;
    size_t count;
    size_t streaming;             /* of these get events */
    size_t helpers;               /* threads besides the reader's, once they are worth it */
    uint64_t batches;             /* so far, up to WARM_UP */
    struct fw_pipeline *pipeline; /* NULL: everything happens on the caller's thread */
};

/* Short traces are done before threads would have started. */
#define WARM_UP 8u

static void worker_init(struct worker *worker, const struct fw_analysis *analysis,
                        const struct fw_analysis_setup *setup, const struct fw_contexts *contexts)
{
    worker->analysis = analysis;
    worker->setup = *setup;
    worker->setup.contexts = contexts;
    worker->setup.findings = fw_findings_create(setup->symbols, setup->pairs_all);
    fw_findings_expect(worker->setup.findings, setup->expected);
    worker->outcome.complete = true;
    if (!analysis->predictor)
        worker->state = analysis->create(&worker->setup);
}

static void worker_release(struct worker *worker)
{
    if (!worker->analysis->predictor)
        worker->analysis->destroy(worker->state);
    fw_findings_destroy(worker->setup.findings);
}

struct fw_engine *fw_engine_create(const struct fw_analysis *const *analyses, size_t count,
                                   const struct fw_analysis_setup *setup)
{
    struct fw_engine *engine = fw_xcalloc(1, sizeof *engine);

    engine->workers = fw_xcalloc(count ? count : 1, sizeof *engine->workers);
    engine->count = count;
    engine->contexts = fw_contexts_create();
    for (size_t i = 0; i < count; i++) {
        worker_init(&engine->workers[i], analyses[i], setup, engine->contexts);
        engine->streaming += !analyses[i]->predictor;
    }
    return engine;
}

void fw_engine_destroy(struct fw_engine *engine)
{
    if (!engine)
        return;
    fw_pipeline_destroy(engine->pipeline);
    for (size_t i = 0; i < engine->count; i++)
        worker_release(&engine->workers[i]);
    fw_contexts_destroy(engine->contexts);
    free(engine->workers);
    free(engine);
}

static void run_batch(struct worker *worker, const struct fw_batch *batch,
                      const struct fw_context *contexts)
{
    fw_handler *const *on = worker->analysis->on;
    const struct fw_event *events = batch->events;
    uint32_t count = batch->count;
    void *state = worker->state;
    struct fw_place place = { .batch = batch, .contexts = contexts };

    if (worker->analysis->predictor)
        return;
    for (uint32_t i = 0; i < count; i++) {
        fw_handler *handler = on[events[i].kind];

        if (handler && !(worker->lacks_repeats && events[i].kind == FW_WRITE && !events[i].site)) {
            place.i = i;
            handler(state, &events[i], &place);
        }
    }
}

static void finish_worker(struct worker *worker)
{
    if (worker->analysis->predictor)
        return;
    worker->analysis->finish(worker->state, &worker->outcome);
    fw_findings_finish(worker->setup.findings);
    worker->outcome.findings = fw_findings_count(worker->setup.findings);
    worker->outcome.expected = fw_findings_expected(worker->setup.findings);
}

static void run_lane(void *owner, size_t lane, const struct fw_batch *batch,
                     const struct fw_context *contexts)
{
    struct fw_engine *engine = owner;

    run_batch(&engine->workers[lane], batch, contexts);
}

static void finish_lane(void *owner, size_t lane)
{
    struct fw_engine *engine = owner;

    finish_worker(&engine->workers[lane]);
}

void fw_engine_lacks_repeats(struct fw_engine *engine)
{
    for (size_t i = 0; i < engine->count && !engine->workers[i].lacks_repeats; i++)
        engine->workers[i].lacks_repeats = true;
}

void fw_engine_use_jobs(struct fw_engine *engine, size_t jobs)
{
    size_t useful = engine->streaming + 1; /* the reader and one for each analysis */

    jobs = jobs < useful ? jobs : useful;
    engine->helpers = jobs > 1 ? jobs - 1 : 0;
}

static void start_pipeline(struct fw_engine *engine)
{
    const struct fw_pipeline_work work = { run_lane, finish_lane, engine, engine->count };

    engine->pipeline = fw_pipeline_create(&work, engine->helpers);
}

void fw_engine_batch(struct fw_engine *engine, const struct fw_batch *batch)
{
    const struct fw_context *contexts;

    if (!engine->streaming)
        return;
    if (engine->helpers && !engine->pipeline && engine->batches++ == WARM_UP)
        start_pipeline(engine);
    if (engine->pipeline) {
        fw_pipeline_batch(engine->pipeline, batch, engine->contexts);
        return;
    }
    contexts = fw_contexts_batch(engine->contexts, batch);
    for (size_t i = 0; i < engine->count; i++)
        run_batch(&engine->workers[i], batch, contexts);
}

void fw_engine_finish_ids(struct fw_engine *engine)
{
    FW_VEC(struct fw_findings *) sinks = { 0 };

    for (size_t i = 0; i < engine->count; i++)
        fw_vec_push(&sinks, engine->workers[i].setup.findings);
    fw_findings_finish_ids(sinks.at, sinks.len);
    fw_vec_release(&sinks);
}

void fw_engine_finish(struct fw_engine *engine)
{
    if (engine->pipeline)
        fw_pipeline_finish(engine->pipeline);
    for (size_t i = 0; !engine->pipeline && i < engine->count; i++)
        finish_worker(&engine->workers[i]);
    fw_engine_finish_ids(engine);
}

void fw_engine_cut(struct fw_engine *engine, const char *why)
{
    for (size_t i = 0; i < engine->count; i++) {
        struct fw_outcome *outcome = &engine->workers[i].outcome;

        outcome->complete = false;
        outcome->spent = true;
        snprintf(outcome->why, sizeof outcome->why, "%s", why);
    }
}

struct fw_findings *fw_engine_sink(const struct fw_engine *engine, size_t i)
{
    return engine->workers[i].setup.findings;
}

void fw_engine_conclude(struct fw_engine *engine, size_t i, const struct fw_outcome *outcome)
{
    struct worker *worker = &engine->workers[i];

    worker->outcome = *outcome;
    fw_findings_finish(worker->setup.findings);
    worker->outcome.findings = fw_findings_count(worker->setup.findings);
    worker->outcome.expected = fw_findings_expected(worker->setup.findings);
}

bool fw_engine_streams(const struct fw_engine *engine)
{
    return engine->streaming;
}

size_t fw_engine_count(const struct fw_engine *engine)
{
    return engine->count;
}

const struct fw_analysis *fw_engine_analysis(const struct fw_engine *engine, size_t i)
{
    return engine->workers[i].analysis;
}

const struct fw_outcome *fw_engine_outcome(const struct fw_engine *engine, size_t i)
{
    return &engine->workers[i].outcome;
}

const struct fw_findings *fw_engine_findings(const struct fw_engine *engine, size_t i)
{
    return engine->workers[i].setup.findings;
}

struct fw_contexts *fw_engine_contexts(const struct fw_engine *engine)
{
    return engine->contexts;
}
