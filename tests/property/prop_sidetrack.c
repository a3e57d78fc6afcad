/*
 * prop_sidetrack.c - sidetrack reports what its rules and its definition say.
 *
 * On every random trace, with blocks and with functions as blocks: what the
 * streaming analysis reports with --pairs=all is what the published rules with
 * whole clocks report, and what the definition of concurrent operations gives;
 * the default mode counts just as many; and an IN-error is among the windows
 * that have a culprit in them.
 */
#include "support/expect.h"
#include "support/naive_sidetrack.h"
#include "support/property.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t reports, observed_count, unreported;

static const char *const names[] = { "before", "in", "after" };

static enum fw_sidetrack_error error_of(const char *label)
{
    return label[0] == 'b'   ? FW_SIDETRACK_BEFORE
           : label[0] == 'i' ? FW_SIDETRACK_IN
                             : FW_SIDETRACK_AFTER;
}

/* Batches of different sizes must not matter. */
static struct fw_engine *run(const struct fw_trace *trace, bool pairs_all, bool functions)
{
    struct fw_analysis_setup setup = { .pairs_all = pairs_all, .atomic_functions = functions };

    return fw_run_analysis(trace, &fw_analysis_sidetrack, &setup, pairs_all ? 0 : 3);
}

static struct fw_sidetrack_reports streamed(const struct fw_trace *trace, bool functions)
{
    struct fw_engine *engine = run(trace, true, functions);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    struct fw_sidetrack_reports list = { 0 };

    for (uint64_t i = 0; i < fw_findings_count(findings); i++) {
        const struct fw_finding *finding = fw_findings_get(findings, i);

        fw_vec_push(&list, ((struct fw_sidetrack_report) {
                               error_of(finding->label),
                               fw_trace_position(trace, finding->events.at[0].index, 0),
                               fw_trace_position(trace, finding->events.at[1].index, 0),
                               fw_trace_position(trace, finding->events.at[2].index, 0),
                           }));
    }
    fw_engine_destroy(engine);
    return list;
}

static uint64_t default_count(const struct fw_trace *trace, bool functions)
{
    struct fw_engine *engine = run(trace, false, functions);
    const struct fw_findings *findings = fw_engine_findings(engine, 0);
    uint64_t count = 0;

    for (uint64_t i = 0; i < fw_findings_count(findings); i++)
        count += fw_findings_get(findings, i)->count;
    fw_engine_destroy(engine);
    return count;
}

static size_t print(const struct fw_sidetrack_reports *list, char *to, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < list->len && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, " %s(%u,%u,%u)", names[list->at[i].error],
                                 list->at[i].first, list->at[i].second, list->at[i].culprit);
    return used;
}

static bool same(const char *what, const struct fw_sidetrack_reports *a,
                 const struct fw_sidetrack_reports *b, char *why, size_t why_size)
{
    char one[400] = "", two[400] = "";

    print(a, one, sizeof one);
    print(b, two, sizeof two);
    if (a->len == b->len && strcmp(one, two) == 0)
        return true;
    snprintf(why, why_size, "%s:%s, but streamed:%s", what, one, two);
    return false;
}

static bool contains(const struct fw_sidetrack_reports *list, const struct fw_sidetrack_report *r)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].error == r->error && list->at[i].first == r->first &&
            list->at[i].second == r->second)
            return true;
    return false;
}

/* Every IN-error is in the window; counts those in the window that are no IN-error. */
static bool in_errors_are_observed(const struct fw_sidetrack_reports *list,
                                   const struct fw_sidetrack_reports *observed)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].error == FW_SIDETRACK_IN && !contains(observed, &list->at[i]))
            return false;
    observed_count += observed->len;
    for (size_t i = 0; i < observed->len; i++)
        unreported += !contains(list, &observed->at[i]);
    return true;
}

static bool compare(const struct fw_index *index, bool functions, char *why, size_t size)
{
    struct fw_sidetrack_reports list = streamed(index->trace, functions);
    struct fw_sidetrack_reports rules = fw_naive_sidetrack_rules(index, functions);
    struct fw_sidetrack_reports definition = fw_naive_sidetrack_definition(index, functions);
    struct fw_sidetrack_reports observed = fw_naive_sidetrack_observed(index, functions);
    size_t count = list.len;
    bool good;

    fw_sidetrack_reports_sort(&list);
    snprintf(why, size, "reported twice, counted differently, or no culprit in the window");
    good = count == list.len && default_count(index->trace, functions) == count &&
           in_errors_are_observed(&list, &observed) && same("rules", &rules, &list, why, size) &&
           same("definition", &definition, &list, why, size);
    reports += count;
    fw_vec_release(&list);
    fw_vec_release(&rules);
    fw_vec_release(&definition);
    fw_vec_release(&observed);
    return good;
}

static bool holds(const struct fw_sample *sample, char *why, size_t why_size)
{
    return fw_blocks_hold(sample, compare, why, why_size);
}

int main(void)
{
    static const char *const profiles[] = { "blocks", "everything", "windows", "crowds", NULL };
    int status = fw_property_run("prop_sidetrack", profiles, 100000, holds);

    printf("prop_sidetrack: %" PRIu64 " reports; %" PRIu64 " of %" PRIu64
           " windows with a culprit in them are no IN-error\n",
           reports, unreported, observed_count);
    return status;
}
