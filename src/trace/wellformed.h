/*
 * wellformed.h - raw events in, well-formed events out.
 *
 * Checks, while reading, everything a trace must obey (who holds what, who
 * runs when, who answers whom), filters re-entrant inner lock operations and
 * resolves dialect lines.  State: one record for each thread, lock, condition,
 * semaphore and barrier, and the last write of each variable.
 */
#ifndef FW_TRACE_WELLFORMED_H
#define FW_TRACE_WELLFORMED_H

#include "trace/decoder.h"
#include "trace/reader.h"

struct fw_wellformed;

struct fw_wellformed *fw_wellformed_create(const struct fw_symbols *symbols,
                                           const struct fw_read_options *options);
void fw_wellformed_destroy(struct fw_wellformed *wf);

#define FW_NOTHING_BAD UINT32_MAX

/*
 * Turns a raw batch into a batch, borrowed until the next call, and adds to
 * the counters in *status.  Returns 0, or -1 if an event is ill-formed and is
 * not to be repaired: then the batch ends before it.  *bad is the place in the
 * raw batch of the event that is to blame, and err says what is wrong, without
 * the position; under repair this is told only of the first event dropped.
 */
int fw_wellformed_filter(struct fw_wellformed *wf, const struct fw_raw_batch *raw,
                         struct fw_batch *batch, struct fw_read_status *status, uint32_t *bad,
                         struct fw_error *err);

/*
 * Accesses, branches, allocs and frees of a running thread need no check as long as nothing was
 * dropped.  Is that so?  Then they may be kept from here, but are to be counted before the next
 * batch comes: so many.  (Reads that name a write cannot come behind such writes.)
 */
bool fw_wellformed_is_easy(const struct fw_wellformed *wf, uint32_t thread);
void fw_wellformed_passed(struct fw_wellformed *wf, uint64_t count);

#endif
