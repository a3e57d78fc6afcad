/*
 * cycles.c - see cycles.h: a depth-first search, as a machine that can be left at a result.
 *
 * A path is given up where the way back to its start is longer than what is left
 * of the length.  The ways back are measured from each start, breadth first and
 * backwards, over the lanes above it; as far as the length asks for, and farther
 * while that is cheap.  What a start would have needed is kept (`need`): no
 * shorter length looks at it again, and lengths that none needs are skipped.
 */
#include "predict/cycles.h"

#include "base/bug.h"

#define FARTHER 16u   /* lanes, for each one of the length, up to which a measuring is cheap */
#define ANY     4096u /* the same if cycles may have any length */
#define PRICE   16u   /* lanes measured that count as one step */
#define NEVER   UINT32_MAX

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

    uint32_t *need; /* by lane: no cycle that starts there and is still to come is shorter */
    struct fw_rows waiters;  /* what is wanted → useful lanes that want it, ascending */
    uint32_t *back;          /* by lane: steps back to the start, if measured[] says so */
    uint32_t *measured;      /* by lane: the round that did it */
    uint32_t *asked;         /* by what is wanted: the same */
    uint32_t round, unknown; /* unknown: least way back of the lanes that are not measured */
    FW_VEC(uint32_t) queue;
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

static void find_waiters(struct fw_cycles *cycles, uint32_t lock_count)
{
    struct fw_rows *rows = &cycles->waiters;
    uint32_t *next;

    rows->rows = lock_count * 2;
    rows->start = fw_xcalloc((size_t)rows->rows + 1, sizeof *rows->start);
    for (uint32_t i = 0; i < cycles->lanes->len; i++)
        if (cycles->useful[i])
            rows->start[wanted(cycles, i) + 1]++;
    for (uint32_t i = 0; i < rows->rows; i++)
        rows->start[i + 1] += rows->start[i];
    rows->items = fw_xcalloc((size_t)rows->start[rows->rows] + 1, sizeof *rows->items);
    next = fw_xcalloc((size_t)rows->rows + 1, sizeof *next);
    for (uint32_t i = 0; i < cycles->lanes->len; i++) {
        uint32_t want = wanted(cycles, i);

        if (cycles->useful[i])
            rows->items[rows->start[want] + next[want]++] = i;
    }
    free(next);
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
    find_waiters(cycles, lock_count);
    cycles->need = fw_xcalloc((size_t)lanes->len + 1, sizeof *cycles->need);
    cycles->back = fw_xcalloc((size_t)lanes->len + 1, sizeof *cycles->back);
    cycles->measured = fw_xcalloc((size_t)lanes->len + 1, sizeof *cycles->measured);
    cycles->asked = fw_xcalloc((size_t)lock_count * 2 + 1, sizeof *cycles->asked);
    return cycles;
}

void fw_cycles_destroy(struct fw_cycles *cycles)
{
    if (!cycles)
        return;
    free(cycles->useful);
    free(cycles->holders.start);
    free(cycles->holders.items);
    free(cycles->waiters.start);
    free(cycles->waiters.items);
    free(cycles->need);
    free(cycles->back);
    free(cycles->measured);
    free(cycles->asked);
    fw_vec_release(&cycles->queue);
    fw_vec_release(&cycles->path);
    fw_vec_release(&cycles->next);
    free(cycles);
}

void fw_cycles_start(struct fw_cycles *cycles, uint32_t length)
{
    bool afresh = !cycles->length || length <= cycles->length;

    for (uint32_t i = 0; afresh && i < cycles->lanes->len; i++)
        cycles->need[i] = cycles->useful[i] ? 0 : NEVER;
    cycles->length = length;
    cycles->start = 0;
    fw_vec_clear(&cycles->path);
    fw_vec_clear(&cycles->next);
}

uint32_t fw_cycles_next_length(const struct fw_cycles *cycles)
{
    uint32_t least = NEVER;

    for (uint32_t i = 0; i < cycles->lanes->len; i++)
        if (cycles->need[i] < least)
            least = cycles->need[i];
    return least == NEVER ? 0 : least;
}

/* May the two be in a cycle together, whatever they wait for? */
static bool can_meet(const struct fw_cycles *cycles, uint32_t a, uint32_t b)
{
    const struct fw_lane *x = &cycles->lanes->at[a], *y = &cycles->lanes->at[b];

    return x->key.thread != y->key.thread &&
           fw_lock_sets_compatible(cycles->index, x->key.locks, y->key.locks) &&
           !(cycles->apart && cycles->apart(cycles->context, x, y));
}

/* --- the way back ------------------------------------------------------------------------ */

/* Puts into the queue who is above the start and wants this. */
static void queue_waiters(struct fw_cycles *cycles, uint32_t want, uint32_t start, uint32_t back)
{
    uint32_t first = cycles->waiters.start[want];

    if (cycles->asked[want] == cycles->round)
        return;
    cycles->asked[want] = cycles->round;
    for (uint32_t i = cycles->waiters.start[want + 1]; i > first; i--) {
        uint32_t lane = cycles->waiters.items[i - 1];

        if (lane <= start)
            break;
        if (cycles->measured[lane] == cycles->round || !can_meet(cycles, start, lane))
            continue;
        cycles->measured[lane] = cycles->round;
        cycles->back[lane] = back;
        fw_vec_push(&cycles->queue, lane);
    }
}

/* Puts into the queue who waits for the lane. */
static void queue_before(struct fw_cycles *cycles, uint32_t lane, uint32_t start, uint32_t back)
{
    struct fw_lock_list list = held(cycles, lane);

    for (uint32_t i = 0; i < list.len; i++) {
        queue_waiters(cycles, list.at[i] & ~1u, start, back);
        if (!(list.at[i] & 1))
            queue_waiters(cycles, list.at[i] | 1u, start, back);
    }
}

/* Measures the ways back to the start; with length 2 a look at the lane itself is enough. */
static void measure(struct fw_cycles *cycles, uint32_t start, uint64_t *budget)
{
    uint64_t cheap = cycles->length ? (uint64_t)FARTHER * cycles->length : ANY, cost;
    size_t at = 0;

    fw_vec_clear(&cycles->queue);
    cycles->unknown = 2;
    if (cycles->length == 2)
        return;
    if (++cycles->round == 0)
        FW_BUG("too many starts of cycles");
    queue_before(cycles, start, start, 1);
    while (at < cycles->queue.len) {
        uint32_t lane = cycles->queue.at[at++], back = cycles->back[lane];

        cycles->unknown = back + 1;
        if (back + 2 >= cycles->length && cycles->queue.len >= cheap)
            break;
        queue_before(cycles, lane, start, back + 1);
        cycles->unknown = NEVER;
    }
    if (!cycles->queue.len)
        cycles->unknown = NEVER;
    cost = cycles->queue.len / PRICE;
    if (budget)
        *budget -= cost < *budget ? cost : *budget;
}

/* At least so many steps are from the lane back to the start. */
static uint32_t way_back(const struct fw_cycles *cycles, uint32_t lane)
{
    if (cycles->length == 2)
        return waits_for(cycles, lane, cycles->path.at[0]) ? 1 : 2;
    return cycles->measured[lane] == cycles->round ? cycles->back[lane] : cycles->unknown;
}

/* Can a cycle of the length be closed if the lane comes next?  Keeps what it would need. */
static bool may_close(struct fw_cycles *cycles, uint32_t lane)
{
    uint32_t start = cycles->path.at[0], back = way_back(cycles, lane), total;

    if (lane <= start || back == NEVER)
        return false;
    total = (uint32_t)cycles->path.len + back;
    if (!cycles->length || total <= cycles->length)
        return !cycles->length || total == cycles->length || back > 1;
    if (total < cycles->need[start])
        cycles->need[start] = total;
    return false;
}

/* --- paths ------------------------------------------------------------------------------- */

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
        if (may_close(cycles, lane) && may_follow(cycles, lane))
            return lane;
    }
    return FW_NO_EVENT;
}

/* Begins a path at the next lane that may start a cycle of the length; false: no more. */
static bool begin(struct fw_cycles *cycles, uint64_t *budget)
{
    uint32_t longest = cycles->length ? cycles->length : NEVER - 1;

    while (cycles->start < cycles->lanes->len && cycles->need[cycles->start] > longest)
        cycles->start++;
    if (cycles->start == cycles->lanes->len)
        return false;
    measure(cycles, cycles->start, budget);
    cycles->need[cycles->start] = NEVER;
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

        if (!cycles->path.len && !begin(cycles, budget))
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
