/*
 * pipeline.c - see pipeline.h.
 *
 * Batch b lies in slot b modulo SLOTS.  A batch is thousands of events, so one
 * lock for all the bookkeeping costs nothing that can be measured; batches and
 * lanes themselves are worked on outside of it, by whoever has marked the lane
 * as busy.
 */
#include "analysis/pipeline.h"

#include "base/vec.h"

#include <pthread.h>

#define SLOTS   16u
#define NO_LANE SIZE_MAX

struct slot {
    struct fw_batch batch;
    FW_VEC(struct fw_event) events;
    FW_VEC(struct fw_attr) attrs;
    FW_VEC(uint64_t) index;
    FW_VEC(struct fw_context) contexts;
};

struct lane {
    uint64_t done; /* batches */
    bool busy, finished;
};

struct fw_pipeline {
    struct fw_pipeline_work work;
    pthread_t *helpers;
    size_t helper_count;
    struct slot slots[SLOTS]; /* written by the reader before, read by lanes after publishing */

    pthread_mutex_t lock;  /* guards all below */
    pthread_cond_t wanted; /* there is something to do for helpers */
    pthread_cond_t moved;  /* a lane has moved on, for the reader */
    struct lane *lanes;
    uint64_t published; /* batches */
    size_t idle;        /* helpers that wait */
    bool ended;         /* no batch will follow */
    bool closing;
};

/* --- with the lock held ------------------------------------------------------------------ */

static bool has_work(const struct fw_pipeline *pipeline, size_t i)
{
    const struct lane *lane = &pipeline->lanes[i];

    return !lane->busy &&
           (lane->done < pipeline->published || (pipeline->ended && !lane->finished));
}

/* The lane that is furthest behind; or `mine`, whose memory is in this processor's cache. */
static size_t choose_lane(const struct fw_pipeline *pipeline, size_t mine)
{
    size_t best = NO_LANE;

    if (mine != NO_LANE && has_work(pipeline, mine))
        return mine;
    for (size_t i = 0; i < pipeline->work.lanes; i++)
        if (has_work(pipeline, i) &&
            (best == NO_LANE || pipeline->lanes[i].done < pipeline->lanes[best].done))
            best = i;
    return best;
}

/* One batch of one lane, or its end; the lock is released meanwhile. */
static void advance(struct fw_pipeline *pipeline, size_t i)
{
    struct lane *lane = &pipeline->lanes[i];
    const struct slot *slot = &pipeline->slots[lane->done % SLOTS];
    bool at_end = lane->done == pipeline->published;

    lane->busy = true;
    pthread_mutex_unlock(&pipeline->lock);
    if (at_end)
        pipeline->work.finish(pipeline->work.owner, i);
    else
        pipeline->work.batch(pipeline->work.owner, i, &slot->batch, slot->contexts.at);
    pthread_mutex_lock(&pipeline->lock);
    lane->busy = false;
    if (at_end)
        lane->finished = true;
    else
        lane->done++;
    pthread_cond_signal(&pipeline->moved);
}

static void wake_helpers(struct fw_pipeline *pipeline)
{
    if (pipeline->idle)
        pthread_cond_broadcast(&pipeline->wanted);
}

/* The reader lends a hand, or waits if there is nothing that it could do. */
static void help_or_wait(struct fw_pipeline *pipeline)
{
    size_t lane = choose_lane(pipeline, NO_LANE);

    if (lane == NO_LANE) {
        pthread_cond_wait(&pipeline->moved, &pipeline->lock);
        return;
    }
    advance(pipeline, lane);
    wake_helpers(pipeline); /* the lane may have more to do */
}

static bool all_slots_taken(const struct fw_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->work.lanes; i++)
        if (pipeline->published - pipeline->lanes[i].done >= SLOTS)
            return true;
    return false;
}

static bool all_finished(const struct fw_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->work.lanes; i++)
        if (!pipeline->lanes[i].finished)
            return false;
    return true;
}

/* --- threads ----------------------------------------------------------------------------- */

static void *helper_main(void *arg)
{
    struct fw_pipeline *pipeline = arg;
    size_t mine = NO_LANE;

    pthread_mutex_lock(&pipeline->lock);
    while (!pipeline->closing) {
        size_t lane = choose_lane(pipeline, mine);

        if (lane == NO_LANE) {
            pipeline->idle++;
            pthread_cond_wait(&pipeline->wanted, &pipeline->lock);
            pipeline->idle--;
        } else {
            advance(pipeline, lane);
            mine = lane;
        }
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

struct fw_pipeline *fw_pipeline_create(const struct fw_pipeline_work *work, size_t helpers)
{
    struct fw_pipeline *pipeline = fw_xcalloc(1, sizeof *pipeline);

    pipeline->work = *work;
    pipeline->lanes = fw_xcalloc(work->lanes, sizeof *pipeline->lanes);
    pipeline->helpers = fw_xcalloc(helpers, sizeof *pipeline->helpers);
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->wanted, NULL);
    pthread_cond_init(&pipeline->moved, NULL);
    while (pipeline->helper_count < helpers &&
           pthread_create(&pipeline->helpers[pipeline->helper_count], NULL, helper_main,
                          pipeline) == 0)
        pipeline->helper_count++;
    return pipeline;
}

void fw_pipeline_destroy(struct fw_pipeline *pipeline)
{
    if (!pipeline)
        return;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->closing = true;
    pthread_cond_broadcast(&pipeline->wanted);
    pthread_mutex_unlock(&pipeline->lock);
    for (size_t i = 0; i < pipeline->helper_count; i++)
        pthread_join(pipeline->helpers[i], NULL);
    pthread_mutex_destroy(&pipeline->lock);
    pthread_cond_destroy(&pipeline->wanted);
    pthread_cond_destroy(&pipeline->moved);
    for (size_t i = 0; i < SLOTS; i++) {
        fw_vec_release(&pipeline->slots[i].events);
        fw_vec_release(&pipeline->slots[i].attrs);
        fw_vec_release(&pipeline->slots[i].index);
        fw_vec_release(&pipeline->slots[i].contexts);
    }
    free(pipeline->lanes);
    free(pipeline->helpers);
    free(pipeline);
}

/* --- the reader's side ------------------------------------------------------------------- */

/* A batch may refer to a table of attributes much larger than itself: takes what it needs. */
static void copy_events(struct slot *slot, const struct fw_batch *batch)
{
    fw_vec_reserve(&slot->events, batch->count);
    memcpy(slot->events.at, batch->events, batch->count * sizeof *batch->events);
    fw_vec_clear(&slot->attrs);
    fw_vec_push(&slot->attrs, (struct fw_attr) { 0 });
    for (uint32_t i = 0; i < batch->count; i++) {
        struct fw_event *event = &slot->events.at[i];

        if (event->attr) {
            fw_vec_push(&slot->attrs, batch->attrs[event->attr]);
            event->attr = (uint32_t)slot->attrs.len - 1;
        }
    }
}

static void fill(struct slot *slot, const struct fw_batch *batch, struct fw_contexts *contexts)
{
    copy_events(slot, batch);
    if (batch->index) {
        fw_vec_reserve(&slot->index, batch->count);
        memcpy(slot->index.at, batch->index, batch->count * sizeof *batch->index);
    }
    fw_vec_reserve(&slot->contexts, batch->count);
    fw_contexts_compute(contexts, batch, slot->contexts.at);
    slot->batch = (struct fw_batch) {
        .events = slot->events.at,
        .attrs = slot->attrs.at,
        .index = batch->index ? slot->index.at : NULL,
        .first = batch->first,
        .count = batch->count,
    };
}

void fw_pipeline_batch(struct fw_pipeline *pipeline, const struct fw_batch *batch,
                       struct fw_contexts *contexts)
{
    pthread_mutex_lock(&pipeline->lock);
    while (all_slots_taken(pipeline))
        help_or_wait(pipeline);
    pthread_mutex_unlock(&pipeline->lock);

    fill(&pipeline->slots[pipeline->published % SLOTS], batch, contexts); /* only we publish */

    pthread_mutex_lock(&pipeline->lock);
    pipeline->published++;
    wake_helpers(pipeline);
    pthread_mutex_unlock(&pipeline->lock);
}

void fw_pipeline_finish(struct fw_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->ended = true;
    wake_helpers(pipeline);
    while (!all_finished(pipeline))
        help_or_wait(pipeline);
    pthread_mutex_unlock(&pipeline->lock);
}
