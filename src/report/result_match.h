/*
 * result_match.h - the findings of a result, as events of a trace.
 *
 * A result names events by index; verifier and predictors know positions.  What a finding says of
 * its events (thread, op, target) is compared with the trace, so that a result of another trace is
 * noticed.
 */
#ifndef FW_REPORT_RESULT_MATCH_H
#define FW_REPORT_RESULT_MATCH_H

#include "base/vec.h"
#include "report/result_read.h"

struct fw_result_match {
    const struct fw_trace *trace;
    FW_VEC(uint32_t) events; /* positions, of the finding at hand */
    FW_VEC(uint32_t) order;
    uint32_t list;   /* number of the list of indices being translated */
    uint32_t *used;  /* position of a line's first event → the latest list that named the line */
    uint32_t *times; /* ... and how often; both NULL if indices are positions */
};

void fw_result_match_init(struct fw_result_match *match, const struct fw_trace *trace);
void fw_result_match_release(struct fw_result_match *match);

/*
 * The finding's witness by position, borrowed until the next call.  False, and why in the verdict,
 * if the trace has no such events.
 */
bool fw_result_match(struct fw_result_match *match, const struct fw_result_finding *finding,
                     struct fw_witness *witness, struct fw_verdict *verdict);

#endif
