/*
 * prop_hb.c - the streaming happens-before analysis against the definition.
 *
 * With --pairs=all its pairs are just the clashing pairs that the naive
 * happens-before matrix leaves unordered.  By default its pairs are some of
 * those, on each variable that has one, the earliest among them.
 */
#include "support/expect.h"
#include "support/naive.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    const struct fw_trace *trace;
    const struct fw_naive *naive;
    char *why;
    size_t why_size;
};

static bool races(const struct check *c, uint32_t a, uint32_t b)
{
    return fw_naive_clash(c->trace, a, b) && !c->naive->hb[a * c->naive->count + b];
}

static struct fw_engine *run(const struct check *c, bool pairs_all, uint32_t batch)
{
    struct fw_analysis_setup setup = { .pairs_all = pairs_all };

    return fw_run_analysis(c->trace, &fw_analysis_hb, &setup, batch);
}

static bool fail(const struct check *c, const char *what, uint64_t a, uint64_t b)
{
    snprintf(c->why, c->why_size, "%s: (%" PRIu64 ",%" PRIu64 ")", what, a, b);
    return false;
}

/* The pair of a finding, as positions; random traces have one event a line. */
static bool pair_of(const struct check *c, const struct fw_finding *finding, uint32_t pair[2])
{
    for (unsigned i = 0; i < 2; i++) {
        const struct fw_mark *mark = &finding->events.at[i];
        const struct fw_event *event;

        pair[i] = fw_trace_position(c->trace, mark->index, 0);
        event = &c->trace->events[pair[i]];
        if (event->thread != mark->thread || event->kind != mark->kind ||
            event->target != mark->target || event->site != mark->site ||
            c->trace->attrs[event->attr].size != mark->size)
            return fail(c, "event remembered wrongly", mark->index, i);
    }
    return true;
}

static bool all_pairs_are_right(const struct check *c)
{
    uint32_t n = c->naive->count, wanted = 0, pair[2];
    struct fw_engine *engine = run(c, true, 0);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    bool good = true;

    for (uint32_t b = 0; b < n; b++)
        for (uint32_t a = 0; a < b; a++)
            wanted += races(c, a, b);
    for (uint64_t i = 0; good && i < fw_findings_count(findings); i++) {
        good = pair_of(c, fw_findings_get(findings, i), pair);
        if (good && !races(c, pair[0], pair[1]))
            good = fail(c, "reported but ordered", pair[0], pair[1]);
    }
    if (good && fw_findings_count(findings) != wanted)
        good = fail(c, "pairs found and wanted", fw_findings_count(findings), wanted);
    fw_engine_destroy(engine);
    return good;
}

static bool has_variable(const struct fw_findings *findings, uint32_t variable)
{
    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        for (size_t v = 0; v < finding->variables.len; v++)
            if (finding->variables.at[v] == variable)
                return true;
    }
    return false;
}

static bool every_variable_is_there(const struct check *c, const struct fw_findings *findings)
{
    for (uint32_t b = 0; b < c->naive->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (races(c, a, b) && !has_variable(findings, c->trace->events[b].target))
                return fail(c, "variable without finding", a, b);
    return true;
}

/* The earliest event that races with an earlier one is the second of the first finding. */
static bool first_is_first(const struct check *c, const struct fw_findings *findings)
{
    for (uint32_t b = 0; b < c->naive->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (races(c, a, b)) {
                const struct fw_finding *first = fw_findings_get(findings, 0);

                return (first->first && first->events.at[1].index == fw_trace_index(c->trace, b)) ||
                       fail(c, "not the first", a, b);
            }
    return true;
}

static bool default_mode_is_right(const struct check *c)
{
    struct fw_engine *engine = run(c, false, 1);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    uint32_t pair[2];
    bool good = true;

    for (uint64_t i = 0; good && i < fw_findings_count(findings); i++) {
        good = pair_of(c, fw_findings_get(findings, i), pair);
        if (good && !races(c, pair[0], pair[1]))
            good = fail(c, "by default reported but ordered", pair[0], pair[1]);
    }
    good = good && every_variable_is_there(c, findings) && first_is_first(c, findings);
    fw_engine_destroy(engine);
    return good;
}

static bool hb_is_right(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct check c = { .why = why, .why_size = why_size };
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "random.std", false, why, why_size);
    struct fw_naive *naive;
    struct fw_index *index;
    bool good;

    if (!trace)
        return false;
    index = fw_index_create(trace);
    naive = fw_naive_create(index);
    c.trace = trace;
    c.naive = naive;
    good = all_pairs_are_right(&c) && default_mode_is_right(&c);
    fw_naive_destroy(naive);
    fw_index_destroy(index);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "locks",      "forks",      "shared",  "waits",
                                            "semaphores", "barriers",   "atomics", "heap",
                                            "monitors",   "everything", NULL };

    return fw_property_run("prop_hb", profiles, 100000, hb_is_right);
}
