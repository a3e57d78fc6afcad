/*
 * atomicity.c - accesses that may come between two that belong together.
 *
 * Candidates are triples a1, b, a2: two consecutive accesses of one thread to
 * one variable, meant to be atomic (scopes.h), and an access of another thread
 * that makes the three unserialisable (r-w-r, w-w-r, w-r-w, r-w-w; a
 * read-modify-write in either role).  A candidate is dropped only if it has no
 * witness:
 *
 *  - a lock that the thread holds from a1 to a2 and the other one at b, one of
 *    them exclusively: b cannot come between;
 *  - b must precede a1, or a2 must precede b;
 *  - a1 and b (or b and a2) hold a lock in conflicting modes, so that one
 *    section ends before the other begins, but its end demands that beginning.
 *
 * On request (options) also w-w-r with the read in a third thread: the source's
 * sequence w2, w1, r, where r saw w2 in the trace and w1 is a write of neither
 * thread.  That is an order, by its claim.  (Patterns over two variables are in
 * two_variables.c.)
 *
 * With --pairs=all every triple that is left is handed out.  By default pairs
 * and points are sorted into lanes (same thread, sites, kinds and locks), each
 * pair of lanes gives a few candidates (match.h), gathered by their three sites
 * (gather.h).
 *
 * Source: Cai et al. 2021, algorithm 5 (detect atomicity violations).
 */
#include "base/bisect.h"
#include "base/strtab.h"
#include "predict/by_variable.h"
#include "predict/core.h"
#include "predict/scopes.h"
#include "predict/two_variables.h"

#define CHUNK 256u       /* suspects of a unit with --pairs=all */
#define NEAR  32u        /* own events between a1 and a2 that are simply looked through */
#define STEPS 64u        /* operations on a lock by others that are looked through */
#define THIRD (1u << 16) /* in the kinds of a lane: a write and its read by another thread */

static const char third_label[] = "read in a third thread";

struct atomicity {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_predict_options options;
    struct fw_match_rules rules;
    struct fw_scopes scopes;
    struct fw_by_variable by;
    struct fw_lanes pairs, points;
    uint32_t *own;         /* by thread: its latest access to the present variable */
    struct fw_strtab held; /* lock sets held throughout; their ids follow those of the index */
    FW_VEC(uint32_t) held_start, held_items; /* those sets */
    FW_VEC(uint32_t) keys;                   /* scratch */

    /* --pairs=all */
    FW_VEC(struct fw_span) spans;
    FW_VEC(struct fw_lane_key) span_keys;
    struct fw_walk walk;

    /* default; with --pairs=all for patterns over two variables */
    bool gathered_two; /* in by.gather */
    uint32_t bin;
};

static const struct fw_event *event_at(const struct atomicity *atomicity, uint32_t event)
{
    return &atomicity->trace->events[event];
}

/* --- the must-order ---------------------------------------------------------------------- */

static bool must_be_early(const void *context, struct fw_span b, struct fw_span a)
{
    const struct atomicity *atomicity = context;

    return b.first < a.first && fw_core_must_precede(atomicity->core, b.first, a.first);
}

static bool must_be_late(const void *context, struct fw_span b, struct fw_span a)
{
    const struct atomicity *atomicity = context;

    return a.last < b.first && fw_core_must_precede(atomicity->core, a.last, b.first);
}

/* The acquire by which the event's thread holds the lock (its id times 2, plus 1 if shared);
 * FW_NO_EVENT if that takes long. */
static uint32_t find_acquire(const struct atomicity *atomicity, uint32_t held, uint32_t event)
{
    const struct fw_rows *rows = &atomicity->index->by_lock;
    const uint32_t *row = fw_row(rows, held / 2);
    uint32_t low = fw_count_below(row, fw_row_count(rows, held / 2), event);

    for (uint32_t i = 0; i < STEPS && low > 0; i++) {
        const struct fw_event *other = event_at(atomicity, row[--low]);

        if (other->thread == event_at(atomicity, event)->thread &&
            fw_is_class(other->kind, FW_CLASS_ACQUIRE) &&
            fw_is_class(other->kind, FW_CLASS_SHARED) == (held & 1))
            return row[low];
    }
    return FW_NO_EVENT;
}

/*
 * p before q, where both hold the lock: then p's section ends before q's begins.  That cannot be
 * if it has no end, or if its end demands q's beginning.
 */
static bool lock_forbids(const struct atomicity *atomicity, const uint32_t held[2], uint32_t p,
                         uint32_t q)
{
    uint32_t mine = find_acquire(atomicity, held[0], p);
    uint32_t other = find_acquire(atomicity, held[1], q);
    uint32_t end = mine == FW_NO_EVENT ? FW_NO_EVENT : atomicity->index->partner[mine];

    if (mine == FW_NO_EVENT || other == FW_NO_EVENT)
        return false;
    return end == FW_NO_EVENT || (other < end && fw_core_must_precede(atomicity->core, other, end));
}

static bool locks_forbid(const struct atomicity *atomicity, uint32_t p, uint32_t q)
{
    struct fw_lock_list a = fw_lock_list(atomicity->index, atomicity->index->lock_set[p]);
    struct fw_lock_list b = fw_lock_list(atomicity->index, atomicity->index->lock_set[q]);

    for (uint32_t i = 0; i < a.len; i++)
        for (uint32_t k = 0; k < b.len; k++)
            if (a.at[i] / 2 == b.at[k] / 2 && !(a.at[i] & b.at[k] & 1) &&
                lock_forbids(atomicity, (uint32_t[]) { a.at[i], b.at[k] }, p, q))
                return true;
    return false;
}

static bool is_early(const void *context, struct fw_span b, struct fw_span a)
{
    return must_be_early(context, b, a) ||
           (b.first < a.first && locks_forbid(context, a.first, b.first));
}

static bool is_late(const void *context, struct fw_span b, struct fw_span a)
{
    return must_be_late(context, b, a) ||
           (a.last < b.first && locks_forbid(context, b.first, a.last));
}

/* --- locks held throughout --------------------------------------------------------------- */

/* Does the thread give the lock back between the two events?  True also if that takes long. */
static bool is_released(const struct atomicity *atomicity, uint32_t lock, struct fw_span a)
{
    const struct fw_rows *rows = &atomicity->index->by_lock;
    const uint32_t *row = fw_row(rows, lock);
    uint32_t count = fw_row_count(rows, lock), low = fw_count_below(row, count, a.first);

    for (uint32_t i = low; i < count && row[i] < a.last; i++)
        if (i - low == STEPS ||
            event_at(atomicity, row[i])->thread == event_at(atomicity, a.first)->thread)
            return true;
    return false;
}

/* Does the thread give any lock back between two events that are near each other? */
static bool has_release(const struct atomicity *atomicity, struct fw_span a)
{
    uint32_t thread = event_at(atomicity, a.first)->thread;
    uint32_t from = atomicity->index->in_thread[a.first];
    uint32_t to = atomicity->index->in_thread[a.last];

    if (to - from > NEAR)
        return true;
    for (uint32_t i = from + 1; i < to; i++)
        if (fw_is_class(event_at(atomicity, fw_event_at(atomicity->core, thread, i))->kind,
                        FW_CLASS_RELEASE))
            return true;
    return false;
}

/* The id of the set in `keys`. */
static uint32_t intern_held(struct atomicity *atomicity)
{
    uint32_t id = fw_strtab_intern(&atomicity->held, (const char *)atomicity->keys.at,
                                   atomicity->keys.len * sizeof *atomicity->keys.at);

    if (id == atomicity->held_start.len) {
        fw_vec_push(&atomicity->held_start, (uint32_t)atomicity->held_items.len);
        for (size_t i = 0; i < atomicity->keys.len; i++)
            fw_vec_push(&atomicity->held_items, atomicity->keys.at[i]);
    }
    return atomicity->index->lock_sets.rows + id;
}

/* The id of the set of locks that the thread holds from a1 to a2. */
static uint32_t held_throughout(struct atomicity *atomicity, struct fw_span a)
{
    const struct fw_rows *sets = &atomicity->index->lock_sets;
    uint32_t set = atomicity->index->lock_set[a.first];

    if (set == 0 || atomicity->index->lock_set[a.last] == 0 || !has_release(atomicity, a))
        return atomicity->index->lock_set[a.last] == 0 ? 0 : set;
    fw_vec_clear(&atomicity->keys);
    for (uint32_t i = sets->start[set]; i < sets->start[set + 1]; i++)
        if (!is_released(atomicity, sets->items[i] / 2, a))
            fw_vec_push(&atomicity->keys, sets->items[i]);
    return atomicity->keys.len ? intern_held(atomicity) : 0;
}

static struct fw_lock_list locks_of(const struct atomicity *atomicity, uint32_t set)
{
    uint32_t rows = atomicity->index->lock_sets.rows, start, end;

    if (set < rows)
        return fw_lock_list(atomicity->index, set);
    start = atomicity->held_start.at[set - rows];
    end = set - rows + 1 < atomicity->held_start.len ? atomicity->held_start.at[set - rows + 1]
                                                     : (uint32_t)atomicity->held_items.len;
    return (struct fw_lock_list) { atomicity->held_items.at + start, end - start };
}

/* --- lanes ------------------------------------------------------------------------------- */

/* Can this remote access between these two not be explained? */
static bool is_unserialisable(unsigned a1, unsigned b, unsigned a2)
{
    if (fw_is_write(b) && fw_is_read(a2))
        return true; /* r-w-r, w-w-r: a1 is one of the two */
    return (fw_is_write(a1) && fw_is_read(b) && fw_is_write(a2)) ||
           (fw_is_read(a1) && fw_is_write(b) && fw_is_write(a2));
}

/* Does a point of the lane make an unserialisable triple with such a pair? */
static bool fits(const struct atomicity *atomicity, const struct fw_lane_key *pair,
                 const struct fw_lane *lane)
{
    if (lane->key.thread == pair->thread)
        return false;
    if (pair->kinds & THIRD)
        return fw_is_write(lane->key.kinds) && lane->key.thread != pair->locks;
    return is_unserialisable(pair->kinds & 255, lane->key.kinds, pair->kinds >> 8) &&
           fw_lock_lists_compatible(locks_of(atomicity, pair->locks),
                                    locks_of(atomicity, lane->key.locks));
}

static void add_pair(struct atomicity *atomicity, struct fw_lane_key key, struct fw_span span)
{
    if (atomicity->options.pairs_all) {
        fw_vec_push(&atomicity->spans, span);
        fw_vec_push(&atomicity->span_keys, key);
        return;
    }
    key.sites[0] = event_at(atomicity, span.first)->site;
    key.sites[1] = event_at(atomicity, span.last)->site;
    fw_lanes_add(&atomicity->pairs, &key, span);
}

/* The pair that ends in this access, and the one that begins with the write it saw. */
static void add_pairs(struct atomicity *atomicity, uint32_t at, uint32_t writer)
{
    const struct fw_event *event = event_at(atomicity, at);
    struct fw_span own = { atomicity->own[event->thread], at }, seen = { writer, at };
    struct fw_lane_key key = { .thread = event->thread };

    if (own.first != FW_NO_EVENT && fw_scopes_together(&atomicity->scopes, own.first, at)) {
        key.kinds = event_at(atomicity, own.first)->kind | (uint32_t)event->kind << 8;
        key.locks = held_throughout(atomicity, own);
        add_pair(atomicity, key, own);
    }
    if (!atomicity->options.third_thread || writer == FW_NO_EVENT || !fw_is_read(event->kind) ||
        event_at(atomicity, writer)->thread == event->thread)
        return;
    key = (struct fw_lane_key) { .thread = event_at(atomicity, writer)->thread,
                                 .locks = event->thread,
                                 .kinds = THIRD };
    add_pair(atomicity, key, seen);
}

static void add_point(struct atomicity *atomicity, uint32_t at)
{
    const struct fw_event *event = event_at(atomicity, at);
    struct fw_lane_key key = { .thread = event->thread,
                               .kinds = event->kind,
                               .locks = atomicity->index->lock_set[at] };

    if (!atomicity->options.pairs_all)
        key.sites[0] = event->site;
    fw_lanes_add(&atomicity->points, &key, (struct fw_span) { at, at });
}

static void sort_into_lanes(struct atomicity *atomicity, const uint32_t *row, uint32_t count)
{
    uint32_t writer = FW_NO_EVENT; /* the latest write so far */

    fw_lanes_clear(&atomicity->pairs);
    fw_lanes_clear(&atomicity->points);
    fw_vec_clear(&atomicity->spans);
    fw_vec_clear(&atomicity->span_keys);
    for (uint32_t i = 0; i < count; i++)
        atomicity->own[event_at(atomicity, row[i])->thread] = FW_NO_EVENT;
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_event *event = event_at(atomicity, row[i]);

        if (!fw_is_class(event->kind, FW_CLASS_READ | FW_CLASS_WRITE))
            continue;
        if (fw_trace_says_again(atomicity->trace, event)) {
            atomicity->own[event->thread] = writer = FW_NO_EVENT;
            continue;
        }
        add_pairs(atomicity, row[i], writer);
        add_point(atomicity, row[i]);
        atomicity->own[event->thread] = row[i];
        if (fw_is_write(event->kind))
            writer = row[i];
    }
    fw_lanes_finish(&atomicity->pairs);
    fw_lanes_finish(&atomicity->points);
}

/* Accesses of two threads to data, one of which writes? */
static bool may_be_violated(const struct atomicity *atomicity, const uint32_t *row, uint32_t count)
{
    bool two = false, writes = false;

    for (uint32_t i = 0; i < count && !(two && writes); i++) {
        two |= event_at(atomicity, row[i])->thread != event_at(atomicity, row[0])->thread;
        writes |= fw_is_write(event_at(atomicity, row[i])->kind);
    }
    return two && writes &&
           !fw_variable_is_order(atomicity->trace->symbols, event_at(atomicity, row[0])->target);
}

/* Can it have a violation?  Then it is in lanes. */
static bool sort(void *context, const uint32_t *row, uint32_t count)
{
    struct atomicity *atomicity = context;

    if (!may_be_violated(atomicity, row, count))
        return false;
    atomicity->by.work += count / 8;
    sort_into_lanes(atomicity, row, count);
    return true;
}

/* --- every triple ------------------------------------------------------------------------ */

static bool span_fits(const void *context, struct fw_span span, const struct fw_lane *lane)
{
    const struct atomicity *atomicity = context;

    (void)span;
    return fits(atomicity, &atomicity->span_keys.at[atomicity->walk.span], lane);
}

static void start_walk(struct atomicity *atomicity)
{
    atomicity->walk = (struct fw_walk) { .rules = &atomicity->rules,
                                         .spans = atomicity->spans.at,
                                         .span_count = (uint32_t)atomicity->spans.len,
                                         .lanes = &atomicity->points,
                                         .fits = span_fits,
                                         .context = atomicity };
}

/* The rest of what was gathered, patterns over two variables included. */
static bool next_gathered(struct atomicity *atomicity, struct fw_unit *unit)
{
    if (atomicity->options.two_variables && !atomicity->gathered_two) {
        if (!atomicity->by.gather)
            fw_by_variable_gather(&atomicity->by, atomicity->trace, UINT32_MAX / 4);
        fw_two_variables_gather(atomicity->core, &atomicity->options, &atomicity->scopes,
                                atomicity->by.gather);
        atomicity->gathered_two = true;
    }
    return atomicity->by.gather && fw_gather_next(atomicity->by.gather, unit, true);
}

static void suspect_triple(const struct atomicity *atomicity, struct fw_unit *unit,
                           struct fw_span a, uint32_t b)
{
    bool third = atomicity->span_keys.at[atomicity->walk.span].kinds & THIRD;
    struct fw_suspect suspect = { .count = 3,
                                  .variable = event_at(atomicity, b)->target,
                                  .claim = third ? FW_CLAIM_ORDER : FW_CLAIM_ATOMICITY,
                                  .label = third ? third_label : NULL };

    fw_unit_add(unit, &suspect, (uint32_t[]) { a.first, b, a.last });
}

static bool next_of_all(struct atomicity *atomicity, struct fw_unit *unit)
{
    fw_unit_clear(unit);
    while (unit->suspects.len < CHUNK) {
        struct fw_span a;
        uint32_t b;

        if (fw_walk_next(&atomicity->walk, &a, &b)) {
            suspect_triple(atomicity, unit, a, b);
            continue;
        }
        unit->refuted += atomicity->walk.refuted;
        atomicity->walk.refuted = 0;
        atomicity->by.work += atomicity->walk.work;
        atomicity->walk.work = 0;
        if (fw_by_variable_is_tired(&atomicity->by))
            return true;
        if (!fw_by_variable_has_more(&atomicity->by))
            return unit->suspects.len || unit->refuted || next_gathered(atomicity, unit);
        if (fw_by_variable_take(&atomicity->by))
            start_walk(atomicity);
    }
    return true;
}

/* --- by sites ---------------------------------------------------------------------------- */

static void pick(void *context, struct fw_span a, uint32_t b)
{
    struct atomicity *atomicity = context;

    fw_gather_add(atomicity->by.gather, atomicity->bin, (uint32_t[]) { a.first, b, a.last });
}

static void match_lanes(struct atomicity *atomicity, const struct fw_lane *pairs,
                        const struct fw_lane *points)
{
    const uint32_t sites[3] = { pairs->key.sites[0], points->key.sites[0], pairs->key.sites[1] };
    bool third = pairs->key.kinds & THIRD;
    struct fw_gather_key key = { .claim = third ? FW_CLAIM_ORDER : FW_CLAIM_ATOMICITY,
                                 .label = third ? third_label : NULL,
                                 .width = 3 };
    struct fw_match pair = { .rules = &atomicity->rules,
                             .spans = fw_lane_items(&atomicity->pairs, pairs),
                             .span_count = pairs->count,
                             .points = fw_lane_items(&atomicity->points, points),
                             .point_count = points->count,
                             .pick = pick,
                             .context = atomicity };

    atomicity->bin = fw_by_variable_bin(&atomicity->by, &key, sites, false);
    fw_by_variable_pair(&atomicity->by, atomicity->bin, &pair, NULL);
}

static bool match(void *context, uint32_t lane)
{
    struct atomicity *atomicity = context;
    const struct fw_lane *pairs;

    if (lane >= atomicity->pairs.len)
        return false;
    pairs = &atomicity->pairs.at[lane];
    for (uint32_t i = 0; i < atomicity->points.len; i++)
        if (fits(atomicity, &pairs->key, &atomicity->points.at[i]))
            match_lanes(atomicity, pairs, &atomicity->points.at[i]);
    atomicity->by.work += atomicity->points.len / 8;
    return true;
}

/* --- the predictor ----------------------------------------------------------------------- */

static void *atomicity_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct atomicity *atomicity = fw_xcalloc(1, sizeof *atomicity);

    atomicity->core = core;
    atomicity->index = fw_core_index(core);
    atomicity->trace = atomicity->index->trace;
    atomicity->options = *options;
    atomicity->by = (struct fw_by_variable) { .rows = &atomicity->index->by_variable,
                                              .sort = sort,
                                              .match = match,
                                              .context = atomicity };
    atomicity->rules =
        (struct fw_match_rules) { atomicity, is_early, is_late, must_be_early, must_be_late };
    atomicity->own =
        fw_xcalloc(fw_trace_thread_count(atomicity->trace) + 1, sizeof *atomicity->own);
    fw_scopes_init(&atomicity->scopes, atomicity->index, options);
    fw_strtab_init(&atomicity->held);
    if (!options->pairs_all)
        fw_by_variable_gather(&atomicity->by, atomicity->trace, options->cap);
    return atomicity;
}

static bool atomicity_next(void *state, struct fw_unit *unit)
{
    struct atomicity *atomicity = state;

    if (atomicity->options.pairs_all)
        return next_of_all(atomicity, unit);
    return fw_by_variable_next(&atomicity->by, unit) || next_gathered(atomicity, unit);
}

static void atomicity_destroy(void *state)
{
    struct atomicity *atomicity = state;

    if (!atomicity)
        return;
    fw_lanes_release(&atomicity->pairs);
    fw_lanes_release(&atomicity->points);
    fw_vec_release(&atomicity->spans);
    fw_vec_release(&atomicity->span_keys);
    fw_vec_release(&atomicity->keys);
    fw_vec_release(&atomicity->held_start);
    fw_vec_release(&atomicity->held_items);
    fw_strtab_release(&atomicity->held);
    fw_scopes_release(&atomicity->scopes);
    fw_gather_destroy(atomicity->by.gather);
    free(atomicity->own);
    free(atomicity);
}

const struct fw_predictor fw_predictor_atomicity = {
    .name = "atomicity",
    .claim = FW_CLAIM_ATOMICITY,
    .create = atomicity_create,
    .next = atomicity_next,
    .destroy = atomicity_destroy,
};
