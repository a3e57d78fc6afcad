/*
 * batch.h - a run of consecutive events, the unit in which readers deliver.
 *
 * A batch is borrowed: it is good until the reader is asked for the next one.
 * Memory stays independent of the length of the trace.
 *
 * Position and index: events are numbered by position (0, 1, 2 ... as
 * delivered).  The index is what users see: the event's place in the stored
 * trace, counting lines that were ignored or dropped.  They are the same until
 * the first such line; from then on `index` is set.  One dialect line,
 * wait(l), stands for up to three events; these share an index, and a witness
 * names that index once for each of them.
 */
#ifndef FW_TRACE_BATCH_H
#define FW_TRACE_BATCH_H

#include "trace/event.h"

#include <stddef.h>

/* Decoders fill batches of at most this many events. */
#define FW_BATCH_EVENTS 4096u

struct fw_batch {
    const struct fw_event *events;
    const struct fw_attr *attrs; /* attrs[0] is empty */
    const uint64_t *index;       /* NULL: event i has index first + i */
    uint64_t first;              /* position of events[0] */
    uint32_t count;
};

static inline uint64_t fw_batch_index(const struct fw_batch *batch, uint32_t i)
{
    return batch->index ? batch->index[i] : batch->first + i;
}

#endif
