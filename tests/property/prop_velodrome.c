/*
 * prop_velodrome.c - velodrome reports exactly the traces that are not
 * serialisable, and each of its cycles is one.
 *
 * With blocks and with functions as blocks, in the default mode and with
 * --pairs=all: there is a finding exactly if the full graph has a cycle.  The
 * events of each finding lead from one to the next by an edge or within their
 * transaction, and from a transaction through others back into it.  Where
 * a culprit came into a vulnerable window, velodrome has a finding.
 */
#include "support/expect.h"
#include "support/naive_sidetrack.h"
#include "support/naive_velodrome.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t cyclic, findings_seen, longest;

/* Does each event lead to the next? */
static bool is_chain(const struct fw_naive_velodrome *graph, const uint32_t *at, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        bool edge = at[i] < at[i + 1] && graph->edge[at[i] * graph->count + at[i + 1]];

        if (!edge && graph->transaction[at[i]] != graph->transaction[at[i + 1]])
            return false;
    }
    return true;
}

static bool is_cycle(const struct fw_trace *trace, const struct fw_naive_velodrome *graph,
                     const struct fw_finding *finding, char *why, size_t why_size)
{
    size_t count = finding->events.len, others = 0, used = 0;
    uint32_t at[64];

    for (size_t i = 0; i < count; i++) {
        at[i] = fw_trace_position(trace, finding->events.at[i].index, 0);
        others += graph->transaction[at[i]] != graph->transaction[at[0]];
        used += (size_t)snprintf(why + used, why_size - used, " %u", at[i]);
    }
    longest = count > longest ? count : longest;
    snprintf(why + used, why_size - used, ": not a cycle");
    return count >= 3 && others && graph->transaction[at[0]] == graph->transaction[at[count - 1]] &&
           is_chain(graph, at, count);
}

static bool check_findings(const struct fw_trace *trace, const struct fw_naive_velodrome *graph,
                           const struct fw_findings *findings, char *why, size_t why_size)
{
    uint64_t count = fw_findings_count(findings);

    findings_seen += count;
    if ((count > 0) != graph->cyclic) {
        snprintf(why, why_size, "%" PRIu64 " findings, but the graph %s", count,
                 graph->cyclic ? "has a cycle" : "has none");
        return false;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!is_cycle(trace, graph, fw_findings_get(findings, i), why, why_size))
            return false;
    return true;
}

static struct fw_engine *run(const struct fw_trace *trace, bool pairs_all, bool functions)
{
    struct fw_analysis_setup setup = { .pairs_all = pairs_all, .atomic_functions = functions };

    return fw_run_analysis(trace, &fw_analysis_velodrome, &setup, pairs_all ? 0 : 3);
}

/* Is there a window with a culprit in it, reported by sidetrack's rule or not? */
static bool has_culprit_in_window(const struct fw_index *index, bool functions)
{
    struct fw_sidetrack_reports observed = fw_naive_sidetrack_observed(index, functions);
    bool found = observed.len > 0;

    fw_vec_release(&observed);
    return found;
}

static bool compare(const struct fw_index *index, bool functions, char *why, size_t why_size)
{
    struct fw_naive_velodrome *graph = fw_naive_velodrome_create(index, functions);
    const struct fw_trace *trace = index->trace;
    bool good = true;

    cyclic += graph->cyclic;
    for (int pairs_all = 0; good && pairs_all <= 1; pairs_all++) {
        struct fw_engine *engine = run(trace, pairs_all, functions);

        good = check_findings(trace, graph, fw_engine_findings(engine, 0), why, why_size);
        fw_engine_destroy(engine);
    }
    if (good && !graph->cyclic && has_culprit_in_window(index, functions)) {
        snprintf(why, why_size, "a culprit in a window, but the trace is serialisable");
        good = false;
    }
    fw_naive_velodrome_destroy(graph);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    return fw_blocks_hold(sample, compare, why, why_size);
}

int main(void)
{
    static const char *const profiles[] = { "blocks", "everything", "windows", "crowds", NULL };
    int status = fw_property_run("prop_velodrome", profiles, 100000, holds);

    printf("prop_velodrome: %" PRIu64 " graphs with a cycle, %" PRIu64 " findings, up to %" PRIu64
           " events\n",
           cyclic, findings_seen, longest);
    return status;
}
