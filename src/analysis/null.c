/*
 * null.c - the analysis that finds nothing: it counts events by kind.
 *
 * It is here to be read and copied.  A new analysis in five steps:
 *
 *   1. Copy this file to src/analysis/NAME.c.  Its head comment says what it finds, the source
 *      of the algorithm (paper and section), its invariants, and what the symbols of the paper
 *      are called here.
 *   2. State: one struct, made by create and freed by destroy.  Ids of threads, variables and
 *      locks are dense: use vectors, and fw_vec_extend(&v, id + 1) when an id is new.
 *   3. One short handler for each rule of the paper, named as the paper names it, entered in the
 *      descriptor under each kind of event it is for.
 *   4. finish says what was found, and whether everything was looked at.
 *   5. A row in table.c, its declaration in analysis.h, tests/unit/test_NAME.c, and for every
 *      trace that must be reported a twin that must not.
 *
 * Nothing else: files, formats, options, threads and output are none of its business.
 */
#include "analysis/analysis.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything the analysis knows.  Nothing is static: two instances may run side by side. */
struct null {
    uint64_t counts[FW_KIND_COUNT];
};

/* Called once, before the first event. */
static void *null_create(const struct fw_analysis_setup *setup)
{
    (void)setup; /* others keep it, for the names and for has_branches */
    return fw_xcalloc(1, sizeof(struct null));
}

/* A handler.  This one serves all kinds; most serve one or two. */
static void null_count(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct null *null = state;

    (void)place; /* others ask it for the event's index, to report it */
    null->counts[event->kind]++;
}

/* Called once, behind the last event.  Without findings only the note is left to write. */
static void null_finish(void *state, struct fw_outcome *outcome)
{
    const struct null *null = state;
    size_t used = 0;

    for (int kind = 0; kind < FW_KIND_COUNT && used < sizeof outcome->note; kind++)
        if (null->counts[kind])
            used += (size_t)snprintf(outcome->note + used, sizeof outcome->note - used,
                                     "%s%" PRIu64 " %s", used ? ", " : "", null->counts[kind],
                                     fw_kind_info[kind].std_name);
}

/* Called once, also when reading failed half-way and finish was never called. */
static void null_destroy(void *state)
{
    free(state);
}

const struct fw_analysis fw_analysis_null = {
    .name = "null",
    .summary = "nothing: counts events (the tutorial for new analyses)",
    .guarantee = FW_NO_CLAIM,
    .create = null_create,
    .finish = null_finish,
    .destroy = null_destroy,
/* Every kind has the same handler here; X() turns the list of kinds into rows. */
#define X(name, std, tid, space, classes) [FW_##name] = null_count,
    .on = { FW_EVENT_KINDS(X) },
#undef X
};
