/*
 * prop_cp_sound.c - every report of cp in its default mode is a race, or the
 * trace has a deadlock: asked of the brute-force oracle.  Reports beyond what
 * the proof covers are marked as not proven, and not asked.
 */
#include "support/oracle.h"
#include "support/pairs.h"
#include "support/property.h"

#include <stdio.h>

static bool is_race(const struct fw_oracle_findings *races, uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < races->len; i++) {
        const uint32_t *events = races->at[i].events;

        if ((events[0] == first && events[1] == second) ||
            (events[0] == second && events[1] == first))
            return true;
    }
    return false;
}

static bool judge(const struct fw_trace *trace, const struct fw_pairs *pairs,
                  struct fw_oracle *oracle, char *why, size_t size)
{
    struct fw_oracle_findings races = { 0 }, deadlocks = { 0 };
    bool ok = true;

    fw_oracle_find(oracle, FW_CLAIM_RACE, true, &races);
    fw_oracle_find(oracle, FW_CLAIM_DEADLOCK, true, &deadlocks);
    for (uint32_t i = 0; ok && i < trace->count; i++) {
        for (uint32_t j = i + 1; ok && j < trace->count; j++) {
            ok = !pairs->proven[(size_t)i * trace->count + j] || deadlocks.len ||
                 is_race(&races, i, j);
            if (!ok)
                snprintf(why, size, "cp reports %u and %u: no race, and no deadlock", i, j);
        }
    }
    fw_oracle_findings_release(&races);
    fw_oracle_findings_release(&deadlocks);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "cp.std", false, why, size);
    struct fw_oracle *oracle;
    struct fw_pairs pairs;
    bool ok = true;

    if (!trace)
        return false;
    fw_pairs_run(&pairs, &fw_analysis_cp, trace, false, NULL);
    oracle = fw_oracle_create(trace);
    /* A trace that is too large for the oracle proves nothing; the profiles have few of them. */
    if (pairs.findings && fw_oracle_explore(oracle, 200000) == 0)
        ok = judge(trace, &pairs, oracle, why, size);
    fw_oracle_destroy(oracle);
    fw_pairs_release(&pairs);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "locks",  "forks",    "branches", "semaphores",
                                            "shared", "atomics",  "two",      "everything",
                                            "waits",  "barriers", "sections", "deadlocks",
                                            "heap",   "monitors", NULL };

    return fw_property_run("prop_cp_sound", profiles, 20000, holds);
}
