/*
 * prop_overlap.c - every pair that overlap reports is a race: asked of the brute-force oracle, of
 * all pairs of a trace.
 */
#include "support/expect.h"
#include "support/oracle.h"
#include "support/property.h"

#include <stdio.h>

static bool is_among(const struct fw_oracle_findings *races, uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < races->len; i++)
        if ((races->at[i].events[0] == first && races->at[i].events[1] == second) ||
            (races->at[i].events[0] == second && races->at[i].events[1] == first))
            return true;
    return false;
}

static bool all_are_races(const struct fw_trace *trace, const struct fw_findings *findings,
                          char *why, size_t size)
{
    struct fw_oracle *oracle = fw_oracle_create(trace);
    struct fw_oracle_findings races = { 0 };
    bool ok = true;

    if (fw_oracle_explore(oracle, 200000) == 0) {
        fw_oracle_find(oracle, FW_CLAIM_RACE, true, &races);
        for (uint64_t i = 0; i < fw_findings_count(findings) && ok; i++) {
            const struct fw_finding *finding = fw_findings_get(findings, i);
            uint32_t first = fw_trace_position(trace, finding->events.at[0].index, 0);
            uint32_t second = fw_trace_position(trace, finding->events.at[1].index, 0);

            ok = is_among(&races, first, second);
            if (!ok)
                snprintf(why, size, "overlap reports %u and %u: no race", first, second);
        }
    }
    fw_oracle_findings_release(&races);
    fw_oracle_destroy(oracle);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "o.std", false, why, size);
    struct fw_analysis_setup setup = { .pairs_all = true };
    const struct fw_findings *findings;
    struct fw_engine *engine;
    bool ok = true;

    if (!trace)
        return false;
    engine = fw_run_analysis(trace, &fw_analysis_overlap, &setup, 0);
    findings = fw_engine_findings(engine, 0);
    if (fw_findings_count(findings))
        ok = all_are_races(trace, findings, why, size);
    fw_engine_destroy(engine);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "locks",    "forks",     "branches", "semaphores",
                                            "shared",   "waits",     "monitors", "barriers",
                                            "atomics",  "heap",      "two",      "everything",
                                            "sections", "deadlocks", NULL };

    return fw_property_run("prop_overlap", profiles, 10000, holds);
}
