/*
 * race.c - pairs that may race.
 *
 * Candidates are conflicting accesses of two threads to one variable; `free`
 * conflicts with every access of its block.  A candidate is dropped only if it
 * has no witness:
 *
 *  - a lock that both threads hold at the pair, one of them exclusively: both
 *    cannot be next at once;
 *  - the must-order: if every reordering that holds b holds a before it, then
 *    a has happened wherever b is next, for what comes before b in its thread
 *    demands a.  A load that synchronised is an exception: it demands its
 *    store by itself, but is next without it: the event before is asked.
 *
 * With --pairs=all every pair that is left is handed out.  By default accesses
 * are sorted into lanes (same thread, site, kind and locks), and each pair of
 * lanes gives the few candidates that are nearest to each other, first and last
 * (match.h), gathered by their two sites (gather.h).
 *
 * Source: Cai et al. 2021, section 4 and algorithm 5 (detect races).
 */
#include "predict/by_variable.h"
#include "predict/core.h"

#define CHUNK 256u /* suspects of a unit with --pairs=all */

struct race {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_predict_options options;
    struct fw_match_rules rules;
    struct fw_by_variable by;
    struct fw_lanes lanes;

    /* --pairs=all */
    FW_VEC(struct fw_span) spans; /* all accesses of the present variable */
    struct fw_walk walk;

    /* default */
    uint32_t bin; /* of the pair of lanes that is being matched */
};

static const struct fw_event *event_at(const struct race *race, uint32_t event)
{
    return &race->trace->events[event];
}

static const char *label_of(unsigned a, unsigned b)
{
    if (a == FW_FREE && b == FW_FREE)
        return "double free";
    return a == FW_FREE || b == FW_FREE ? "use after free" : NULL;
}

/* --- the must-order ---------------------------------------------------------------------- */

/* Has `a` happened wherever `b` is next? */
static bool is_before_next(const struct race *race, uint32_t a, uint32_t b)
{
    uint32_t thread = event_at(race, b)->thread, place = race->index->in_thread[b], before;

    if (a > b)
        return false;
    if (!fw_core_synchronised(race->core, b))
        return fw_core_must_precede(race->core, a, b);
    before = place ? fw_event_at(race->core, thread, place - 1) : race->index->fork_of[thread];
    return before != FW_NO_EVENT && fw_core_must_precede(race->core, a, before);
}

static bool is_early(const void *context, struct fw_span point, struct fw_span span)
{
    return is_before_next(context, point.first, span.first);
}

static bool is_late(const void *context, struct fw_span point, struct fw_span span)
{
    return is_before_next(context, span.first, point.first);
}

/* --- lanes ------------------------------------------------------------------------------- */

/* Accesses of two threads, of which one writes or frees? */
static bool may_race(const struct race *race, const uint32_t *row, uint32_t count)
{
    bool two = false, writes = false;

    for (uint32_t i = 0; i < count && !(two && writes); i++) {
        unsigned kind = event_at(race, row[i])->kind;

        two |= event_at(race, row[i])->thread != event_at(race, row[0])->thread;
        writes |= fw_is_write(kind) || kind == FW_FREE;
    }
    return two && writes;
}

static void sort_into_lanes(struct race *race, const uint32_t *row, uint32_t count)
{
    bool all = race->options.pairs_all;

    fw_lanes_clear(&race->lanes);
    fw_vec_clear(&race->spans);
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = event_at(race, row[i]);
        struct fw_span span = { row[i], row[i] };
        struct fw_lane_key key = { .thread = event->thread, .kinds = event->kind };

        if (!fw_is_class(event->kind, FW_CLASS_CONFLICT) || fw_trace_says_again(race->trace, event))
            continue;
        key.locks = race->index->lock_set[row[i]];
        if (!all)
            key.sites[0] = event->site;
        else
            fw_vec_push(&race->spans, span);
        fw_lanes_add(&race->lanes, &key, span);
    }
    fw_lanes_finish(&race->lanes);
}

/* Can it have a race?  Then it is in lanes. */
static bool sort(void *context, const uint32_t *row, uint32_t count)
{
    struct race *race = context;

    if (!may_race(race, row, count))
        return false;
    sort_into_lanes(race, row, count);
    return true;
}

/* --- every pair -------------------------------------------------------------------------- */

static bool conflicts(const void *context, struct fw_span span, const struct fw_lane *lane)
{
    const struct race *race = context;
    const struct fw_event *event = event_at(race, span.first);

    return event->thread != lane->key.thread && fw_kinds_conflict(event->kind, lane->key.kinds) &&
           fw_lock_sets_compatible(race->index, race->index->lock_set[span.first], lane->key.locks);
}

static void start_walk(struct race *race)
{
    race->walk = (struct fw_walk) { .rules = &race->rules,
                                    .spans = race->spans.at,
                                    .span_count = (uint32_t)race->spans.len,
                                    .lanes = &race->lanes,
                                    .fits = conflicts,
                                    .context = race,
                                    .later = true };
}

static void suspect_pair(const struct race *race, struct fw_unit *unit, uint32_t a, uint32_t b)
{
    struct fw_suspect suspect = { .count = 2,
                                  .variable = event_at(race, a)->target,
                                  .claim = FW_CLAIM_RACE,
                                  .label =
                                      label_of(event_at(race, a)->kind, event_at(race, b)->kind) };

    fw_unit_add(unit, &suspect, (uint32_t[]) { a, b });
}

static bool next_of_all(struct race *race, struct fw_unit *unit)
{
    fw_unit_clear(unit);
    while (unit->suspects.len < CHUNK) {
        struct fw_span span;
        uint32_t point;

        if (fw_walk_next(&race->walk, &span, &point)) {
            suspect_pair(race, unit, span.first, point);
            continue;
        }
        unit->refuted += race->walk.refuted;
        race->walk.refuted = 0;
        race->by.work += race->walk.work;
        race->walk.work = 0;
        if (fw_by_variable_is_tired(&race->by))
            return true;
        if (!fw_by_variable_has_more(&race->by))
            return unit->suspects.len || unit->refuted;
        if (fw_by_variable_take(&race->by))
            start_walk(race);
    }
    return true;
}

/* --- by sites ---------------------------------------------------------------------------- */

static void pick(void *context, struct fw_span span, uint32_t point)
{
    struct race *race = context;
    bool in_order = span.first < point;
    uint32_t events[2] = { in_order ? span.first : point, in_order ? point : span.first };

    fw_gather_add(race->by.gather, race->bin, events);
}

static void match_lanes(struct race *race, const struct fw_lane *a, const struct fw_lane *b)
{
    const uint32_t sites[2] = { a->key.sites[0], b->key.sites[0] };
    struct fw_gather_key key = { .claim = FW_CLAIM_RACE,
                                 .label = label_of(a->key.kinds, b->key.kinds),
                                 .width = 2 };
    struct fw_match pair = { .rules = &race->rules,
                             .spans = fw_lane_items(&race->lanes, a),
                             .span_count = a->count,
                             .points = fw_lane_items(&race->lanes, b),
                             .point_count = b->count,
                             .pick = pick,
                             .context = race };

    race->bin = fw_by_variable_bin(&race->by, &key, sites, true);
    fw_by_variable_pair(&race->by, race->bin, &pair, NULL);
}

/* One lane against those before it; the smaller lane is the one that is gone through. */
static bool match(void *context, uint32_t lane)
{
    struct race *race = context;
    const struct fw_lane *a;

    if (lane >= race->lanes.len)
        return false;
    a = &race->lanes.at[lane];
    for (const struct fw_lane *b = race->lanes.at; b < a; b++) {
        if (a->key.thread == b->key.thread || !fw_kinds_conflict(a->key.kinds, b->key.kinds) ||
            !fw_lock_sets_compatible(race->index, a->key.locks, b->key.locks))
            continue;
        if (a->count < b->count)
            match_lanes(race, a, b);
        else
            match_lanes(race, b, a);
    }
    return true;
}

/* --- the predictor ----------------------------------------------------------------------- */

static void *race_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct race *race = fw_xcalloc(1, sizeof *race);

    race->core = core;
    race->index = fw_core_index(core);
    race->trace = race->index->trace;
    race->options = *options;
    race->by = (struct fw_by_variable) { .rows = &race->index->by_variable,
                                         .sort = sort,
                                         .match = match,
                                         .context = race };
    race->rules = (struct fw_match_rules) { race, is_early, is_late, is_early, is_late };
    if (!options->pairs_all)
        fw_by_variable_gather(&race->by, race->trace, options->cap);
    return race;
}

static bool race_next(void *state, struct fw_unit *unit)
{
    struct race *race = state;

    if (race->options.pairs_all)
        return next_of_all(race, unit);
    return fw_by_variable_next(&race->by, unit) || fw_gather_next(race->by.gather, unit, true);
}

static void race_destroy(void *state)
{
    struct race *race = state;

    if (!race)
        return;
    fw_lanes_release(&race->lanes);
    fw_vec_release(&race->spans);
    fw_gather_destroy(race->by.gather);
    free(race);
}

const struct fw_predictor fw_predictor_race = {
    .name = "race",
    .claim = FW_CLAIM_RACE,
    .create = race_create,
    .next = race_next,
    .destroy = race_destroy,
};
