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
 * That run is the finding's witness, which the verifier can be asked about.
 *
 * Of each variable the latest accesses are remembered, one a thread and at most RECENT.
 */
#include "analysis/analysis.h"
#include "base/alloc.h"

#include <stdlib.h>

#define RECENT    4u
#define MAX_CALLS 1000u /* of a thread, since it did something */

struct access {
    uint64_t position;
    uint64_t before; /* events of the trace */
    struct fw_mark mark;
};

struct variable {
    uint32_t count;
    struct access at[RECENT]; /* oldest first */
};

/* Calls and returns of a thread since it did anything else, the first ones. */
struct calls {
    uint64_t count;
    struct call {
        uint64_t position, index;
    } *at;
};

struct overlap {
    struct fw_analysis_setup setup;
    FW_VEC(uint64_t) done; /* by thread: position of its latest event, plus 1 */
    FW_VEC(struct calls) calls;
    FW_VEC(struct variable *) variables;
    struct fw_beginning beginning;
    FW_VEC(struct fw_beginning *) others; /* what other witnesses have behind a beginning */
    uint64_t seen;  /* events */
    uint64_t steps; /* of witnesses so far */
};

static void *overlap_create(const struct fw_analysis_setup *setup)
{
    struct overlap *overlap = fw_xcalloc(1, sizeof *overlap);

    overlap->setup = *setup;
    return overlap;
}

static struct calls *calls_of(struct overlap *overlap, uint32_t thread)
{
    fw_vec_extend(&overlap->calls, thread + (size_t)1);
    return &overlap->calls.at[thread];
}

static void note(struct overlap *overlap, uint32_t thread, const struct fw_place *place)
{
    fw_vec_extend(&overlap->done, thread + (size_t)1);
    overlap->done.at[thread] = fw_place_position(place) + 1;
    calls_of(overlap, thread)->count = 0;
}

static void note_call(struct overlap *overlap, uint32_t thread, const struct fw_place *place)
{
    struct calls *calls = calls_of(overlap, thread);

    if (!calls->at)
        calls->at = fw_xcalloc(MAX_CALLS, sizeof *calls->at);
    if (calls->count < MAX_CALLS)
        calls->at[calls->count] =
            (struct call) { fw_place_position(place), fw_place_index(place) };
    calls->count++;
}

static struct variable *variable_of(struct overlap *overlap, uint32_t id)
{
    fw_vec_extend(&overlap->variables, id + (size_t)1);
    if (!overlap->variables.at[id])
        overlap->variables.at[id] = fw_xcalloc(1, sizeof(struct variable));
    return overlap->variables.at[id];
}

/* The calls and returns of a thread since the event at this position; NULL: there are none. */
static const struct fw_beginning *calls_since(struct overlap *overlap, uint32_t thread,
                                              uint64_t position)
{
    const struct calls *calls = calls_of(overlap, thread);
    struct fw_beginning *since = NULL;

    for (uint64_t i = 0; i < calls->count && i < MAX_CALLS; i++) {
        if (calls->at[i].position < position)
            continue;
        if (!since) {
            since = fw_xcalloc(1, sizeof *since);
            fw_vec_push(&overlap->others, since);
        }
        fw_beginning_put(since, calls->at[i].index);
    }
    return since;
}

static void add(struct overlap *overlap, const struct access *earlier,
                const struct fw_event *event, const struct fw_place *place)
{
    struct fw_mark events[2] = { earlier->mark, fw_place_mark(place) };
    struct fw_occurrence occurrence = { .kind = FW_FINDING_RACE,
                                        .events = events,
                                        .event_count = 2,
                                        .variable = event->target,
                                        .claim = FW_CLAIM_RACE,
                                        .beginning = &overlap->beginning,
                                        .before = earlier->before,
                                        .then = calls_since(overlap, event->thread,
                                                            earlier->position) };

    if (!fw_findings_known(overlap->setup.findings, &occurrence))
        overlap->steps += earlier->before + 2;
    if (overlap->steps > FW_BEGINNING_STEPS || calls_of(overlap, event->thread)->count > MAX_CALLS)
        occurrence.unproven = FW_BEGINNING_TOO_LONG;
    fw_findings_add(overlap->setup.findings, &occurrence);
}

static void report(struct overlap *overlap, const struct access *earlier,
                   const struct fw_event *event, const struct fw_place *place)
{
    const uint32_t sites[2] = { earlier->mark.site, event->site };

    if (!fw_findings_count_race(overlap->setup.findings, sites, fw_place_index(place),
                                event->target))
        add(overlap, earlier, event, place);
}

static void drop(struct variable *variable, uint32_t i)
{
    for (variable->count--; i < variable->count; i++)
        variable->at[i] = variable->at[i + 1];
}

static void remember(const struct overlap *overlap, struct variable *variable,
                     const struct fw_event *event, const struct fw_place *place)
{
    uint32_t i = 0;

    while (i < variable->count && variable->at[i].mark.thread != event->thread)
        i++;
    if (i < variable->count)
        drop(variable, i);
    else if (variable->count == RECENT)
        drop(variable, 0);
    variable->at[variable->count++] =
        (struct access) { fw_place_position(place), overlap->seen, fw_place_mark(place) };
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
            report(overlap, a, event, place);
    }
    remember(overlap, variable, event, place);
}

static void follow(struct overlap *overlap, const struct fw_event *event,
                   const struct fw_place *place)
{
    if (event->kind == FW_CALL || event->kind == FW_RETURN) {
        note_call(overlap, event->thread, place);
        return;
    }
    if (fw_kind_info[event->kind].classes & FW_CLASS_CONFLICT)
        look(overlap, event, place);
    note(overlap, event->thread, place);
    if (event->kind == FW_FORK) /* before it the other one is not there */
        note(overlap, event->target, place);
}

static void overlap_event(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct overlap *overlap = state;

    follow(overlap, event, place);
    fw_beginning_put(&overlap->beginning, fw_place_index(place));
    overlap->seen++;
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
    fw_beginning_release(&overlap->beginning);
    for (size_t i = 0; i < overlap->calls.len; i++)
        free(overlap->calls.at[i].at);
    fw_vec_release(&overlap->calls);
    for (size_t i = 0; i < overlap->others.len; i++) {
        fw_beginning_release(overlap->others.at[i]);
        free(overlap->others.at[i]);
    }
    fw_vec_release(&overlap->others);
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
