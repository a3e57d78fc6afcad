/*
 * prop_solver.c - the solver's answers are those of the brute-force oracle,
 * and its witnesses are accepted by the verifier.
 *
 * Of each trace: every conflicting pair as a race, every set of the oracle's
 * deadlocks and every pair of waiting acquires as a deadlock, every read with
 * every write (and none) as nondeterminism, and random orders of two to four
 * events.  Both definite answers must agree with the oracle, whatever the
 * number of threads.  Where a trace has values, all of it once more under --values; one
 * trace in four has its demands kept as chains.
 */
#include "predict/solver.h"
#include "support/oracle.h"
#include "support/property.h"
#include "support/random.h"

#include <stdio.h>
#include <string.h>

struct run {
    const struct fw_trace *trace;
    struct fw_oracle *oracle;
    struct fw_verifier *verifier;
    struct fw_solver *solver;
    struct fw_oracle_findings found; /* of the claim at hand */
    char *why;
    size_t size;
};

static const char *const claim_names[] = { "race", "deadlock", "order", "atomicity",
                                           "nondeterminism" };

static bool fail(struct run *run, enum fw_claim claim, const uint32_t *events, uint32_t count,
                 const char *what)
{
    int len = snprintf(run->why, run->size, "%s of", claim_names[claim]);

    for (uint32_t i = 0; i < count; i++)
        len += snprintf(run->why + len, run->size - (size_t)len, " %u", events[i]);
    snprintf(run->why + len, run->size - (size_t)len, ": %s", what);
    return false;
}

/* Asks, and compares with what is true. */
static bool agrees(struct run *run, enum fw_claim claim, const uint32_t *events, uint32_t count,
                   bool truth)
{
    enum fw_answer answer = fw_solver_ask(run->solver, claim, events, count);
    struct fw_witness witness = { claim, events, count, NULL, 0 };
    struct fw_verdict verdict;

    if (answer == FW_UNDECIDED)
        return fail(run, claim, events, count, "undecided");
    if (answer == FW_INFEASIBLE)
        return !truth || fail(run, claim, events, count, "missed");
    witness.order = fw_solver_witness(run->solver, &witness.order_count);
    verdict = fw_verify(run->verifier, &witness);
    if (!verdict.accepted)
        return fail(run, claim, events, count, verdict.reason);
    return truth || fail(run, claim, events, count, "the oracle has no such finding");
}

static bool same_set(const struct fw_oracle_finding *finding, const uint32_t *events,
                     uint32_t count, bool ordered)
{
    if (finding->event_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool has = ordered && finding->events[i] == events[i];

        for (uint32_t k = 0; k < count && !ordered; k++)
            has |= finding->events[k] == events[i];
        if (!has)
            return false;
    }
    return true;
}

static bool is_found(const struct run *run, const uint32_t *events, uint32_t count, bool ordered)
{
    for (size_t i = 0; i < run->found.len; i++)
        if (same_set(&run->found.at[i], events, count, ordered))
            return true;
    return false;
}

static bool races_agree(struct run *run)
{
    const struct fw_event *events = run->trace->events;

    for (uint32_t a = 0; a < run->trace->count; a++)
        for (uint32_t b = a + 1; b < run->trace->count; b++) {
            uint32_t pair[2] = { a, b };

            if (events[a].thread == events[b].thread || events[a].target != events[b].target ||
                !fw_kinds_conflict(events[a].kind, events[b].kind))
                continue;
            if (!agrees(run, FW_CLAIM_RACE, pair, 2, is_found(run, pair, 2, false)))
                return false;
        }
    return true;
}

static bool nondeterminism_agrees(struct run *run)
{
    const struct fw_event *events = run->trace->events;

    for (uint32_t r = 0; r < run->trace->count; r++) {
        if (!fw_is_read(events[r].kind))
            continue;
        for (uint32_t w = 0; w <= run->trace->count; w++) {
            uint32_t pair[2] = { r, w }, count = w == run->trace->count ? 1 : 2;

            if (count == 2 && (w == r || !fw_is_write(events[w].kind) ||
                               events[w].target != events[r].target))
                continue;
            if (fw_oracle_writer(run->oracle, r) == (count == 2 ? w : FW_NO_EVENT))
                continue;
            if (!agrees(run, FW_CLAIM_NONDETERMINISM, pair, count,
                        is_found(run, pair, count, true)))
                return false;
        }
    }
    return true;
}

/* Those that are deadlocks; what can be none is left to the predictor's tests. */
static bool deadlocks_agree(struct run *run)
{
    for (size_t i = 0; i < run->found.len; i++)
        if (!agrees(run, FW_CLAIM_DEADLOCK, run->found.at[i].events, run->found.at[i].event_count,
                    true))
            return false;
    return true;
}

static bool atomicity_agrees(struct run *run)
{
    for (size_t i = 0; i < run->found.len; i++)
        if (!agrees(run, FW_CLAIM_ATOMICITY, run->found.at[i].events, 3, true))
            return false;
    return true;
}

static bool orders_agree(struct run *run, uint64_t seed)
{
    struct fw_random random;

    fw_random_init(&random, seed);
    for (uint32_t i = 0; i < 24 && run->trace->count; i++) {
        uint32_t order[4], count = 2 + fw_random_below(&random, 3);
        struct fw_oracle_finding finding = { 0 };
        bool distinct = true, truth;

        for (uint32_t k = 0; k < count; k++) {
            order[k] = fw_random_below(&random, run->trace->count);
            for (uint32_t j = 0; j < k; j++)
                distinct &= order[j] != order[k];
        }
        if (!distinct)
            continue;
        truth = fw_oracle_order(run->oracle, order, count, &finding);
        if (truth)
            fw_oracle_finding_release(&finding);
        if (!agrees(run, FW_CLAIM_ORDER, order, count, truth))
            return false;
    }
    return true;
}

static bool claim_agrees(struct run *run, enum fw_claim claim, bool (*agree)(struct run *))
{
    bool ok;

    run->found = (struct fw_oracle_findings) { 0 };
    fw_oracle_find(run->oracle, claim, true, &run->found);
    ok = agree(run);
    fw_oracle_findings_release(&run->found);
    return ok;
}

static bool all_agree(struct run *run, uint64_t seed)
{
    return claim_agrees(run, FW_CLAIM_RACE, races_agree) &&
           claim_agrees(run, FW_CLAIM_DEADLOCK, deadlocks_agree) &&
           claim_agrees(run, FW_CLAIM_ATOMICITY, atomicity_agrees) &&
           claim_agrees(run, FW_CLAIM_NONDETERMINISM, nondeterminism_agrees) &&
           orders_agree(run, seed);
}

static bool has_values(const struct fw_trace *trace)
{
    for (uint32_t i = 0; i < trace->attr_count; i++)
        if (trace->attrs[i].has & FW_ATTR_VALUE)
            return true;
    return false;
}

static bool trace_agrees(struct run *run, const struct fw_index *index, bool values, uint64_t seed)
{
    struct fw_core_options options = { .values = values, .chains = seed % 4 == 0 };
    struct fw_core *core = fw_core_create(index, &options);
    bool ok = true;

    run->oracle = fw_oracle_create(run->trace);
    fw_oracle_use_values(run->oracle, values);
    if (fw_oracle_explore(run->oracle, 100000) == 0) {
        run->verifier = fw_verifier_create(run->trace);
        fw_verifier_use_values(run->verifier, values);
        run->solver = fw_solver_create(core, NULL);
        ok = all_agree(run, seed);
        fw_solver_destroy(run->solver);
        fw_verifier_destroy(run->verifier);
    }
    fw_oracle_destroy(run->oracle);
    fw_core_destroy(core);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "solver.std", false, why,
                                          size);
    struct run run = { .trace = trace, .why = why, .size = size };
    struct fw_index *index;
    bool ok;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    ok = trace_agrees(&run, index, false, sample->seed) &&
         (!has_values(trace) || trace_agrees(&run, index, true, sample->seed));
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = {
        "locks",    "branches", "two",    "forks",     "shared",     "waits", "monitors",
        "semaphores", "barriers", "atomics", "heap", "deadlocks", "everything", "tiny",
        "nested",   "sections", "values",   "values",   NULL,
    };

    return fw_property_run("prop_solver", profiles, 12000, holds);
}
