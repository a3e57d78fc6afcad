/*
 * index.h - who belongs to whom in a trace.
 *
 * Built once in linear time, then immutable.  All lists are slices of one
 * array with a table of starts ("compressed rows"): list i is
 * items[start[i]] .. items[start[i + 1] - 1], positions ascending.
 *
 * partner, by kind of event (FW_NO_EVENT if there is none):
 *   read, ald, armw   the write it sees             acq, tryacq, racq, tryracq   its release
 *   rel, rrel         its acquire                   wake    the notify it answers
 *   pend              the post it answers           barout  its own barin
 *   fork              the child's first event       join    the child's last event
 *   begin / end       its end / begin               call / ret  its ret / call
 */
#ifndef FW_TRACE_INDEX_H
#define FW_TRACE_INDEX_H

#include "trace/trace.h"

struct fw_rows {
    uint32_t *start; /* rows + 1 entries */
    uint32_t *items;
    uint32_t rows;
};

struct fw_index {
    const struct fw_trace *trace; /* borrowed */
    struct fw_rows by_thread;     /* all events of each thread */
    struct fw_rows by_variable;   /* accesses, alloc and free of each variable */
    struct fw_rows by_lock;       /* lock operations of each lock, tryfail included, requests not */
    uint32_t *in_thread;          /* event → its place in its thread's row */
    uint32_t *partner;
    uint32_t *lock_set;           /* event → id of the locks that its thread holds just before an
                                     acquire, and still at a release; set 0 is empty */
    struct fw_rows lock_sets;     /* id → the held locks' ids, times 2, plus 1 if shared */
    uint32_t *fork_of;            /* thread → its fork event, FW_NO_EVENT for a root */
    uint32_t *join_of;            /* thread → its first join event or FW_NO_EVENT */
    uint32_t *round_of;           /* event → barrier round, for barin and barout; allocated only
                                     if the trace has barriers */
    struct fw_rows rounds;        /* round → its barins; rounds are numbered over all barriers */
};

struct fw_index *fw_index_create(const struct fw_trace *trace);
void fw_index_destroy(struct fw_index *index);

/* Number of items in row i, and the row itself. */
static inline uint32_t fw_row_count(const struct fw_rows *rows, uint32_t i)
{
    return rows->start[i + 1] - rows->start[i];
}

static inline const uint32_t *fw_row(const struct fw_rows *rows, uint32_t i)
{
    return rows->items + rows->start[i];
}

#endif
