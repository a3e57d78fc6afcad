/* cycles.c - see cycles.h: a depth-first search, as a machine that can be left at a result. */
#include "predict/cycles.h"

struct fw_cycles {
    const struct fw_index *index;
    const struct fw_lanes *lanes;
    bool (*apart)(void *context, const struct fw_lane *a, const struct fw_lane *b);
    void *context;
    bool *useful;           /* by lane */
    struct fw_rows holders; /* lock → useful lanes that hold it, ascending */

    uint32_t length; /* of the cycles that are looked for; 0: any */
    uint32_t start;  /* the next lowest lane */
    FW_VEC(uint32_t) path;
    FW_VEC(uint32_t) next; /* for each lane of the path: place in its lock's holders */
    bool reached;
};

static uint32_t wanted(const struct fw_cycles *cycles, uint32_t lane)
{
    return cycles->lanes->at[lane].key.sites[1];
}

static struct fw_lock_list held(const struct fw_cycles *cycles, uint32_t lane)
{
    return fw_lock_list(cycles->index, cycles->lanes->at[lane].key.locks);
}

/* Does a wait for what b holds? */
static bool waits_for(const struct fw_cycles *cycles, uint32_t a, uint32_t b)
{
    struct fw_lock_list list = held(cycles, b);
    uint32_t want = wanted(cycles, a);

    for (uint32_t i = 0; i < list.len; i++)
        if (list.at[i] / 2 == want / 2)
            return !(list.at[i] & want & 1);
    return false;
}

/* --- what can be in a cycle at all ------------------------------------------------------- */

struct tally {
    uint32_t *holders, *waiters; /* lock → useful lanes that hold it, that want it */
};

static void count_lane(const struct fw_cycles *cycles, struct tally *tally, uint32_t lane,
                       uint32_t change)
{
    struct fw_lock_list list = held(cycles, lane);

    tally->waiters[wanted(cycles, lane) / 2] += change;
    for (uint32_t i = 0; i < list.len; i++)
        tally->holders[list.at[i] / 2] += change;
}

static bool may_be_in_cycle(const struct fw_cycles *cycles, const struct tally *tally,
                            uint32_t lane)
{
    struct fw_lock_list list = held(cycles, lane);

    if (!tally->holders[wanted(cycles, lane) / 2])
        return false;
    for (uint32_t i = 0; i < list.len; i++)
        if (tally->waiters[list.at[i] / 2])
            return true;
    return false;
}

static void find_useful(struct fw_cycles *cycles, uint32_t lock_count)
{
    struct tally tally = { fw_xcalloc(lock_count + 1, sizeof(uint32_t)),
                           fw_xcalloc(lock_count + 1, sizeof(uint32_t)) };
    bool changed = true;

    for (uint32_t i = 0; i < cycles->lanes->len; i++) {
        cycles->useful[i] = true;
        count_lane(cycles, &tally, i, 1);
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < cycles->lanes->len; i++) {
            if (!cycles->useful[i] || may_be_in_cycle(cycles, &tally, i))
                continue;
            cycles->useful[i] = false;
            count_lane(cycles, &tally, i, UINT32_MAX); /* minus 1 */
            changed = true;
        }
    }
    free(tally.holders);
    free(tally.waiters);
}

static void find_holders(struct fw_cycles *cycles, uint32_t lock_count)
{
    struct fw_rows *rows = &cycles->holders;
    uint32_t *next;

    rows->rows = lock_count;
    rows->start = fw_xcalloc((size_t)lock_count + 1, sizeof *rows->start);
    for (uint32_t i = 0; i < cycles->lanes->len; i++)
        for (uint32_t k = 0; cycles->useful[i] && k < held(cycles, i).len; k++)
            rows->start[held(cycles, i).at[k] / 2 + 1]++;
    for (uint32_t i = 0; i < lock_count; i++)
        rows->start[i + 1] += rows->start[i];
    rows->items = fw_xcalloc((size_t)rows->start[lock_count] + 1, sizeof *rows->items);
    next = fw_xcalloc((size_t)lock_count + 1, sizeof *next);
    for (uint32_t i = 0; i < cycles->lanes->len; i++)
        for (uint32_t k = 0; cycles->useful[i] && k < held(cycles, i).len; k++) {
            uint32_t lock = held(cycles, i).at[k] / 2;

            rows->items[rows->start[lock] + next[lock]++] = i;
        }
    free(next);
}

/* --- the search -------------------------------------------------------------------------- */

struct fw_cycles *fw_cycles_create(const struct fw_index *index, const struct fw_lanes *lanes,
                                   bool (*apart)(void *context, const struct fw_lane *a,
                                                 const struct fw_lane *b),
                                   void *context)
{
    struct fw_cycles *cycles = fw_xcalloc(1, sizeof *cycles);
    uint32_t lock_count = fw_symbols_count(index->trace->symbols, FW_SPACE_LOCK);

    cycles->index = index;
    cycles->lanes = lanes;
    cycles->apart = apart;
    cycles->context = context;
    cycles->useful = fw_xcalloc((size_t)lanes->len + 1, sizeof *cycles->useful);
    find_useful(cycles, lock_count);
    find_holders(cycles, lock_count);
    return cycles;
}

void fw_cycles_destroy(struct fw_cycles *cycles)
{
    if (!cycles)
        return;
    free(cycles->useful);
    free(cycles->holders.start);
    free(cycles->holders.items);
    fw_vec_release(&cycles->path);
    fw_vec_release(&cycles->next);
    free(cycles);
}

void fw_cycles_start(struct fw_cycles *cycles, uint32_t length)
{
    cycles->length = length;
    cycles->start = 0;
    cycles->reached = false;
    fw_vec_clear(&cycles->path);
    fw_vec_clear(&cycles->next);
}

bool fw_cycles_reached(const struct fw_cycles *cycles)
{
    return cycles->reached;
}

/* May the two be in a cycle together, whatever they wait for? */
static bool can_meet(const struct fw_cycles *cycles, uint32_t a, uint32_t b)
{
    const struct fw_lane *x = &cycles->lanes->at[a], *y = &cycles->lanes->at[b];

    return x->key.thread != y->key.thread &&
           fw_lock_sets_compatible(cycles->index, x->key.locks, y->key.locks) &&
           !(cycles->apart && cycles->apart(cycles->context, x, y));
}

/* May the lane, which holds what the path's last one wants, come next? */
static bool may_follow(const struct fw_cycles *cycles, uint32_t lane)
{
    size_t len = cycles->path.len;

    if (lane <= cycles->path.at[0] || !waits_for(cycles, cycles->path.at[len - 1], lane))
        return false;
    for (size_t i = 0; i < len; i++) {
        uint32_t other = cycles->path.at[i];

        if (i > 0 && waits_for(cycles, lane, other))
            return false;
        if (i + 1 < len && waits_for(cycles, other, lane))
            return false;
        if (!can_meet(cycles, lane, other))
            return false;
    }
    return true;
}

static void push(struct fw_cycles *cycles, uint32_t lane)
{
    fw_vec_push(&cycles->path, lane);
    fw_vec_push(&cycles->next, cycles->holders.start[wanted(cycles, lane) / 2]);
    if (cycles->path.len == cycles->length)
        cycles->reached = true;
}

static void pop(struct fw_cycles *cycles)
{
    cycles->path.len--;
    cycles->next.len--;
}

/* The next lane that may follow the path's last one, or FW_NO_EVENT. */
static uint32_t next_lane(struct fw_cycles *cycles, uint64_t *budget)
{
    uint32_t last = fw_vec_last(&cycles->path);
    uint32_t end = cycles->holders.start[wanted(cycles, last) / 2 + 1];
    uint32_t *at = &fw_vec_last(&cycles->next);

    while (*at < end && !(budget && *budget == 0)) {
        uint32_t lane = cycles->holders.items[(*at)++];

        if (budget)
            --*budget;
        if (may_follow(cycles, lane))
            return lane;
    }
    return FW_NO_EVENT;
}

/* Begins a path at the next useful lane; false: no more. */
static bool begin(struct fw_cycles *cycles)
{
    while (cycles->start < cycles->lanes->len && !cycles->useful[cycles->start])
        cycles->start++;
    if (cycles->start == cycles->lanes->len)
        return false;
    push(cycles, cycles->start++);
    return true;
}

/*
 * A path whose last lane waits for the first is a cycle, and goes no further: a longer one
 * would have a chord.
 */
bool fw_cycles_next(struct fw_cycles *cycles, const uint32_t **lanes, uint32_t *count,
                    uint64_t *budget)
{
    while (!(budget && *budget == 0)) {
        uint32_t lane;
        bool closes;

        if (!cycles->path.len && !begin(cycles))
            return false;
        lane = next_lane(cycles, budget);
        if (lane == FW_NO_EVENT) {
            if (budget && *budget == 0)
                return false; /* there may be more here */
            pop(cycles);
            continue;
        }
        push(cycles, lane);
        closes = waits_for(cycles, lane, cycles->path.at[0]);
        if (closes && (!cycles->length || cycles->path.len == cycles->length)) {
            *lanes = cycles->path.at;
            *count = (uint32_t)cycles->path.len;
            pop(cycles); /* the lanes stay where they are until the next push */
            return true;
        }
        if (closes || cycles->path.len == cycles->length)
            pop(cycles);
    }
    return false;
}
