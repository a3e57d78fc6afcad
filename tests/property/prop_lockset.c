/*
 * prop_lockset.c - the streaming state machine against the naive one.
 *
 * With --pairs=all the same variables, each reported once, at the same access,
 * together with an access of the thread that was there before.  By default
 * just these variables contribute to findings.
 */
#include "support/expect.h"
#include "support/naive_lockset.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct check {
    const struct fw_trace *trace;
    uint32_t *wanted; /* by variable; FW_NO_EVENT once found */
    char *why;
    size_t why_size;
};

static bool fail(const struct check *c, const char *what, uint64_t a, uint64_t b)
{
    snprintf(c->why, c->why_size, "%s: %" PRIu64 ", %" PRIu64, what, a, b);
    return false;
}

static bool is_access(const struct fw_event *event)
{
    return event->kind == FW_READ || event->kind == FW_WRITE || event->kind == FW_FREE;
}

/* The earlier event: another thread's access; behind it no third thread's. */
static bool partner_is_right(const struct check *c, uint32_t earlier, uint32_t later)
{
    const struct fw_event *events = c->trace->events;

    if (earlier >= later || !is_access(&events[earlier]) ||
        events[earlier].target != events[later].target ||
        events[earlier].thread == events[later].thread)
        return fail(c, "no partner", earlier, later);
    for (uint32_t i = earlier + 1; i < later; i++)
        if (is_access(&events[i]) && events[i].target == events[later].target &&
            events[i].thread != events[later].thread && events[i].thread != events[earlier].thread)
            return fail(c, "not the latest partner", earlier, i);
    return true;
}

static bool mark_is_right(const struct check *c, const struct fw_mark *mark, uint32_t position)
{
    const struct fw_event *event = &c->trace->events[position];

    return (mark->thread == event->thread && mark->kind == event->kind &&
            mark->target == event->target && mark->site == event->site &&
            mark->size == c->trace->attrs[event->attr].size) ||
           fail(c, "event remembered wrongly", mark->index, position);
}

static bool finding_is_right(const struct check *c, const struct fw_finding *finding)
{
    uint32_t earlier = fw_trace_position(c->trace, finding->events.at[0].index, 0);
    uint32_t later = fw_trace_position(c->trace, finding->events.at[1].index, 0);
    uint32_t variable = c->trace->events[later].target;

    if (c->wanted[variable] != later)
        return fail(c, "reported, not wanted", later, c->wanted[variable]);
    c->wanted[variable] = FW_NO_EVENT;
    return mark_is_right(c, &finding->events.at[0], earlier) &&
           mark_is_right(c, &finding->events.at[1], later) && partner_is_right(c, earlier, later);
}

static uint32_t variable_count(const struct check *c)
{
    return fw_symbols_count(c->trace->symbols, FW_SPACE_VARIABLE);
}

/* How many findings the variable contributes to. */
static uint64_t findings_on(const struct fw_findings *findings, uint32_t variable)
{
    uint64_t found = 0;

    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        for (size_t v = 0; v < finding->variables.len; v++)
            found += finding->variables.at[v] == variable;
    }
    return found;
}

static bool default_mode_is_right(const struct check *c)
{
    struct fw_engine *engine = fw_run_analysis(c->trace, &fw_analysis_lockset, NULL, 1);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    bool good = true;

    for (uint32_t v = 0; good && v < variable_count(c); v++) {
        uint64_t found = findings_on(findings, v);

        if (found != (c->wanted[v] != FW_NO_EVENT))
            good = fail(c, "variable, findings that it is in by default", v, found);
    }
    fw_engine_destroy(engine);
    return good;
}

/* Takes away what is wanted. */
static bool all_pairs_are_right(const struct check *c)
{
    struct fw_analysis_setup setup = { .pairs_all = true };
    struct fw_engine *engine = fw_run_analysis(c->trace, &fw_analysis_lockset, &setup, 3);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    bool good = true;

    for (uint64_t i = 0; good && i < fw_findings_count(findings); i++)
        good = finding_is_right(c, fw_findings_get(findings, i));
    for (uint32_t v = 0; good && v < variable_count(c); v++)
        if (c->wanted[v] != FW_NO_EVENT)
            good = fail(c, "not reported", c->wanted[v], v);
    fw_engine_destroy(engine);
    return good;
}

static bool lockset_is_right(const struct fw_sample *sample, char *why, size_t why_size)
{
    struct check c = { .why = why, .why_size = why_size };
    struct fw_trace *trace =
        fw_load_text(sample->text, sample->size, "random.std", false, why, why_size);
    bool good;

    if (!trace)
        return false;
    c.trace = trace;
    c.wanted = fw_naive_lockset(trace);
    good = default_mode_is_right(&c) && all_pairs_are_right(&c);
    free(c.wanted);
    fw_trace_destroy(trace);
    return good;
}

int main(void)
{
    static const char *const profiles[] = { "locks",      "shared",  "two",    "heap", "deadlocks",
                                            "everything", "atomics", "crowds", NULL };

    return fw_property_run("prop_lockset", profiles, 200000, lockset_is_right);
}
