/*
 * depend.h - which events of a trace must keep their order.
 *
 * Two traces are equivalent if one becomes the other by swapping neighbours
 * that commute (Sadowski, chapter 7).  Two events do not commute if they are of
 * one thread, or touch the same thing in a way whose order matters:
 *
 *   a lock        any two operations, but two of shared mode, or two tryfail
 *   a variable    two accesses, one of which writes or frees (two plain or
 *                 atomic reads commute); an alloc and any use of the same name
 *   a condition   notifies with notifies and wakes; the release that begins a
 *                 wait with notifies
 *   a semaphore   any two operations
 *   a barrier     barin with barout
 *   a thread      its fork and its join with each other and with its events
 *
 * So every event of an equivalent trace sees what it saw: the same value, the
 * same notify, the same post.  Equivalent traces have the same happens-before
 * relation.
 *
 * With `swap_races` plain accesses of one variable do not keep their order by
 * themselves: all traces with the same happens-before relation, in which a
 * read may see another write.
 *
 * The relation is kept as a graph whose transitive closure it is.
 */
#ifndef FW_TIDDLE_DEPEND_H
#define FW_TIDDLE_DEPEND_H

#include "base/vec.h"
#include "trace/index.h"

struct fw_depend {
    uint32_t count;       /* events */
    struct fw_rows after; /* event → events that must come after it */
    uint32_t *before;     /* event → how many edges come in */
};

/* Does the release give the lock back?  An inner one of a re-entrant lock does not. */
bool fw_release_is_outermost(const struct fw_index *index, uint32_t release);

struct fw_depend *fw_depend_create(const struct fw_index *index, bool swap_races);
void fw_depend_destroy(struct fw_depend *depend);

#endif
