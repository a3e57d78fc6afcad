/*
 * stack.h - the functions that were active at an event, for the reports.
 *
 * From the trace's calls, and where the program's source is known (trace/places.h) also the
 * functions that were inlined and those that the recorder did not see.
 */
#ifndef FW_REPORT_STACK_H
#define FW_REPORT_STACK_H

#include "analysis/context.h"
#include "base/vec.h"
#include "trace/symbols.h"

struct fw_report_frame {
    const char *function;
    const char *site;        /* where it is, by name ... */
    struct fw_source_place { /* ... or by file and line, if site is NULL */
        const char *file;
        unsigned line; /* 0: nothing is known of where */
    } at;
};

FW_VEC_TYPE(fw_report_frames, struct fw_report_frame);

/*
 * The frames of an event at this site with this stack, innermost first; *frames may hold earlier
 * ones.  False: there are more than `most`.
 */
bool fw_report_stack(struct fw_report_frames *frames, const struct fw_symbols *symbols,
                     const struct fw_contexts *contexts, uint32_t site, uint32_t stack,
                     size_t most);

#endif
