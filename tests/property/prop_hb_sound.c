/*
 * prop_hb_sound.c - the first finding of hb is a race: asked of the
 * brute-force oracle.  Relaxed atomics and failed try acquires pass on what
 * happens-before has no edge for (docs/analyses/hb.md): findings behind them
 * are not asked.
 */
#include "support/expect.h"
#include "support/oracle.h"
#include "support/property.h"

#include <stdio.h>

/* Is there something before the event that carries data without ordering? */
static bool is_beyond(const struct fw_trace *trace, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++) {
        const struct fw_event *event = &trace->events[i];

        if (event->kind == FW_TRY_FAIL)
            return true;
        if (fw_is_class(event->kind, FW_CLASS_ATOMIC) &&
            ((fw_is_read(event->kind) && !fw_order_acquires(event->order)) ||
             (fw_is_write(event->kind) && !fw_order_releases(event->order))))
            return true;
    }
    return false;
}

static bool is_race(struct fw_oracle *oracle, uint32_t first, uint32_t second)
{
    struct fw_oracle_findings races = { 0 };
    bool found = false;

    fw_oracle_find(oracle, FW_CLAIM_RACE, true, &races);
    for (size_t i = 0; i < races.len; i++)
        found |= (races.at[i].events[0] == first && races.at[i].events[1] == second) ||
                 (races.at[i].events[0] == second && races.at[i].events[1] == first);
    fw_oracle_findings_release(&races);
    return found;
}

static bool first_is_race(const struct fw_trace *trace, const struct fw_finding *finding, char *why,
                          size_t size)
{
    uint32_t first = fw_trace_position(trace, finding->events.at[0].index, 0);
    uint32_t second = fw_trace_position(trace, finding->events.at[1].index, 0);
    struct fw_oracle *oracle;
    bool ok;

    if (is_beyond(trace, second))
        return true;
    oracle = fw_oracle_create(trace);
    ok = fw_oracle_explore(oracle, 200000) != 0 || is_race(oracle, first, second);
    if (!ok)
        snprintf(why, size, "hb reports %u and %u first: no race", first, second);
    fw_oracle_destroy(oracle);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "hb.std", false, why, size);
    struct fw_analysis_setup setup = { .pairs_all = false };
    const struct fw_findings *findings;
    struct fw_engine *engine;
    bool ok = true;

    if (!trace)
        return false;
    engine = fw_run_analysis(trace, &fw_analysis_hb, &setup, 0);
    findings = fw_engine_findings(engine, 0);
    if (fw_findings_count(findings))
        ok = first_is_race(trace, fw_findings_get(findings, 0), why, size);
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

    return fw_property_run("prop_hb_sound", profiles, 20000, holds);
}
