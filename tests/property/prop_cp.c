/*
 * prop_cp.c - the streaming causally-precedes analysis against its definition.
 *
 * With --pairs=all its pairs are those of the naive fixpoint, also when memory
 * is reclaimed at every release; in the default mode it reports something
 * exactly if there is a pair.
 */
#include "analysis/cp_core.h"
#include "support/naive.h"
#include "support/pairs.h"
#include "support/property.h"

#include <stdio.h>

static bool compare(const struct fw_trace *trace, const struct fw_naive *naive,
                    const struct fw_pairs *pairs, uint32_t *wanted_pairs, char *why, size_t size)
{
    *wanted_pairs = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        for (uint32_t j = i + 1; j < trace->count; j++) {
            bool wanted = fw_naive_clash(trace, i, j) && !naive->cp[i * trace->count + j];

            *wanted_pairs += wanted;
            if (wanted != fw_pairs_has(pairs, i, j)) {
                snprintf(why, size, "events %u and %u: cp says %s, the definition %s", i, j,
                         wanted ? "ordered" : "a race", wanted ? "a race" : "ordered");
                return false;
            }
        }
    }
    if (pairs->repeated)
        snprintf(why, size, "%u pairs are reported more than once", (unsigned)pairs->repeated);
    return !pairs->repeated;
}

static bool check_relation(const struct fw_trace *trace, const struct fw_naive *naive,
                           uint64_t sweep, uint32_t *wanted, char *why, size_t size)
{
    struct fw_pairs pairs;
    bool ok;

    fw_cp_first_sweep = sweep;
    fw_pairs_run(&pairs, &fw_analysis_cp, trace, true, NULL);
    ok = compare(trace, naive, &pairs, wanted, why, size);
    fw_pairs_release(&pairs);
    return ok;
}

/* Default mode: a finding if and only if there is a pair, on a variable that has one. */
static bool check_default(const struct fw_trace *trace, uint32_t wanted, char *why, size_t size)
{
    struct fw_pairs pairs;
    bool ok;

    fw_pairs_run(&pairs, &fw_analysis_cp, trace, false, NULL);
    ok = (pairs.findings > 0) == (wanted > 0);
    if (!ok)
        snprintf(why, size, "the default mode has %u findings, the relation %u pairs",
                 (unsigned)pairs.findings, wanted);
    fw_pairs_release(&pairs);
    return ok;
}

static bool holds(const struct fw_sample *sample, char *why, size_t size)
{
    struct fw_trace *trace = fw_load_text(sample->text, sample->size, "cp.std", false, why, size);
    struct fw_index *index;
    struct fw_naive *naive;
    uint32_t wanted;
    bool ok;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    naive = fw_naive_create(index);
    ok = check_relation(trace, naive, 1, &wanted, why, size) &&
         check_relation(trace, naive, UINT64_MAX, &wanted, why, size) &&
         check_default(trace, wanted, why, size);
    fw_naive_destroy(naive);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return ok;
}

int main(void)
{
    static const char *const profiles[] = { "locks",      "forks",    "deadlocks", "branches",
                                            "shared",     "waits",    "atomics",   "barriers",
                                            "semaphores", "heap",     "everything", NULL };

    return fw_property_run("prop_cp", profiles, 100000, holds);
}
