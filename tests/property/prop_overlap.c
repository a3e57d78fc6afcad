/*
 * prop_overlap.c - every pair that overlap reports is a race: asked of the brute-force oracle, of
 * all pairs of a trace; and its witness is accepted by the verifier.
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

FW_VEC_TYPE(order, uint32_t);

/* As positions; false: there is no such event. */
static bool put_events(const struct fw_trace *trace, const struct fw_beginning *events,
                       uint64_t most, struct order *order)
{
    bool right = true;

    for (size_t i = 0; i < events->ranges.len && most; i++)
        for (uint64_t j = 0; j < events->ranges.at[i].count && most; j++, most--) {
            uint64_t index = events->ranges.at[i].first + j;
            unsigned nth = 0;

            for (size_t k = order->len; k > 0 && nth < 3; k--)
                nth += fw_trace_index(trace, order->at[k - 1]) == index;
            fw_vec_push(order, fw_trace_position(trace, index, nth));
            right &= fw_vec_last(order) != FW_NO_EVENT;
        }
    return right && (!most || most > trace->count);
}

/* What a report writes. */
static bool is_witnessed(const struct fw_trace *trace, struct fw_verifier *verifier,
                         const struct fw_finding *finding, char *why, size_t size)
{
    struct order order = { 0 };
    struct fw_verdict verdict = { 0 };
    uint32_t events[2];
    bool right = put_events(trace, finding->beginning, finding->before, &order) &&
                 (!finding->then || put_events(trace, finding->then, UINT64_MAX, &order));

    for (unsigned i = 0; i < 2; i++) {
        events[i] = fw_trace_position(trace, finding->events.at[i].index, 0);
        fw_vec_push(&order, events[i]);
    }
    if (right)
        verdict = fw_verify(verifier, &(struct fw_witness) { .claim = FW_CLAIM_RACE,
                                                             .events = events,
                                                             .event_count = 2,
                                                             .order = order.at,
                                                             .order_count = (uint32_t)order.len });
    if (!verdict.accepted)
        snprintf(why, size, "witness of %u and %u: %s", events[0], events[1],
                 right ? verdict.reason : "events that there are not");
    fw_vec_release(&order);
    return verdict.accepted;
}

static bool all_are_witnessed(const struct fw_trace *trace, const struct fw_findings *findings,
                              char *why, size_t size)
{
    struct fw_verifier *verifier = fw_verifier_create(trace);
    bool ok = true;

    for (uint64_t i = 0; i < fw_findings_count(findings) && ok; i++)
        ok = is_witnessed(trace, verifier, fw_findings_get(findings, i), why, size);
    fw_verifier_destroy(verifier);
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
        ok = all_are_races(trace, findings, why, size) &&
             all_are_witnessed(trace, findings, why, size);
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
