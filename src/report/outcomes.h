/*
 * outcomes.h - nondeterministic reads in short, for people: where, of what, how many outcomes.
 *
 *   Reads that are not determined:
 *     main.c:12 of 'x'       3 outcomes: as in this run, main.c:4, no write
 */
#ifndef FW_REPORT_OUTCOMES_H
#define FW_REPORT_OUTCOMES_H

#include "analysis/findings.h"
#include "base/output.h"

/* Of the findings of nondet; nothing if there are none. */
void fw_report_outcomes(struct fw_output *out, const struct fw_symbols *symbols,
                        const struct fw_findings *findings);

#endif
