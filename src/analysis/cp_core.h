/*
 * cp_core.h - the causally-precedes relation, streaming: what goes in and out.
 *
 * Feed every event of a trace in order; pairs of clashing accesses that CP
 * does not order are reported as soon as that is certain, which may be after
 * events that followed them.  How it works is told in cp_state.h.
 */
#ifndef FW_ANALYSIS_CP_CORE_H
#define FW_ANALYSIS_CP_CORE_H

#include "analysis/analysis.h"
#include "order/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* An access: its thread, kind and variable are in the mark, which findings need. */
struct fw_cp_access {
    uint64_t position;
    struct fw_mark mark;
};

/*
 * An unordered pair.  hb: not even happens-before orders it.  covered: nothing
 * before the second access is outside of what the proof of CP covers: releases
 * out of order, try acquires with a lock held, atomics without order, and what
 * the caller says (fw_cp_uncover).  docs/analyses/cp.md has counterexamples.
 */
struct fw_cp_pair {
    const struct fw_cp_access *first, *second;
    bool hb, covered;
};

typedef void fw_cp_report(void *context, const struct fw_cp_pair *pair);

struct fw_cp;

/*
 * relation: exactly the relation; all pairs are reported, each access is
 * remembered.  Otherwise a reported pair counts as ordered from then on, so
 * that every report is sound, and the latest accesses are enough.
 */
struct fw_cp *fw_cp_create(bool relation, fw_cp_report *report, void *context);
void fw_cp_destroy(struct fw_cp *cp);

/* Begins the next event; call it before the function for its kind.  All but plain accesses
 * count as synchronisation. */
void fw_cp_step(struct fw_cp *cp, uint32_t thread, uint64_t position, bool synchronises);
void fw_cp_access(struct fw_cp *cp, const struct fw_cp_access *access);
/* Brings near what accesses to come will need. */
void fw_cp_prefetch(const struct fw_cp *cp, const struct fw_place *place);
/* An alloc and a free, the latter besides the access: of variables whose name begins to mean
 * another one nothing is kept.  Gives the variable that is gone, or FW_NO_VARIABLE. */
uint32_t fw_cp_alloc(struct fw_cp *cp, const struct fw_symbols *symbols, uint32_t variable);
void fw_cp_free(struct fw_cp *cp, const struct fw_symbols *symbols, uint32_t variable);
void fw_cp_acquire(struct fw_cp *cp, uint32_t thread, uint32_t lock, bool tries);
void fw_cp_release(struct fw_cp *cp, uint32_t thread, uint32_t lock);
/* Shared sections have only hard edges, from and to exclusive ones. */
void fw_cp_shared_acquire(struct fw_cp *cp, uint32_t thread, uint32_t lock, bool tries);
void fw_cp_shared_release(struct fw_cp *cp, uint32_t thread, uint32_t lock);

/* The present event is outside of what the proof covers. */
void fw_cp_uncover(struct fw_cp *cp);

/* Hard edges: a happens-before clock goes out of one thread and into another. */
const struct fw_clock *fw_cp_clock(struct fw_cp *cp, uint32_t thread);
void fw_cp_receive(struct fw_cp *cp, uint32_t thread, const struct fw_clock *clock);

/*
 * Clocks that the caller keeps for later hard edges: asked for when memory is
 * reclaimed, since sections they cover are still needed.  It calls `visit` on
 * each.
 */
typedef void fw_cp_visit(void *visitor, const struct fw_clock *clock);
typedef void fw_cp_roots(void *context, fw_cp_visit *visit, void *visitor);
void fw_cp_set_roots(struct fw_cp *cp, fw_cp_roots *roots, void *context);

/* Memory is reclaimed when so many sections are kept.  Tests lower it before they create. */
extern uint64_t fw_cp_first_sweep;

/* The trace is over: sections that are still open end here; the last reports come. */
void fw_cp_finish(struct fw_cp *cp);

#endif
