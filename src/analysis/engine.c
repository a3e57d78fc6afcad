/* engine.c - see engine.h. */
#include "analysis/engine.h"

#include "base/alloc.h"

#include <stdlib.h>

/* One analysis at work. */
struct worker {
    const struct fw_analysis *analysis;
    void *state;
    struct fw_outcome outcome;
};

struct fw_engine {
    struct worker *workers;
    size_t count;
};

struct fw_engine *fw_engine_create(const struct fw_analysis *const *analyses, size_t count,
                                   const struct fw_analysis_setup *setup)
{
    struct fw_engine *engine = fw_xcalloc(1, sizeof *engine);

    engine->workers = fw_xcalloc(count ? count : 1, sizeof *engine->workers);
    engine->count = count;
    for (size_t i = 0; i < count; i++) {
        engine->workers[i].analysis = analyses[i];
        engine->workers[i].state = analyses[i]->create(setup);
        engine->workers[i].outcome.complete = true;
    }
    return engine;
}

void fw_engine_destroy(struct fw_engine *engine)
{
    if (!engine)
        return;
    for (size_t i = 0; i < engine->count; i++)
        engine->workers[i].analysis->destroy(engine->workers[i].state);
    free(engine->workers);
    free(engine);
}

static void run_batch(struct worker *worker, const struct fw_batch *batch)
{
    fw_handler *const *on = worker->analysis->on;
    struct fw_place place = { .batch = batch };

    for (; place.i < batch->count; place.i++) {
        const struct fw_event *event = &batch->events[place.i];

        if (on[event->kind])
            on[event->kind](worker->state, event, &place);
    }
}

void fw_engine_batch(struct fw_engine *engine, const struct fw_batch *batch)
{
    for (size_t i = 0; i < engine->count; i++)
        run_batch(&engine->workers[i], batch);
}

void fw_engine_finish(struct fw_engine *engine)
{
    for (size_t i = 0; i < engine->count; i++)
        engine->workers[i].analysis->finish(engine->workers[i].state, &engine->workers[i].outcome);
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
