/* pairs.c - see pairs.h. */
#include "support/pairs.h"

#include "base/alloc.h"
#include "support/expect.h"

#include <stdlib.h>

static void collect(struct fw_pairs *pairs, const struct fw_trace *trace,
                    const struct fw_finding *finding)
{
    uint32_t at[2] = { 0, 0 };

    for (size_t i = 0; i < finding->variables.len; i++)
        pairs->variables[finding->variables.at[i]] = true;
    for (size_t i = 0; i < 2 && i < finding->events.len; i++)
        at[i] = fw_trace_position(trace, finding->events.at[i].index, 0);
    if (finding->events.len != 2)
        return;
    if (at[0] > at[1]) {
        uint32_t swap = at[0];

        at[0] = at[1];
        at[1] = swap;
    }
    pairs->repeated += fw_pairs_has(pairs, at[0], at[1]);
    pairs->reported[(size_t)at[0] * pairs->count + at[1]] = true;
    pairs->proven[(size_t)at[0] * pairs->count + at[1]] |= !finding->unproven;
}

void fw_pairs_run(struct fw_pairs *pairs, const struct fw_analysis *analysis,
                  const struct fw_trace *trace, bool pairs_all,
                  const struct fw_analysis_setup *setup)
{
    struct fw_analysis_setup own = setup ? *setup : (struct fw_analysis_setup) { 0 };
    const struct fw_findings *findings;
    struct fw_engine *engine;

    own.pairs_all = pairs_all;
    pairs->count = trace->count;
    pairs->reported = fw_xcalloc((size_t)trace->count * trace->count, sizeof *pairs->reported);
    pairs->proven = fw_xcalloc((size_t)trace->count * trace->count, sizeof *pairs->proven);
    pairs->variables = fw_xcalloc(fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE),
                                  sizeof *pairs->variables);
    pairs->repeated = 0;
    engine = fw_run_analysis(trace, analysis, &own, 0);
    findings = fw_engine_findings(engine, 0);
    pairs->findings = fw_findings_count(findings);
    for (uint64_t i = 0; i < pairs->findings; i++)
        collect(pairs, trace, fw_findings_get(findings, i));
    fw_engine_destroy(engine);
}

void fw_pairs_release(struct fw_pairs *pairs)
{
    free(pairs->reported);
    free(pairs->proven);
    free(pairs->variables);
}
