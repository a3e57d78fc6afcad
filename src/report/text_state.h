/*
 * text_state.h - the report for people while it is being written; for the files behind text.c.
 *
 *   text.c        findings, claims, the end
 *   text_where.c  stacks, memory, where threads come from
 */
#ifndef FW_REPORT_TEXT_STATE_H
#define FW_REPORT_TEXT_STATE_H

#include "report/report.h"
#include "report/stack.h"

#define FW_TEXT_FRAMES 32u /* of a stack */

struct fw_text {
    const struct fw_report *report;
    const struct fw_symbols *symbols;
    const struct fw_contexts *contexts;
    struct fw_output *out;
    bool colour;
    struct fw_report_frames frames; /* of the event at hand */
};

/* A name from the trace may be anything: what could disturb a terminal becomes '?'. */
void fw_text_name(struct fw_text *text, const char *name);
void fw_text_symbol(struct fw_text *text, enum fw_space space, uint32_t id);

/* " by main thread", " by thread T1". */
void fw_text_by_thread(struct fw_text *text, uint32_t thread);

/* " at FILE:LINE in FUNCTION", as far as known. */
void fw_text_place(struct fw_text *text, uint32_t site, uint32_t stack);
/* " in FUNCTION" of the innermost of the frames at hand, unless the site tells it already. */
void fw_text_in_function(struct fw_text *text, uint32_t site);
void fw_text_stack(struct fw_text *text, uint32_t site, uint32_t stack);

/* "  Location is ..." with where it was allocated. */
void fw_text_location(struct fw_text *text, uint32_t variable);

/* "  Thread T1 created by ...", for each thread of the finding. */
void fw_text_threads(struct fw_text *text, const struct fw_finding *finding);

#endif
