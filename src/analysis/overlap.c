/*
 * overlap.c - races in the act: accesses that stood next to each other in the run itself.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 3.1, read off a trace.  In the traces of `foreweave atomrace` the two
 * accesses of a hit stand side by side (src/atomrace/hits.h); other traces show some as well.
 *
 * The rule: an access b races with an earlier conflicting access a of another thread if b's thread
 * has done nothing since before a (calls and returns aside).  Then everything up to a, without a,
 * is a run of the program after which both are next: no prediction, and nothing but the order of
 * the trace is used, so it does not matter which synchronisation was seen.
 *
 * Of each variable the latest accesses are remembered, one a thread and at most RECENT.
 */
#include "analysis/analysis.h"
#include "base/alloc.h"

#include <stdlib.h>

#define RECENT 4u

struct access {
    uint64_t position;
    struct fw_mark mark;
};

struct variable {
    uint32_t count;
    struct access at[RECENT]; /* oldest first */
};

struct overlap {
    struct fw_analysis_setup setup;
    FW_VEC(uint64_t) done; /* by thread: position of its latest event, plus 1 */
    FW_VEC(struct variable *) variables;
};

static void *overlap_create(const struct fw_analysis_setup *setup)
{
    struct overlap *overlap = fw_xcalloc(1, sizeof *overlap);

    overlap->setup = *setup;
    return overlap;
}

static void note(struct overlap *overlap, uint32_t thread, const struct fw_place *place)
{
    fw_vec_extend(&overlap->done, thread + (size_t)1);
    overlap->done.at[thread] = fw_place_position(place) + 1;
}

static struct variable *variable_of(struct overlap *overlap, uint32_t id)
{
    fw_vec_extend(&overlap->variables, id + (size_t)1);
    if (!overlap->variables.at[id])
        overlap->variables.at[id] = fw_xcalloc(1, sizeof(struct variable));
    return overlap->variables.at[id];
}

static void report(struct overlap *overlap, const struct fw_mark *earlier,
                   const struct fw_event *event, const struct fw_place *place)
{
    const uint32_t sites[2] = { earlier->site, event->site };
    struct fw_mark events[2] = { *earlier, fw_place_mark(place) };

    if (!fw_findings_count_race(overlap->setup.findings, sites, fw_place_index(place),
                                event->target))
        fw_findings_add(overlap->setup.findings,
                        &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
                                                  .events = events,
                                                  .event_count = 2,
                                                  .variable = event->target });
}

static void drop(struct variable *variable, uint32_t i)
{
    for (variable->count--; i < variable->count; i++)
        variable->at[i] = variable->at[i + 1];
}

static void remember(struct variable *variable, const struct fw_event *event,
                     const struct fw_place *place)
{
    uint32_t i = 0;

    while (i < variable->count && variable->at[i].mark.thread != event->thread)
        i++;
    if (i < variable->count)
        drop(variable, i);
    else if (variable->count == RECENT)
        drop(variable, 0);
    variable->at[variable->count++] =
        (struct access) { fw_place_position(place), fw_place_mark(place) };
}

static void look(struct overlap *overlap, const struct fw_event *event,
                 const struct fw_place *place)
{
    struct variable *variable = variable_of(overlap, event->target);

    fw_vec_extend(&overlap->done, event->thread + (size_t)1);
    for (uint32_t i = 0; i < variable->count; i++) {
        const struct access *a = &variable->at[i];

        if (a->mark.thread != event->thread && a->position >= overlap->done.at[event->thread] &&
            fw_kinds_conflict(a->mark.kind, event->kind))
            report(overlap, &a->mark, event, place);
    }
    remember(variable, event, place);
}

static void overlap_event(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct overlap *overlap = state;

    if (event->kind == FW_CALL || event->kind == FW_RETURN)
        return;
    if (fw_kind_info[event->kind].classes & FW_CLASS_CONFLICT)
        look(overlap, event, place);
    note(overlap, event->thread, place);
    if (event->kind == FW_FORK) /* before it the other one is not there */
        note(overlap, event->target, place);
}

static void overlap_finish(void *state, struct fw_outcome *outcome)
{
    (void)state;
    (void)outcome;
}

static void overlap_destroy(void *state)
{
    struct overlap *overlap = state;

    for (size_t i = 0; i < overlap->variables.len; i++)
        free(overlap->variables.at[i]);
    fw_vec_release(&overlap->variables);
    fw_vec_release(&overlap->done);
    free(overlap);
}

const struct fw_analysis fw_analysis_overlap = {
    .name = "overlap",
    .summary = "races that the run itself shows: both accesses were next at one moment",
    .guarantee = FW_OBSERVED,
    .observed = true,
    .adjacent = true,
    .claim = "Certain: at one moment both accesses were next, in two threads",
    .create = overlap_create,
    .finish = overlap_finish,
    .destroy = overlap_destroy,
#define X(name, std, tid, space, classes) [FW_##name] = overlap_event,
    .on = { FW_EVENT_KINDS(X) },
#undef X
};
