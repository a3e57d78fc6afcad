/*
 * core.h - what all questions about one trace share.  For src/predict only.
 *
 * Taint is prefix-closed: once a thread is tainted it stays so.  A correct
 * reordering is therefore described, thread by thread, by two numbers:
 *
 *     len    how many of the thread's events it holds
 *     clean  c > 0: the thread is untainted when it comes to its event c - 1
 *            (so clean == len + 1: untainted at the end); 0: nothing demanded
 *
 * Every read with place + 2 <= clean must see what it saw in the trace, and
 * that write must be untainted.  A later read is free: no rule speaks of it,
 * unless it is a load that synchronised.  The implied branches of the strict
 * model demand clean >= len.
 *
 * Demands are unary: an event demands other events, whatever else is there.
 * So the least demands of a set are the union of those of its members, and
 * `need` keeps them for every place of every thread (need.h).  Locks are
 * different (who holds, who waits is a choice) and belong to the solver.
 *
 * Immutable after creation.
 */
#ifndef FW_PREDICT_CORE_H
#define FW_PREDICT_CORE_H

#include "predict/grouped.h"
#include "predict/need.h"
#include "predict/solver.h"

struct fw_core {
    const struct fw_index *index;
    const struct fw_trace *trace;
    uint32_t threads;
    bool strict;
    uint64_t *synchronised;      /* bit by position: a load that must see what it saw */
    uint32_t *limit;             /* thread → how many of its events can be there at most */
    uint32_t *round_before;      /* barrier round → the round before it, FW_NO_EVENT: none */
    struct fw_rows branches;     /* thread → places of its branches; none if strict */
    struct fw_rows tries;        /* thread → its tryfails */
    struct fw_grouped acquires;  /* by lock, then thread */
    struct fw_grouped exclusive; /* those in exclusive mode */
    struct fw_grouped writes;    /* by variable, then thread */
    bool iroots;                 /* see struct fw_core_options; then: */
    struct fw_grouped touching;  /* accesses and frees by variable, then thread */
    struct fw_grouped locking;   /* acquires and releases by lock, then thread */
    bool chains;                 /* see struct fw_core_options */
    struct fw_need *need;
    uint64_t *flexible;          /* bit by position: a read that may see another write of its
                                    value; NULL: there is none, or values are not asked for */
    struct fw_need *loose;       /* the demands if such reads demand nothing; NULL: as need */
};

static inline bool fw_core_synchronised(const struct fw_core *core, uint32_t e)
{
    return core->synchronised[e / 64] >> (e % 64) & 1;
}

static inline bool fw_core_flexible(const struct fw_core *core, uint32_t e)
{
    return core->flexible && core->flexible[e / 64] >> (e % 64) & 1;
}

static inline uint32_t fw_thread_length(const struct fw_core *core, uint32_t thread)
{
    return fw_row_count(&core->index->by_thread, thread);
}

/* The event of this thread and place. */
static inline uint32_t fw_event_at(const struct fw_core *core, uint32_t thread, uint32_t place)
{
    return core->index->by_thread.items[core->index->by_thread.start[thread] + place];
}

static inline uint32_t fw_thread_of(const struct fw_core *core, uint32_t e)
{
    return core->trace->events[e].thread;
}

static inline uint32_t fw_place_of(const struct fw_core *core, uint32_t e)
{
    return core->index->in_thread[e];
}

/* The clean that a thread's own branches demand when it has done `len` events. */
uint32_t fw_core_own_clean(const struct fw_core *core, uint32_t thread, uint32_t len);

/* Which loads synchronised (facts.c). */
uint64_t *fw_core_find_synchronised(const struct fw_index *index);
/* How far each thread can get; less than its length only after repair (facts.c). */
uint32_t *fw_core_find_limits(const struct fw_index *index);
/* Rounds in the order of their barriers (facts.c). */
uint32_t *fw_core_find_rounds_before(const struct fw_index *index);

#endif
