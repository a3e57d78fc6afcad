/*
 * observe_trace.h - the observer (observe.h) fed with a trace.
 *
 *     watch = fw_watch_create(symbols, accesses, set, &options);
 *     for each batch of the trace:
 *         fw_watch_batch(watch, &batch);
 *     fw_watch_finish(watch);
 *     fw_watch_destroy(watch);
 *
 * Memory is that of the observer; the trace is not kept.  Not thread-safe.
 */
#ifndef FW_IROOT_OBSERVE_TRACE_H
#define FW_IROOT_OBSERVE_TRACE_H

#include "iroot/observe.h"
#include "trace/trace.h"

struct fw_watch;

/* All are borrowed, and outlive it. */
struct fw_watch *fw_watch_create(const struct fw_symbols *symbols, struct fw_strtab *accesses,
                                 struct fw_iroot_set *set,
                                 const struct fw_observe_options *options);
void fw_watch_destroy(struct fw_watch *watch);
void fw_watch_batch(struct fw_watch *watch, const struct fw_batch *batch);
/* The trace ends here. */
void fw_watch_finish(struct fw_watch *watch);

/* All of it for a whole trace, which knows whether it lacks repeats. */
void fw_observe_trace(const struct fw_trace *trace, struct fw_strtab *accesses,
                      struct fw_iroot_set *set, const struct fw_observe_options *options);

#endif
