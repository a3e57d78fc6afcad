/*
 * extract.h - what a finding needs, as a trace of its own.
 *
 * A witness holds all that its threads did before the bug, most of which has nothing to do with it.
 * An extract is the part that has:
 *
 *   - the finding's events, and the locks that are held there;
 *   - what the branches before them looked at: reads of what other threads wrote, and those writes,
 *     since without these the program need not come to the bug (where that is more than a few
 *     hundred events it is left out, and `left_out` says so);
 *   - synchronisation, as far as it orders the accesses that are kept: an extract has no
 *     race that the witness does not have.
 *
 * Everything else is dropped: whole threads, then lock sections, then events, as long as the
 * verifier accepts what is left of the witness as a witness for what is left of the trace.
 *
 * A race or an atomicity violation is in the order of the witness: the extract shows it as it
 * happens.  A trace cannot hold a deadlock, and a read is nondeterministic only beside
 * what it saw before: these, and mere orders of events, are in the order of the trace, and the
 * witness says what else can happen.
 *
 * Names are short, threads are numbers; sites stay, and with them the finding's id.
 */
#ifndef FW_TIDDLE_EXTRACT_H
#define FW_TIDDLE_EXTRACT_H

#include "trace/index.h"
#include "trace/verify.h"

struct fw_extract {
    char *text; /* Tiddle */
    size_t size;
    struct fw_trace *trace;    /* the text, read again: events are in lines of their own */
    uint32_t *from;            /* event → its position in the trace that it was taken from */
    struct fw_witness witness; /* in positions of the extract; its lists are the extract's */
    bool reordered;            /* in the order of the witness */
    bool left_out;             /* what branches looked at */
};

/* Values: reads of equal values are unchanged.  -1: the witness cannot be a trace of its own. */
int fw_extract_create(struct fw_extract **extract, const struct fw_index *index,
                      const struct fw_witness *witness, bool values, struct fw_error *err);
void fw_extract_destroy(struct fw_extract *extract);

#endif
