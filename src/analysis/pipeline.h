/*
 * pipeline.h - batches go to several lanes of work on several threads.
 *
 * A lane gets every batch, in order, and then its end; no lane waits for
 * another one.  Which thread does it, and when, is the pipeline's choice, and
 * changes nothing that a lane can see.  Batches are copied, so the reader goes
 * on while lanes still work on what it has read; when it is too far ahead it
 * lends a hand.
 *
 *     reader ─► slot slot slot slot ...     a lane is at one slot and is run by one
 *               ▲         ▲                 thread at a time; a slot is free again when
 *               lane 1    lane 0            the last lane has gone through it
 */
#ifndef FW_ANALYSIS_PIPELINE_H
#define FW_ANALYSIS_PIPELINE_H

#include "analysis/context.h"

struct fw_pipeline;

/* What a lane does; `owner` and the number of the lane say which one. */
struct fw_pipeline_work {
    void (*batch)(void *owner, size_t lane, const struct fw_batch *batch,
                  const struct fw_context *contexts);
    void (*finish)(void *owner, size_t lane);
    void *owner;
    size_t lanes;
};

/* `helpers`: threads besides the caller's; the system may grant fewer. */
struct fw_pipeline *fw_pipeline_create(const struct fw_pipeline_work *work, size_t helpers);

/* Waits for what is being done; what was not begun is left. */
void fw_pipeline_destroy(struct fw_pipeline *pipeline);

/* Copies the batch, works out its contexts and leaves the rest to the lanes. */
void fw_pipeline_batch(struct fw_pipeline *pipeline, const struct fw_batch *batch,
                       struct fw_contexts *contexts);

/* Returns when every lane has finished. */
void fw_pipeline_finish(struct fw_pipeline *pipeline);

#endif
