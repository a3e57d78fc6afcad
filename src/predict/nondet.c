/*
 * nondet.c - writes that a read could see instead of its own, and none.
 *
 * The source calls them challengers: for a read r that saw w, every other write
 * c of the variable.  A candidate is dropped only if it has no witness:
 *
 *  - r must precede c;
 *  - another write must come between them: c's successor among the writes of
 *    its thread must precede r, or c must precede the latest write before r in
 *    r's own thread;
 *  - r's own thread: of its writes only the latest one before r can be seen;
 *  - no write can be seen only if no write must precede r;
 *  - a load that synchronised sees what it saw.
 *
 * Against one read these cut a contiguous piece out of each thread's writes
 * (match.h), so that most challengers are refuted without being looked at.
 *
 * With --pairs=all a unit is one read (or a part, if it has many challengers).
 * By default reads and writes are sorted into lanes by thread and site, and
 * gathered by the site of the read and that of the write (gather.h).
 *
 * In the lanes the second half of an item says what the rules need to know
 * about it: for a read the latest write before it in its own thread, for a
 * write the next one of its thread.
 *
 * Source: Sinha et al. 2012, section III.
 */
#include "predict/by_variable.h"
#include "predict/core.h"
#include "predict/final.h"

#define CHUNK 1024u /* suspects of a unit with --pairs=all */

struct nondet {
    const struct fw_core *core;
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_predict_options options;
    struct fw_match_rules rules;
    struct fw_by_variable by;
    uint32_t final_variable; /* the same for final values */
    struct fw_lanes reads, writes;
    uint32_t *own;           /* by thread: a write of the present variable, or FW_NO_EVENT */
    FW_VEC(uint32_t) behind; /* by place in the row, at writes: the next one of the thread */

    /* --pairs=all */
    FW_VEC(struct fw_span) spans; /* all reads of the present variable */
    size_t span;                  /* the next one */
    struct fw_walk walk;

    /* default */
    uint32_t bin;
    uint64_t seen; /* pairs among those picked that the trace itself shows */
};

static const struct fw_event *event_at(const struct nondet *nondet, uint32_t event)
{
    return &nondet->trace->events[event];
}

/* --- the must-order ---------------------------------------------------------------------- */

static bool precedes(const struct nondet *nondet, uint32_t a, uint32_t b)
{
    return a < b && fw_core_must_precede(nondet->core, a, b);
}

static bool is_early(const void *context, struct fw_span write, struct fw_span read)
{
    uint32_t next = write.last, own = read.last;

    return (next != FW_NO_EVENT && precedes(context, next, read.first)) ||
           (own != FW_NO_EVENT && precedes(context, write.first, own));
}

static bool is_late(const void *context, struct fw_span write, struct fw_span read)
{
    return precedes(context, read.first, write.first);
}

/* Is there a write that comes before the read in every reordering? */
static bool sees_some(const struct nondet *nondet, struct fw_span read)
{
    if (read.last != FW_NO_EVENT)
        return true;
    for (uint32_t i = 0; i < nondet->writes.len; i++)
        if (precedes(nondet, fw_lane_items(&nondet->writes, &nondet->writes.at[i])[0].first,
                     read.first))
            return true;
    return false;
}

/* --- lanes ------------------------------------------------------------------------------- */

/* Reads and writes of two threads; or one, but a read says that it saw another write. */
static bool may_differ(const struct nondet *nondet, const uint32_t *row, uint32_t count)
{
    bool two = false, reads = false;
    uint32_t latest = FW_NO_EVENT;

    for (uint32_t i = 0; i < count && !(two && reads && latest != FW_NO_EVENT); i++) {
        unsigned kind = event_at(nondet, row[i])->kind;

        two |= event_at(nondet, row[i])->thread != event_at(nondet, row[0])->thread;
        if (fw_is_read(kind)) {
            reads = true;
            two |= nondet->index->partner[row[i]] != latest;
        }
        if (fw_is_write(kind))
            latest = row[i];
    }
    return two && reads && latest != FW_NO_EVENT &&
           !fw_variable_is_order(nondet->trace->symbols, event_at(nondet, row[0])->target);
}

static void forget_own(struct nondet *nondet, const uint32_t *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        nondet->own[event_at(nondet, row[i])->thread] = FW_NO_EVENT;
}

static void find_behind(struct nondet *nondet, const uint32_t *row, uint32_t count)
{
    forget_own(nondet, row, count);
    fw_vec_extend(&nondet->behind, count);
    for (uint32_t i = count; i-- > 0;) {
        const struct fw_event *event = event_at(nondet, row[i]);

        if (!fw_is_write(event->kind))
            continue;
        nondet->behind.at[i] = nondet->own[event->thread];
        nondet->own[event->thread] = row[i];
    }
}

/* A read-modify-write is in both kinds of lanes; it reads first. */
static void add_access(struct nondet *nondet, uint32_t at, uint32_t behind)
{
    const struct fw_event *event = event_at(nondet, at);
    struct fw_lane_key key = { .thread = event->thread };
    struct fw_span read = { at, nondet->own[event->thread] };

    if (!nondet->options.pairs_all)
        key.sites[0] = event->site;
    if (fw_is_read(event->kind) && !fw_core_synchronised(nondet->core, at)) {
        fw_lanes_add(&nondet->reads, &key, read);
        if (nondet->options.pairs_all)
            fw_vec_push(&nondet->spans, read);
    }
    if (fw_is_write(event->kind)) {
        if (!fw_trace_says_again(nondet->trace, event))
            fw_lanes_add(&nondet->writes, &key, (struct fw_span) { at, behind });
        nondet->own[event->thread] = at;
    }
}

static void sort_into_lanes(struct nondet *nondet, const uint32_t *row, uint32_t count)
{
    fw_lanes_clear(&nondet->reads);
    fw_lanes_clear(&nondet->writes);
    fw_vec_clear(&nondet->spans);
    nondet->span = 0;
    find_behind(nondet, row, count);
    forget_own(nondet, row, count);
    for (uint32_t i = 0; i < count; i++)
        add_access(nondet, row[i], nondet->behind.at[i]);
    fw_lanes_finish(&nondet->reads);
    fw_lanes_finish(&nondet->writes);
}

/* Can it have a nondeterministic read?  Then it is in lanes. */
static bool sort(void *context, const uint32_t *row, uint32_t count)
{
    struct nondet *nondet = context;

    if (!may_differ(nondet, row, count))
        return false;
    nondet->by.work += count / 16;
    sort_into_lanes(nondet, row, count);
    return true;
}

/* Candidates that are not found by matching: the own write, and none. */
static bool own_write_is_open(const struct nondet *nondet, struct fw_span read)
{
    return read.last != FW_NO_EVENT && nondet->index->partner[read.first] != read.last &&
           !fw_trace_says_again(nondet->trace, event_at(nondet, read.last));
}

static bool none_is_open(const struct nondet *nondet, struct fw_span read)
{
    return nondet->index->partner[read.first] != FW_NO_EVENT && !sees_some(nondet, read);
}

/* --- every pair -------------------------------------------------------------------------- */

static void suspect_pair(struct nondet *nondet, struct fw_unit *unit, uint32_t read, uint32_t write)
{
    struct fw_suspect suspect = { .count = write == FW_NO_EVENT ? 1 : 2,
                                  .variable = event_at(nondet, read)->target,
                                  .claim = FW_CLAIM_NONDETERMINISM };

    fw_unit_add(unit, &suspect, (uint32_t[]) { read, write });
}

static bool is_other_thread(const void *context, struct fw_span read, const struct fw_lane *lane)
{
    const struct nondet *nondet = context;

    return event_at(nondet, read.first)->thread != lane->key.thread;
}

/* Moves to the next read, with what needs no walk. */
static void take_read(struct nondet *nondet, struct fw_unit *unit)
{
    const struct fw_span *read = &nondet->spans.at[nondet->span++];

    nondet->walk = (struct fw_walk) { .rules = &nondet->rules,
                                      .spans = read,
                                      .span_count = 1,
                                      .lanes = &nondet->writes,
                                      .fits = is_other_thread,
                                      .context = nondet };
    if (own_write_is_open(nondet, *read))
        suspect_pair(nondet, unit, read->first, read->last);
    if (none_is_open(nondet, *read))
        suspect_pair(nondet, unit, read->first, FW_NO_EVENT);
    else if (nondet->index->partner[read->first] != FW_NO_EVENT)
        unit->refuted++;
    nondet->by.work += 1 + nondet->writes.len;
}

static bool next_of_all(struct nondet *nondet, struct fw_unit *unit)
{
    struct fw_span read;
    uint32_t write;

    fw_unit_clear(unit);
    for (;;) {
        nondet->walk.work = 0;
        while (unit->suspects.len < CHUNK && fw_walk_next(&nondet->walk, &read, &write))
            if (nondet->index->partner[read.first] != write)
                suspect_pair(nondet, unit, read.first, write);
        unit->refuted += nondet->walk.refuted;
        nondet->walk.refuted = 0;
        if (unit->suspects.len || fw_by_variable_is_tired(&nondet->by))
            return true;
        if (nondet->walk.work >= FW_MATCH_SLICE)
            continue; /* a pause in the middle of a read with very many writers */
        if (nondet->span < nondet->spans.len)
            take_read(nondet, unit);
        else if (!fw_by_variable_has_more(&nondet->by))
            return unit->refuted > 0;
        else
            fw_by_variable_take(&nondet->by);
    }
}

/* --- by sites ---------------------------------------------------------------------------- */

static void pick(void *context, struct fw_span read, uint32_t write)
{
    struct nondet *nondet = context;

    if (nondet->index->partner[read.first] == write)
        nondet->seen++;
    else
        fw_gather_add(nondet->by.gather, nondet->bin, (uint32_t[]) { read.first, write });
}

static void match_lanes(struct nondet *nondet, const struct fw_lane *reads,
                        const struct fw_lane *writes)
{
    const uint32_t sites[2] = { reads->key.sites[0], writes->key.sites[0] };
    struct fw_gather_key key = { .claim = FW_CLAIM_NONDETERMINISM, .width = 2 };
    struct fw_match pair = { .rules = &nondet->rules,
                             .spans = fw_lane_items(&nondet->reads, reads),
                             .span_count = reads->count,
                             .points = fw_lane_items(&nondet->writes, writes),
                             .point_count = writes->count,
                             .pick = pick,
                             .context = nondet };

    nondet->bin = fw_by_variable_bin(&nondet->by, &key, sites, false);
    nondet->seen = 0;
    fw_by_variable_pair(&nondet->by, nondet->bin, &pair, &nondet->seen);
}

/* A read that was not matched against a lane: of these sites, one if it sees no write. */
static void add_alone(struct nondet *nondet, const uint32_t *events, const uint32_t *sites,
                      uint32_t count, uint32_t *added)
{
    struct fw_gather_key key = { .claim = FW_CLAIM_NONDETERMINISM, .width = count };
    uint32_t bin = fw_gather_bin_of_sites(nondet->by.gather, &key, sites, count, false,
                                          fw_by_variable_present(&nondet->by));

    if (bin == FW_GATHER_NONE) {
        fw_gather_skip(nondet->by.gather, 1);
        return;
    }
    if ((*added)++ < nondet->by.cap)
        fw_gather_add(nondet->by.gather, bin, events);
    fw_gather_count(nondet->by.gather, bin, 1, 1);
}

/* Reads of one lane that can see the latest write of their own thread. */
static void match_own(struct nondet *nondet, const struct fw_lane *reads)
{
    const struct fw_span *items = fw_lane_items(&nondet->reads, reads);
    uint32_t added = 0;

    for (uint32_t i = 0; i < reads->count; i++)
        if (own_write_is_open(nondet, items[i])) {
            const uint32_t events[2] = { items[i].first, items[i].last };
            const uint32_t sites[2] = { reads->key.sites[0],
                                        event_at(nondet, items[i].last)->site };

            add_alone(nondet, events, sites, 2, &added);
        }
}

/* Reads of one lane that can see no write: those before the first that has one before it. */
static void match_none(struct nondet *nondet, const struct fw_lane *reads)
{
    const struct fw_span *items = fw_lane_items(&nondet->reads, reads);
    uint32_t low = 0, high = reads->count, added = 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sees_some(nondet, items[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    for (uint32_t i = 0; i < low; i++)
        if (nondet->index->partner[items[i].first] != FW_NO_EVENT)
            add_alone(nondet, &items[i].first, reads->key.sites, 1, &added);
}

static bool match(void *context, uint32_t lane)
{
    struct nondet *nondet = context;
    const struct fw_lane *reads;

    if (lane >= nondet->reads.len)
        return false;
    reads = &nondet->reads.at[lane];
    match_own(nondet, reads);
    match_none(nondet, reads);
    for (uint32_t i = 0; i < nondet->writes.len; i++)
        if (reads->key.thread != nondet->writes.at[i].key.thread)
            match_lanes(nondet, reads, &nondet->writes.at[i]);
    nondet->by.work += reads->count / 64;
    return true;
}

/* --- the predictor ----------------------------------------------------------------------- */

static void *nondet_create(const struct fw_core *core, const struct fw_predict_options *options)
{
    struct nondet *nondet = fw_xcalloc(1, sizeof *nondet);

    nondet->core = core;
    nondet->index = fw_core_index(core);
    nondet->trace = nondet->index->trace;
    nondet->options = *options;
    nondet->by = (struct fw_by_variable) { .rows = &nondet->index->by_variable,
                                           .sort = sort,
                                           .match = match,
                                           .context = nondet };
    nondet->rules = (struct fw_match_rules) { nondet, is_early, is_late, is_early, is_late };
    nondet->own = fw_xcalloc(fw_trace_thread_count(nondet->trace) + 1, sizeof *nondet->own);
    if (!options->pairs_all)
        fw_by_variable_gather(&nondet->by, nondet->trace, options->cap);
    return nondet;
}

static bool nondet_next(void *state, struct fw_unit *unit)
{
    struct nondet *nondet = state;

    if (nondet->options.pairs_all ? next_of_all(nondet, unit)
                                  : fw_by_variable_next(&nondet->by, unit) ||
                                        fw_gather_next(nondet->by.gather, unit, true))
        return true;
    return nondet->options.final_reads && fw_final_next(nondet->core, nondet->options.values,
                                                        &nondet->final_variable, unit);
}

static void nondet_destroy(void *state)
{
    struct nondet *nondet = state;

    if (!nondet)
        return;
    fw_lanes_release(&nondet->reads);
    fw_lanes_release(&nondet->writes);
    fw_vec_release(&nondet->spans);
    fw_vec_release(&nondet->behind);
    free(nondet->own);
    fw_gather_destroy(nondet->by.gather);
    free(nondet);
}

const struct fw_predictor fw_predictor_nondet = {
    .name = "nondet",
    .claim = FW_CLAIM_NONDETERMINISM,
    .create = nondet_create,
    .next = nondet_next,
    .destroy = nondet_destroy,
};
