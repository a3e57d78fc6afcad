/* gather.c - see gather.h. */
#include "predict/gather.h"

#include "base/bug.h"
#include "base/strtab.h"

struct pick {
    uint32_t rank;     /* which candidate of its variable: 0, 1, ... */
    uint32_t distance; /* events of the trace from its first to its last event */
    uint32_t variable;
    uint32_t slot; /* its events: slot * width of the bin's */
    uint64_t open; /* candidates of its variable, at rank 0 */
};

struct bin {
    enum fw_claim claim;
    const char *label;
    uint32_t width;
    uint32_t variables; /* picks of rank 0 */
    FW_VEC(struct pick) picks;
    FW_VEC(uint32_t) events;
    uint64_t open;          /* of the present variable */
    uint64_t left, refuted; /* of the unit */
    bool of_variable;       /* complete once its variable is closed */
    bool touched;           /* by the present variable */
    bool given;
};

/* A candidate of the present variable. */
struct staged {
    uint32_t bin;
    uint32_t distance;
    uint32_t start; /* in `staged_events` */
};

struct fw_gather {
    const struct fw_trace *trace;
    uint32_t cap;
    struct fw_strtab keys; /* key → bin */
    FW_VEC(struct bin) bins;
    FW_VEC(struct staged) staged;
    FW_VEC(uint32_t) staged_events;
    FW_VEC(uint32_t) touched; /* bins */
    FW_VEC(uint32_t) key;     /* scratch */
    FW_VEC(uint32_t) ready;   /* bins that are complete, from `ready_given` on */
    size_t ready_given, given;
    uint32_t open;          /* bins not handed out */
    uint64_t left, refuted; /* of units without a suspect: handed out together at the end */
};

struct fw_gather *fw_gather_create(const struct fw_trace *trace, uint32_t cap)
{
    struct fw_gather *gather = fw_xcalloc(1, sizeof *gather);

    gather->trace = trace;
    gather->cap = cap ? cap : FW_PREDICT_CAP;
    fw_strtab_init(&gather->keys);
    return gather;
}

void fw_gather_destroy(struct fw_gather *gather)
{
    if (!gather)
        return;
    for (size_t i = 0; i < gather->bins.len; i++) {
        fw_vec_release(&gather->bins.at[i].picks);
        fw_vec_release(&gather->bins.at[i].events);
    }
    fw_vec_release(&gather->bins);
    fw_vec_release(&gather->staged);
    fw_vec_release(&gather->staged_events);
    fw_vec_release(&gather->touched);
    fw_vec_release(&gather->key);
    fw_vec_release(&gather->ready);
    fw_strtab_release(&gather->keys);
    free(gather);
}

/* --- keys -------------------------------------------------------------------------------- */

uint32_t fw_gather_bin(struct fw_gather *gather, const struct fw_gather_key *key)
{
    uint64_t label = (uint64_t)(uintptr_t)key->label;
    uint32_t id;

    fw_vec_clear(&gather->key);
    fw_vec_push(&gather->key, (uint32_t)key->claim);
    fw_vec_push(&gather->key, (uint32_t)label);
    fw_vec_push(&gather->key, (uint32_t)(label >> 32));
    for (uint32_t i = 0; i < key->part_count; i++)
        fw_vec_push(&gather->key, key->parts[i]);
    id = fw_strtab_find(&gather->keys, (const char *)gather->key.at,
                        gather->key.len * sizeof *gather->key.at);
    if (id == FW_STRTAB_NONE) {
        struct bin bin = { .claim = key->claim,
                           .label = key->label,
                           .width = key->width,
                           .of_variable = key->of_variable };

        if (gather->open == FW_GATHER_BINS)
            return FW_GATHER_NONE;
        id = fw_strtab_intern(&gather->keys, (const char *)gather->key.at,
                              gather->key.len * sizeof *gather->key.at);
        gather->open++;
        fw_vec_push(&gather->bins, bin);
    }
    FW_ASSERT(gather->bins.at[id].width == key->width);
    return id;
}

uint32_t fw_gather_bin_of_sites(struct fw_gather *gather, const struct fw_gather_key *key,
                                const uint32_t *sites, uint32_t count, bool any_order,
                                uint32_t variable)
{
    struct fw_gather_key mine = *key;
    uint32_t parts[5] = { 0 };
    bool bare = false;

    FW_ASSERT(count < sizeof parts / sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = sites[i];
        bare |= sites[i] == 0;
    }
    if (any_order && parts[0] > parts[1]) {
        parts[0] = sites[1];
        parts[1] = sites[0];
    }
    if (bare)
        parts[count] = variable;
    mine.parts = parts;
    mine.part_count = count + bare;
    mine.of_variable = bare;
    return fw_gather_bin(gather, &mine);
}

bool fw_gather_full(const struct fw_gather *gather, uint32_t bin)
{
    return gather->bins.at[bin].variables >= gather->cap;
}

/* --- adding ------------------------------------------------------------------------------ */

static void touch(struct fw_gather *gather, uint32_t bin)
{
    if (gather->bins.at[bin].touched)
        return;
    gather->bins.at[bin].touched = true;
    fw_vec_push(&gather->touched, bin);
}

static uint32_t distance_of(const uint32_t *events, uint32_t count)
{
    uint32_t low = events[0], high = events[0];

    for (uint32_t i = 1; i < count; i++) {
        low = events[i] < low ? events[i] : low;
        high = events[i] > high ? events[i] : high;
    }
    return high - low;
}

void fw_gather_add(struct fw_gather *gather, uint32_t bin, const uint32_t *events)
{
    uint32_t width = gather->bins.at[bin].width;
    struct staged staged = { bin, distance_of(events, width), (uint32_t)gather->staged_events.len };

    if (gather->bins.at[bin].given)
        return;
    touch(gather, bin);
    for (uint32_t i = 0; i < width; i++)
        fw_vec_push(&gather->staged_events, events[i]);
    fw_vec_push(&gather->staged, staged);
}

void fw_gather_count(struct fw_gather *gather, uint32_t bin, uint64_t all, uint64_t open)
{
    struct bin *at = &gather->bins.at[bin];
    uint64_t *left = at->given ? &gather->left : &at->open;
    uint64_t *refuted = at->given ? &gather->refuted : &at->refuted;

    if (!at->given)
        touch(gather, bin);
    *left = fw_saturating_add(*left, open);
    *refuted = fw_saturating_add(*refuted, all > open ? all - open : 0);
}

void fw_gather_skip(struct fw_gather *gather, uint64_t count)
{
    gather->left = fw_saturating_add(gather->left, count);
}

static int by_events(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_bin(const void *a, const void *b, void *context)
{
    const struct staged *x = a, *y = b;
    const struct fw_gather *gather = context;
    const uint32_t *events = gather->staged_events.at;

    if (x->bin != y->bin)
        return x->bin < y->bin ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return by_events(events + x->start, events + y->start, gather->bins.at[x->bin].width);
}

static int by_rank(const void *a, const void *b, void *context)
{
    const struct pick *x = a, *y = b;
    const struct bin *bin = context;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return by_events(bin->events.at + (size_t)x->slot * bin->width,
                     bin->events.at + (size_t)y->slot * bin->width, bin->width);
}

/* Sorts the picks and their events, and keeps no more than `cap` of them. */
static void tidy(struct bin *bin, uint32_t cap)
{
    uint32_t *events;
    size_t kept = bin->picks.len < cap ? bin->picks.len : cap;

    if (!kept)
        return;
    qsort_r(bin->picks.at, bin->picks.len, sizeof *bin->picks.at, by_rank, bin);
    for (size_t i = kept; i < bin->picks.len; i++) {
        const struct pick *pick = &bin->picks.at[i];

        if (pick->rank == 0) {
            bin->left = fw_saturating_add(bin->left, pick->open);
            bin->variables--;
        }
    }
    bin->picks.len = kept;
    events = fw_xrealloc(NULL, kept * bin->width, sizeof *events);
    for (size_t i = 0; i < kept; i++) {
        memcpy(events + i * bin->width, bin->events.at + (size_t)bin->picks.at[i].slot * bin->width,
               bin->width * sizeof *events);
        bin->picks.at[i].slot = (uint32_t)i;
    }
    free(bin->events.at);
    bin->events.at = events;
    bin->events.len = bin->events.cap = kept * bin->width;
}

/* One more of the variable's candidates for the bin. */
static void keep(struct fw_gather *gather, const struct staged *staged, uint32_t variable,
                 uint32_t rank)
{
    struct bin *bin = &gather->bins.at[staged->bin];
    struct pick pick = { rank, staged->distance, variable, (uint32_t)bin->picks.len, 0 };

    if (rank == 0) {
        pick.open = bin->open;
        bin->open = 0;
        bin->variables++;
    }
    for (uint32_t i = 0; i < bin->width; i++)
        fw_vec_push(&bin->events, gather->staged_events.at[staged->start + i]);
    fw_vec_push(&bin->picks, pick);
    if (bin->picks.len >= (size_t)gather->cap * 2)
        tidy(bin, gather->cap);
}

void fw_gather_close(struct fw_gather *gather, uint32_t variable)
{
    uint32_t rank = 0;

    if (gather->staged.len)
        qsort_r(gather->staged.at, gather->staged.len, sizeof *gather->staged.at, by_bin, gather);
    for (size_t i = 0; i < gather->staged.len; i++) {
        rank = i && gather->staged.at[i].bin == gather->staged.at[i - 1].bin ? rank + 1 : 0;
        if (rank < gather->cap)
            keep(gather, &gather->staged.at[i], variable, rank);
    }
    for (size_t i = 0; i < gather->touched.len; i++) {
        struct bin *bin = &gather->bins.at[gather->touched.at[i]];

        bin->left = fw_saturating_add(bin->left, bin->open);
        bin->open = 0;
        bin->touched = false;
        if (bin->of_variable || bin->variables >= gather->cap)
            fw_vec_push(&gather->ready, gather->touched.at[i]);
    }
    fw_vec_clear(&gather->staged);
    fw_vec_clear(&gather->staged_events);
    fw_vec_clear(&gather->touched);
}

/* --- units ------------------------------------------------------------------------------- */

void fw_unit_clear(struct fw_unit *unit)
{
    fw_vec_clear(&unit->events);
    fw_vec_clear(&unit->suspects);
    unit->left = unit->refuted = 0;
    unit->cut = false;
}

void fw_unit_add(struct fw_unit *unit, const struct fw_suspect *suspect, const uint32_t *events)
{
    struct fw_suspect mine = *suspect;

    mine.first = (uint32_t)unit->events.len;
    for (uint32_t i = 0; i < mine.count; i++)
        fw_vec_push(&unit->events, events[i]);
    fw_vec_push(&unit->suspects, mine);
}

struct place {
    uint32_t variable, suspect;
};

static int by_variable(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return (x->suspect > y->suspect) - (x->suspect < y->suspect);
}

/* At the first suspect of each variable stands `left` = all open ones: take off those given. */
static void count_left(struct fw_unit *unit)
{
    size_t len = unit->suspects.len;
    struct place *places = fw_xrealloc(NULL, len, sizeof *places);

    for (uint32_t i = 0; i < len; i++)
        places[i] = (struct place) { unit->suspects.at[i].variable, i };
    qsort(places, len, sizeof *places, by_variable);
    for (size_t i = 0, run; i < len; i += run) {
        struct fw_suspect *first = &unit->suspects.at[places[i].suspect];

        for (run = 1; i + run < len && places[i + run].variable == places[i].variable;)
            run++;
        first->left = first->left > run ? first->left - run : 0;
    }
    free(places);
}

static void fill(struct fw_unit *unit, const struct bin *bin)
{
    for (size_t i = 0; i < bin->picks.len; i++) {
        const struct pick *pick = &bin->picks.at[i];
        struct fw_suspect suspect = { .count = bin->width,
                                      .variable = pick->variable,
                                      .claim = bin->claim,
                                      .label = bin->label,
                                      .left = pick->rank == 0 ? pick->open : 0 };

        fw_unit_add(unit, &suspect, bin->events.at + (size_t)pick->slot * bin->width);
    }
    unit->left = bin->left;
    unit->refuted = bin->refuted;
    if (unit->suspects.len)
        count_left(unit);
}

/* Fills the unit from the bin and empties it; false: there is no suspect in it. */
static bool give(struct fw_gather *gather, struct fw_unit *unit, struct bin *bin)
{
    if (bin->given)
        return false;
    bin->given = true;
    gather->open--;
    tidy(bin, gather->cap);
    fill(unit, bin);
    fw_vec_release(&bin->picks);
    fw_vec_release(&bin->events);
    if (unit->suspects.len)
        return true;
    gather->left = fw_saturating_add(gather->left, unit->left);
    gather->refuted = fw_saturating_add(gather->refuted, unit->refuted);
    fw_unit_clear(unit);
    return false;
}

/* What belongs to no unit with a suspect, once. */
static bool give_counts(struct fw_gather *gather, struct fw_unit *unit)
{
    unit->left = gather->left;
    unit->refuted = gather->refuted;
    gather->left = gather->refuted = 0;
    return unit->left || unit->refuted;
}

bool fw_gather_next(struct fw_gather *gather, struct fw_unit *unit, bool rest)
{
    fw_unit_clear(unit);
    while (gather->ready_given < gather->ready.len)
        if (give(gather, unit, &gather->bins.at[gather->ready.at[gather->ready_given++]]))
            return true;
    fw_vec_clear(&gather->ready);
    gather->ready_given = 0;
    while (rest && gather->given < gather->bins.len)
        if (give(gather, unit, &gather->bins.at[gather->given++]))
            return true;
    return rest && give_counts(gather, unit);
}
