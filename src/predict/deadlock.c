/*
 * deadlock.c - sets of acquires that may wait for each other.
 *
 * What a thread holds when it is next at an acquire is a fact of its own
 * program order.  So who would wait for whom is known before any reordering is
 * looked for, and candidates are cycles of waiting (cycles.h).  Only blocking
 * acquires without time limit wait; readers do not keep readers waiting.  A
 * candidate is dropped only if it has no witness, or is not minimal:
 *
 *  - two of its threads hold one lock in conflicting modes (a gate lock);
 *  - one of its acquires must precede another: then it has happened where the
 *    other one is next (an acquire demands nothing but what comes before it);
 *  - a part of it is a deadlock by itself.
 *
 * A request at the end of its thread is an acquire that was never got.  If a
 * cycle is made of such ones, the trace itself ends in it.  A thread that waits
 * for a lock which it holds (relock) is a deadlock alone.
 *
 * With --pairs=all every set of acquires that is left is handed out, events in
 * the order of the trace.  By default cycles come by length, the shortest first,
 * and each gives a few candidates, the nearest ones, gathered by the sites along
 * the cycle; they begin at the site that comes first by name, so that one
 * deadlock has one name.  The search for cycles is bounded (STEPS for each
 * length); a unit says so if it was cut.
 *
 * Source: Cai et al. 2021, algorithm 5 (detect deadlocks), for two threads; any
 * number here.  The source asks for two orders, one for each thread that may
 * come last; the claim used here ("all are next at their acquires") needs none.
 */
#include "predict/core.h"
#include "predict/cycles.h"
#include "predict/gather.h"
#include "predict/match.h"

#define CHUNK   256u              /* suspects of a unit with --pairs=all */
#define STEPS   UINT64_C(4000000) /* of the search for cycles of one length, by default */
#define SLICE   UINT64_C(65536)   /* of those after which we return to the caller */
#define CYCLES  64u               /* the same for cycles found */
#define SAMPLES 32u               /* acquires of the first lane that are tried by default */
#define TRIES   UINT64_C(100000)  /* acquires that are looked at for one cycle, by default */

/* Where the present set stands in one lane of the cycle. */
struct level {
    uint32_t at, to; /* the next acquire to try, and the end of the open ones */
    uint32_t event;  /* the present one */
};

struct deadlock {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_predict_options options;
    struct fw_match_rules rules;
    struct fw_lanes lanes;
    struct fw_cycles *cycles;

    FW_VEC(uint32_t) cycle;      /* lanes of the present cycle */
    FW_VEC(struct level) levels; /* as many as acquires are chosen, and one more */
    FW_VEC(uint32_t) events;     /* scratch */
    struct fw_gather *gather;    /* default */
    uint32_t length;             /* of the cycles that are being gathered */
    uint64_t steps;              /* left for this length */
    bool gathered;
    uint32_t relock; /* events before it have been looked through for relocks */
};

static const struct fw_event *event_at(const struct deadlock *deadlock, uint32_t event)
{
    return &deadlock->trace->events[event];
}

/* A request counts if nothing of its thread follows: else the acquire behind it does. */
static bool is_waiting(const struct deadlock *deadlock, uint32_t event)
{
    const struct fw_rows *rows = &deadlock->index->by_thread;
    const struct fw_event *at = event_at(deadlock, event);

    if (!fw_is_class(at->kind, FW_CLASS_BLOCKING) || at->kind == FW_RELOCK)
        return false;
    return !fw_is_class(at->kind, FW_CLASS_REQUEST) ||
           deadlock->index->in_thread[event] + 1 == fw_row_count(rows, at->thread);
}

/* --- the must-order ---------------------------------------------------------------------- */

static bool is_early(const void *context, struct fw_span point, struct fw_span span)
{
    const struct deadlock *deadlock = context;

    return point.first < span.first &&
           fw_core_must_precede(deadlock->core, point.first, span.first);
}

static bool is_late(const void *context, struct fw_span point, struct fw_span span)
{
    return is_early(context, span, point);
}

/* Is all of one lane before all of the other? */
static bool are_apart(void *context, const struct fw_lane *a, const struct fw_lane *b)
{
    struct deadlock *deadlock = context;
    const struct fw_span *x = fw_lane_items(&deadlock->lanes, a);
    const struct fw_span *y = fw_lane_items(&deadlock->lanes, b);

    return is_early(deadlock, x[a->count - 1], y[0]) || is_early(deadlock, y[b->count - 1], x[0]);
}

/* --- sets of a cycle --------------------------------------------------------------------- */

static const struct fw_lane *lane_at(const struct deadlock *deadlock, size_t level)
{
    return &deadlock->lanes.at[deadlock->cycle.at[level]];
}

/* The acquires of the next lane that are open against the first one of the set. */
static void push_level(struct deadlock *deadlock)
{
    const struct fw_lane *lane = lane_at(deadlock, deadlock->levels.len);
    struct level level = { lane->start, lane->start + lane->count, FW_NO_EVENT };

    if (deadlock->levels.len) {
        uint32_t first = deadlock->levels.at[0].event;
        struct fw_opening window =
            fw_opening_find(&deadlock->rules, fw_lane_items(&deadlock->lanes, lane), lane->count,
                           (struct fw_span) { first, first });

        level.at = lane->start + window.from;
        level.to = lane->start + window.to;
    }
    fw_vec_push(&deadlock->levels, level);
}

/* Is the acquire open against all that are chosen, but the first and itself? */
static bool is_open(const struct deadlock *deadlock, uint32_t event)
{
    struct fw_span span = { event, event };

    for (size_t i = 1; i + 1 < deadlock->levels.len; i++) {
        uint32_t other = deadlock->levels.at[i].event;

        if (is_early(deadlock, span, (struct fw_span) { other, other }) ||
            is_late(deadlock, span, (struct fw_span) { other, other }))
            return false;
    }
    return true;
}

static void start_sets(struct deadlock *deadlock, const uint32_t *lanes, uint32_t count)
{
    fw_vec_clear(&deadlock->cycle);
    fw_vec_clear(&deadlock->levels);
    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&deadlock->cycle, lanes[i]);
    push_level(deadlock);
}

/* The next set of acquires of the present cycle, in `levels`; false: no more, or *tries spent. */
static bool next_set(struct deadlock *deadlock, uint64_t *tries)
{
    while (deadlock->levels.len && !(tries && *tries == 0)) {
        struct level *level = &fw_vec_last(&deadlock->levels);

        if (level->at == level->to) {
            deadlock->levels.len--;
            continue;
        }
        level->event = deadlock->lanes.items[level->at++].first;
        if (tries)
            --*tries;
        if (!is_open(deadlock, level->event))
            continue;
        if (deadlock->levels.len == deadlock->cycle.len)
            return true;
        push_level(deadlock);
    }
    return false;
}

static const char happened[] = "in this run";

/* What the present cycle is called: the trace ends in it if all its threads wait at their ends. */
static const char *label_of(const struct deadlock *deadlock)
{
    for (size_t i = 0; i < deadlock->cycle.len; i++)
        if (!lane_at(deadlock, i)->key.kinds)
            return NULL;
    return happened;
}

/* --- every set --------------------------------------------------------------------------- */

static int by_position(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static bool next_of_all(struct deadlock *deadlock, struct fw_unit *unit)
{
    uint64_t tries = TRIES, steps = SLICE;

    fw_unit_clear(unit);
    while (unit->suspects.len < CHUNK && tries && steps) {
        struct fw_suspect suspect = { .variable = FW_NO_EVENT, .claim = FW_CLAIM_DEADLOCK };
        const uint32_t *lanes;
        uint32_t count;

        if (!next_set(deadlock, &tries)) {
            if (!tries)
                break;
            if (fw_cycles_next(deadlock->cycles, &lanes, &count, &steps))
                start_sets(deadlock, lanes, count);
            else if (steps)
                return unit->suspects.len > 0;
            continue;
        }
        fw_vec_clear(&deadlock->events);
        for (size_t i = 0; i < deadlock->levels.len; i++)
            fw_vec_push(&deadlock->events, deadlock->levels.at[i].event);
        qsort(deadlock->events.at, deadlock->events.len, sizeof *deadlock->events.at, by_position);
        suspect.count = (uint32_t)deadlock->events.len;
        suspect.label = label_of(deadlock);
        fw_unit_add(unit, &suspect, deadlock->events.at);
    }
    return true;
}

/* --- by sites ---------------------------------------------------------------------------- */

/* What a lane is called: its site, then its lock. */
static int compare_lanes(const struct deadlock *deadlock, uint32_t a, uint32_t b)
{
    const struct fw_symbols *symbols = deadlock->trace->symbols;
    const struct fw_lane_key *x = &deadlock->lanes.at[a].key, *y = &deadlock->lanes.at[b].key;
    int order = strcmp(fw_symbols_name(symbols, FW_SPACE_SITE, x->sites[0]),
                       fw_symbols_name(symbols, FW_SPACE_SITE, y->sites[0]));

    return order ? order
                 : strcmp(fw_symbols_name(symbols, FW_SPACE_LOCK, x->sites[1] / 2),
                          fw_symbols_name(symbols, FW_SPACE_LOCK, y->sites[1] / 2));
}

/* Where to begin a cycle so that it is first by its names. */
static uint32_t first_by_name(const struct deadlock *deadlock, const uint32_t *lanes,
                              uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t turn = 1; turn < count; turn++)
        for (uint32_t i = 0; i < count; i++) {
            int order =
                compare_lanes(deadlock, lanes[(turn + i) % count], lanes[(best + i) % count]);

            if (order < 0)
                best = turn;
            if (order != 0)
                break;
        }
    return best;
}

/* The unit of a cycle that begins where it should. */
static uint32_t bin_of(struct deadlock *deadlock)
{
    struct fw_gather_key key = { .claim = FW_CLAIM_DEADLOCK,
                                 .label = label_of(deadlock),
                                 .width = (uint32_t)deadlock->cycle.len };
    bool bare = false;

    fw_vec_clear(&deadlock->events);
    for (size_t i = 0; i < deadlock->cycle.len; i++) {
        fw_vec_push(&deadlock->events, lane_at(deadlock, i)->key.sites[0]);
        bare |= lane_at(deadlock, i)->key.sites[0] == 0;
    }
    for (size_t i = 0; bare && i < deadlock->cycle.len; i++)
        fw_vec_push(&deadlock->events, lane_at(deadlock, i)->key.sites[1] / 2);
    key.parts = deadlock->events.at;
    key.part_count = (uint32_t)deadlock->events.len;
    return fw_gather_bin(deadlock->gather, &key);
}

static void add_set(struct deadlock *deadlock, uint32_t bin)
{
    fw_vec_clear(&deadlock->events);
    for (size_t i = 0; i < deadlock->levels.len; i++)
        fw_vec_push(&deadlock->events, deadlock->levels.at[i].event);
    fw_gather_add(deadlock->gather, bin, deadlock->events.at);
}

/* How many sets of acquires there are, ordered ones among them. */
static uint64_t count_sets(const struct deadlock *deadlock)
{
    uint64_t count = 1;

    for (size_t i = 0; i < deadlock->cycle.len; i++) {
        uint32_t more = lane_at(deadlock, i)->count;

        count = count > UINT64_MAX / more ? UINT64_MAX : count * more;
    }
    return count;
}

/* The acquire of the lane nearest to the event that is open against all chosen ones. */
static uint32_t nearest(struct deadlock *deadlock, const struct fw_lane *lane, uint32_t event)
{
    const struct fw_span *items = fw_lane_items(&deadlock->lanes, lane);
    struct fw_opening window =
        fw_opening_find(&deadlock->rules, items, lane->count, (struct fw_span) { event, event });
    uint32_t left = window.near < window.to ? window.near : window.to, right = left;

    for (uint32_t tries = 0; tries < SAMPLES && (left > window.from || right < window.to);
         tries++) {
        bool back = right == window.to || (left > window.from && event - items[left - 1].first <
                                                                     items[right].first - event);
        uint32_t found = back ? items[--left].first : items[right++].first;

        if (is_open(deadlock, found))
            return found;
    }
    return FW_NO_EVENT;
}

/* The set around one acquire of the first lane, if there is one near. */
static bool find_near(struct deadlock *deadlock, uint32_t event)
{
    fw_vec_clear(&deadlock->levels);
    fw_vec_push(&deadlock->levels, ((struct level) { 0, 0, event }));
    while (deadlock->levels.len < deadlock->cycle.len) {
        const struct fw_lane *lane = lane_at(deadlock, deadlock->levels.len);
        struct level level = { 0, 0, FW_NO_EVENT };

        fw_vec_push(&deadlock->levels, level);
        fw_vec_last(&deadlock->levels).event = nearest(deadlock, lane, event);
        if (fw_vec_last(&deadlock->levels).event == FW_NO_EVENT)
            return false;
    }
    return true;
}

/* Sets around acquires of the first lane in equal steps; how many were found. */
static uint64_t sample_sets(struct deadlock *deadlock, uint32_t bin)
{
    const struct fw_lane *first = lane_at(deadlock, 0);
    uint32_t samples = first->count < SAMPLES ? first->count : SAMPLES;
    uint64_t found = 0;

    for (uint32_t i = 0; i < samples; i++) {
        uint32_t at =
            (uint32_t)((uint64_t)(first->count - 1) * i / (samples > 1 ? samples - 1 : 1));

        if (!find_near(deadlock, fw_lane_items(&deadlock->lanes, first)[at].first))
            continue;
        add_set(deadlock, bin);
        found++;
    }
    return found;
}

/* All sets of a cycle if they are few, else some. */
static void gather_cycle(struct deadlock *deadlock, const uint32_t *lanes, uint32_t count)
{
    uint32_t cap = deadlock->options.cap ? deadlock->options.cap : FW_PREDICT_CAP;
    uint32_t turn = first_by_name(deadlock, lanes, count), bin;
    uint64_t all, found = 0, tries = TRIES;

    fw_vec_clear(&deadlock->cycle);
    for (uint32_t i = 0; i < count; i++)
        fw_vec_push(&deadlock->cycle, lanes[(turn + i) % count]);
    bin = bin_of(deadlock);
    all = count_sets(deadlock);
    if (bin == FW_GATHER_NONE) {
        fw_gather_skip(deadlock->gather, all);
        return;
    }
    if (all > cap)
        found = sample_sets(deadlock, bin);
    if (found) {
        fw_gather_count(deadlock->gather, bin, all, all);
        return;
    }
    fw_vec_clear(&deadlock->levels);
    push_level(deadlock);
    while (found < cap && next_set(deadlock, &tries)) {
        add_set(deadlock, bin);
        found++;
    }
    fw_gather_count(deadlock->gather, bin, all, found < cap && tries ? found : all);
}

/* Cycles of one length are done: longer ones, if there can be any. */
static void next_length(struct deadlock *deadlock)
{
    bool cut = deadlock->steps == 0;
    uint32_t longer = cut ? 0 : fw_cycles_next_length(deadlock->cycles);

    if (longer) {
        deadlock->steps = STEPS;
        deadlock->length = longer;
        fw_cycles_start(deadlock->cycles, longer);
        return;
    }
    fw_gather_close(deadlock->gather, FW_NO_EVENT);
    deadlock->gathered = true;
}

/* Gathers some cycles, and returns before long. */
static void gather_some(struct deadlock *deadlock)
{
    uint64_t slice = deadlock->steps < SLICE ? deadlock->steps : SLICE, left = slice;
    const uint32_t *lanes;
    uint32_t count, found = 0;

    while (found < CYCLES && fw_cycles_next(deadlock->cycles, &lanes, &count, &left)) {
        gather_cycle(deadlock, lanes, count);
        found++;
    }
    deadlock->steps -= slice - left;
    if (deadlock->steps == 0 || (left > 0 && found < CYCLES))
        next_length(deadlock);
}

/* A unit without suspects while cycles are still being gathered. */
static bool next_by_site(struct deadlock *deadlock, struct fw_unit *unit)
{
    fw_unit_clear(unit);
    if (!deadlock->gathered) {
        gather_some(deadlock);
        unit->cut = deadlock->gathered && deadlock->steps == 0;
        if (unit->cut)
            return true;
    }
    return !deadlock->gathered || fw_gather_next(deadlock->gather, unit, true);
}

/* --- the predictor ----------------------------------------------------------------------- */

static void sort_into_lanes(struct deadlock *deadlock)
{
    for (uint32_t i = 0; i < deadlock->trace->count; i++) {
        const struct fw_event *event = event_at(deadlock, i);
        struct fw_lane_key key = { .thread = event->thread };

        if (!is_waiting(deadlock, i) || deadlock->index->lock_set[i] == 0)
            continue;
        key.locks = deadlock->index->lock_set[i];
        key.sites[0] = deadlock->options.pairs_all ? 0 : event->site;
        key.sites[1] = event->target * 2 + fw_is_class(event->kind, FW_CLASS_SHARED);
        key.kinds = fw_is_class(event->kind, FW_CLASS_REQUEST);
        fw_lanes_add(&deadlock->lanes, &key, (struct fw_span) { i, i });
    }
    fw_lanes_finish(&deadlock->lanes);
}

static void *deadlock_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct deadlock *deadlock = fw_xcalloc(1, sizeof *deadlock);

    deadlock->core = core;
    deadlock->index = fw_core_index(core);
    deadlock->trace = deadlock->index->trace;
    deadlock->options = *options;
    deadlock->rules = (struct fw_match_rules) { deadlock, is_early, is_late, is_early, is_late };
    sort_into_lanes(deadlock);
    deadlock->cycles = fw_cycles_create(deadlock->index, &deadlock->lanes, are_apart, deadlock);
    if (!options->pairs_all) {
        deadlock->gather = fw_gather_create(deadlock->trace, options->cap);
        deadlock->length = 2;
        deadlock->steps = STEPS;
    }
    fw_cycles_start(deadlock->cycles, deadlock->length);
    return deadlock;
}

/* A thread that waits for itself; false: there is no other one. */
static bool next_relock(struct deadlock *deadlock, struct fw_unit *unit)
{
    struct fw_suspect suspect = { .count = 1,
                                  .variable = FW_NO_EVENT,
                                  .claim = FW_CLAIM_DEADLOCK,
                                  .label = "lock taken twice" };

    while (deadlock->relock < deadlock->trace->count) {
        uint32_t event = deadlock->relock++;

        if (event_at(deadlock, event)->kind != FW_RELOCK)
            continue;
        fw_unit_clear(unit);
        fw_unit_add(unit, &suspect, &event);
        return true;
    }
    return false;
}

static bool deadlock_next(void *state, struct fw_unit *unit)
{
    struct deadlock *deadlock = state;

    if (next_relock(deadlock, unit))
        return true;
    return deadlock->options.pairs_all ? next_of_all(deadlock, unit) : next_by_site(deadlock, unit);
}

static void deadlock_destroy(void *state)
{
    struct deadlock *deadlock = state;

    if (!deadlock)
        return;
    fw_cycles_destroy(deadlock->cycles);
    fw_lanes_release(&deadlock->lanes);
    fw_vec_release(&deadlock->cycle);
    fw_vec_release(&deadlock->levels);
    fw_vec_release(&deadlock->events);
    fw_gather_destroy(deadlock->gather);
    free(deadlock);
}

const struct fw_predictor fw_predictor_deadlock = {
    .name = "deadlock",
    .claim = FW_CLAIM_DEADLOCK,
    .create = deadlock_create,
    .next = deadlock_next,
    .destroy = deadlock_destroy,
};
