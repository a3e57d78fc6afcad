/*
 * hits.h - races that were caught, on their way to the recorder.
 *
 * A hit is told as it happened: both threads begin a block, then each makes its access, in the
 * order in which they came; nothing else of the run is told but which threads were started where.
 * Of hits at the same two places the first few are told, and all are counted.
 */
#ifndef FW_ATOMRACE_HITS_H
#define FW_ATOMRACE_HITS_H

#include "atomrace/sections.h"

/* Both threads are inside their hooks and stay there: their stacks hold still. */
void fw_hit(const struct fw_overlap_access *first, const struct fw_overlap_access *second);

/* An access of some bytes, as an event.  Between begin and end. */
void fw_tell_access(const struct fw_overlap_access *access, uintptr_t begin, uintptr_t end);

/* So many calls of a thread return: all that were told (struct fw_hot, returns). */
#define FW_ALL_CALLS 0x40000000u

/* What else goes to the recorder does so between these two, with handlers kept out. */
void fw_telling_begin(void);
void fw_telling_end(void);
/* In a fork child. */
void fw_hits_forked(void);

/* How many there were, for the trace's notes.  Between begin and end. */
void fw_hits_tell_count(struct fw_thread *t);

#endif
