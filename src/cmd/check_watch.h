/*
 * check_watch.h - internal to foreweave check: time and memory while predicting.
 */
#ifndef FW_CMD_CHECK_WATCH_H
#define FW_CMD_CHECK_WATCH_H

#include "cmd/check_job.h"

/*
 * Does what was read so far take all the memory that it may?  If a builder collects it for
 * predicting, room is left for what predictors gather and prove.
 */
bool fw_check_is_full(const struct fw_check_job *job, const struct fw_trace_builder *builder);

/* The number of workers that fit into memory; at least 1. */
uint32_t fw_check_jobs(const struct fw_check_job *job);

/* Runs job->predicted on a thread of its own; returns when it is done or a limit is reached. */
void fw_check_watch(struct fw_check_job *job);

#endif
