/*
 * analysis.h - one event stream, many analyses.
 *
 * An analysis is one const descriptor in a file of its own and one row in table.c:
 *
 *     const struct fw_analysis fw_analysis_lockset = {
 *         .name = "lockset", .summary = "accesses that no lock protects consistently",
 *         .guarantee = FW_HEURISTIC,
 *         .create = lockset_create, .finish = lockset_finish, .destroy = lockset_destroy,
 *         .on = { [FW_ACQUIRE] = lockset_acquire, [FW_RELEASE] = lockset_release,
 *                 [FW_READ] = lockset_access, [FW_WRITE] = lockset_access },
 *     };
 *
 * The engine (engine.h) calls the handler of each event's kind, in the order of the trace, and
 * finish at its end; kinds without a handler cost nothing.  An analysis cannot see, stop or alter
 * another one, nor the program's output: what it has to say goes into its findings and its
 * outcome.  null.c is the example to copy.
 *
 * A predictive analysis needs the whole trace instead: it names its predictor and has no handlers
 * and no state.  forecast.h does the rest.
 *
 * What the stream promises: events are well-formed (a release is by the holder, a thread runs
 * only after its fork ...), re-entrant inner lock operations are gone, thread, variable, lock
 * and site ids are dense.  New ids may appear at any event: tables grow on demand.
 */
#ifndef FW_ANALYSIS_ANALYSIS_H
#define FW_ANALYSIS_ANALYSIS_H

#include "analysis/context.h"
#include "analysis/findings.h"
#include "predict/predict.h"
#include "trace/batch.h"
#include "trace/symbols.h"

#include <stddef.h>

/* How far a finding can be trusted. */
enum fw_guarantee {
    FW_SOUND,     /* every finding is real, and carries a witness */
    FW_FIRST,     /* the first finding is real */
    FW_OBSERVED,  /* exact for the trace itself */
    FW_HEURISTIC, /* a finding may be a false alarm */
    FW_NO_CLAIM,  /* reports nothing */
    FW_GUARANTEE_COUNT,
};

extern const char *const fw_guarantee_names[FW_GUARANTEE_COUNT];

/* What an analysis is told when it is created; all of it outlives the analysis. */
struct fw_analysis_setup {
    const struct fw_symbols *symbols; /* grows while the trace is read */
    bool has_branches;                /* false: read the trace as if a branch followed every read */
    struct fw_findings *findings;     /* this analysis's sink */
    const struct fw_contexts *contexts; /* for looking into stacks and lock sets */
    const struct fw_id_ranges *expected; /* complete when the trace is read; NULL: none */
    bool pairs_all;        /* every pair of the relation, at any cost */
    bool cp_relation;      /* cp: reported pairs stay unordered */
    bool atomic_functions; /* sidetrack, velodrome: every function is an atomic block */
};

/* What it leaves. */
struct fw_outcome {
    uint64_t findings; /* filled in by the engine, from the sink */
    uint64_t expected; /* the same: those left out because they are expected */
    bool complete;  /* nothing was skipped: no budget ran out, nothing was dropped */
    char why[256];  /* if not complete */
    char note[512]; /* one line for people, or empty */
    bool spent;     /* not complete because a budget was spent: time, memory, steps */
    bool predicted; /* by a predictive analysis, which counted: */
    struct fw_predict_counts counts;
};

/* Where the event at hand stands; good during the call of the handler. */
struct fw_place {
    const struct fw_batch *batch;
    const struct fw_context *contexts; /* of the batch's events */
    uint32_t i;                        /* in the batch */
};

static inline uint64_t fw_place_position(const struct fw_place *place)
{
    return place->batch->first + place->i;
}

/* The index is what users see; see batch.h. */
static inline uint64_t fw_place_index(const struct fw_place *place)
{
    return fw_batch_index(place->batch, place->i);
}

static inline const struct fw_attr *fw_place_attr(const struct fw_place *place)
{
    return &place->batch->attrs[place->batch->events[place->i].attr];
}

/* The event as a finding will need it. */
static inline struct fw_mark fw_place_mark(const struct fw_place *place)
{
    const struct fw_event *event = &place->batch->events[place->i];

    return (struct fw_mark) {
        .index = fw_place_index(place),
        .thread = event->thread,
        .kind = event->kind,
        .target = event->target,
        .site = event->site,
        .size = fw_place_attr(place)->size,
        .context = place->contexts[place->i],
    };
}

typedef void fw_handler(void *state, const struct fw_event *event, const struct fw_place *place);

struct fw_analysis {
    const char *name;
    const char *summary; /* what it finds: lower case, no full stop */
    enum fw_guarantee guarantee;
    bool by_default; /* runs when no analysis is named */
    bool observed;   /* its findings happened in the trace itself; else they are predicted */
    bool adjacent;   /* it reports what stands side by side: a part of the run is enough for it, but
                        nothing may be left out there */
    const char *claim;       /* what a finding means, in one sentence without full stop ... */
    const char *first_claim; /* ... and the first one; NULL: as the guarantee says */
    void *(*create)(const struct fw_analysis_setup *setup);
    void (*finish)(void *state, struct fw_outcome *outcome); /* *outcome: complete, no findings */
    void (*destroy)(void *state);
    fw_handler *on[FW_KIND_COUNT];
    const struct fw_predictor *predictor; /* or NULL; then create, finish, destroy and on are not */
};

/* All analyses, in the order of `foreweave list`; ends with NULL. */
extern const struct fw_analysis *const fw_analyses[];

extern const struct fw_analysis fw_analysis_race;
extern const struct fw_analysis fw_analysis_deadlock;
extern const struct fw_analysis fw_analysis_atomicity;
extern const struct fw_analysis fw_analysis_nondet;
extern const struct fw_analysis fw_analysis_iroot;
extern const struct fw_analysis fw_analysis_order; /* a question, see check --order; not listed */
extern const struct fw_analysis fw_analysis_hb;
extern const struct fw_analysis fw_analysis_lockset;
extern const struct fw_analysis fw_analysis_mb;
extern const struct fw_analysis fw_analysis_overlap;
extern const struct fw_analysis fw_analysis_between;
extern const struct fw_analysis fw_analysis_null;
extern const struct fw_analysis fw_analysis_cp;
extern const struct fw_analysis fw_analysis_sidetrack;
extern const struct fw_analysis fw_analysis_velodrome;

/* The analysis of this name or NULL. */
const struct fw_analysis *fw_analysis_find(const char *name);

#endif
