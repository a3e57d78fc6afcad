/*
 * pairs.h - runs one analysis over a trace in memory and collects the pairs of
 * events that it reports.
 */
#ifndef FW_TESTS_PAIRS_H
#define FW_TESTS_PAIRS_H

#include "analysis/engine.h"
#include "trace/trace.h"

struct fw_pairs {
    uint32_t count;     /* events of the trace */
    bool *reported;     /* [first * count + second], by position */
    bool *proven;       /* the same, of those that the analysis's guarantee covers */
    bool *variables;    /* by variable: some finding names it */
    uint64_t findings;
    uint64_t repeated;  /* pairs reported more than once */
};

/* pairs_all: the relation; otherwise the default mode.  `setup` may be NULL, else adds options. */
void fw_pairs_run(struct fw_pairs *pairs, const struct fw_analysis *analysis,
                  const struct fw_trace *trace, bool pairs_all,
                  const struct fw_analysis_setup *setup);
void fw_pairs_release(struct fw_pairs *pairs);

static inline bool fw_pairs_has(const struct fw_pairs *pairs, uint32_t first, uint32_t second)
{
    return pairs->reported[(size_t)first * pairs->count + second];
}

#endif
