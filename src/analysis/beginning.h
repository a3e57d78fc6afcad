/*
 * beginning.h - witnesses that are the trace itself.
 *
 * What a trace shows as it is needs no reordering: its witness is the trace from its first event
 * on, as far as the finding.  That takes no room: an analysis keeps one list of all indices, mostly
 * one range, and a finding says how many of them are its own.  Only writing it is long, so there is
 * a limit for all findings of an analysis together.
 *
 * Owned by the analysis, must outlive its findings.
 */
#ifndef FW_ANALYSIS_BEGINNING_H
#define FW_ANALYSIS_BEGINNING_H

#include "base/vec.h"

#include <stdint.h>

#define FW_BEGINNING_STEPS 10000000u /* of all witnesses of an analysis */
#define FW_BEGINNING_TOO_LONG "Not proven: its witness, the run until then, is too long to write"

struct fw_beginning_range {
    uint64_t first, count;
};

/* Events of the trace in its order, by index; all of its first ones, or some. */
struct fw_beginning {
    FW_VEC(struct fw_beginning_range) ranges;
};

/* Some events have the index of the one before. */
static inline void fw_beginning_put(struct fw_beginning *to, uint64_t index)
{
    struct fw_beginning_range *last = to->ranges.len ? &fw_vec_last(&to->ranges) : NULL;

    if (last && last->first + last->count == index)
        last->count++;
    else
        fw_vec_push(&to->ranges, ((struct fw_beginning_range) { index, 1 }));
}

static inline void fw_beginning_release(struct fw_beginning *beginning)
{
    fw_vec_release(&beginning->ranges);
}

#endif
