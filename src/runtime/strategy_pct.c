/*
 * strategy_pct.c - probabilistic concurrency testing, with strict priorities and with weights.
 *
 * pct: every thread gets a random priority; the highest one that can go on runs, and is preempted
 * by nobody of lower priority.  At d - 1 points, drawn from the expected length of the run before
 * it starts, the running thread's priority falls below all initial ones, at the i-th drawn one to
 * the i-th lowest.  A bug of depth d in a run of k points and n threads is hit with probability
 * 1 / (n k^(d-1)) at least (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).  A thread
 * that spins falls below all others, or nobody would ever change what it waits for; but not below
 * those whose priority falls later, or nobody would ever be delayed before the eyes of who spins.
 *
 * pctlarge: the same priorities as weights.  Who has more keeps the token longer (in points) and
 * gets it more often; nobody starves.
 */
#include "runtime/strategy.h"

#define MOST_CHANGES 64u
#define TOP          (UINT64_C(1) << 40) /* initial priorities lie above, lowered ones below ... */
#define SPUN         (UINT64_C(1) << 39) /* ... this, by ... */
#define AGE          128u                /* ... so much more every time that one has spun */

static uint64_t changes[MOST_CHANGES]; /* points where the priority falls */
static unsigned change_count;
static uint64_t spun; /* times that one has spun */

static void start(void)
{
    uint64_t length = fw_control->length ? fw_control->length : 1;

    spun = 0;
    change_count = fw_control->depth ? fw_control->depth - 1 : 0;
    if (change_count > MOST_CHANGES)
        change_count = MOST_CHANGES;
    for (unsigned i = 0; i < change_count; i++)
        changes[i] = fw_strategy_below(length) + 1;
}

static void born(struct fw_thread *t)
{
    t->plan.priority = TOP + fw_strategy_below(TOP);
}

/* The i-th change gives the priority i, whenever it comes (the paper's step 3). */
static void at_point(struct fw_thread *t)
{
    for (unsigned i = 0; i < change_count; i++)
        if (changes[i] == fw_control->point_count)
            t->plan.priority = SPUN - (spun + 1) * AGE + 1 + i;
}

static void away(struct fw_thread *t, enum fw_turn_end end)
{
    if (end == FW_TURN_YIELDED)
        t->plan.priority = SPUN - ++spun * AGE;
}

static struct fw_thread *pick(struct fw_thread *current, struct fw_list *ready)
{
    struct fw_thread *best = current;

    FW_EACH_READY(t, ready)
    if (!best || t->plan.priority > best->plan.priority)
        best = t;
    return best;
}

const struct fw_strategy fw_strategy_pct = {
    .start = start,
    .born = born,
    .at_point = at_point,
    .pick = pick,
    .away = away,
};

/* --- weights --------------------------------------------------------------------------------- */

#define LEVELS  20u /* of niceness; a step is a factor of 1.25 */
#define AVERAGE 8u  /* points of a turn at the middle level */

/* 1.25^level in units of 1/64 */
static uint64_t weight(const struct fw_thread *t)
{
    uint64_t level = t->plan.priority < TOP ? 0 : (t->plan.priority - TOP) * LEVELS / TOP + 1;
    uint64_t weight = 64;

    for (; level; level--)
        weight += weight / 4;
    return weight;
}

static struct fw_thread *draw_weighted(struct fw_list *ready)
{
    struct fw_thread *chosen = NULL;
    uint64_t sum = 0;

    FW_EACH_READY(t, ready)
    {
        uint64_t mine = t->plan.yields ? 1 : weight(t);

        sum += mine;
        if (fw_strategy_below(sum) < mine)
            chosen = t;
    }
    return chosen;
}

static struct fw_thread *pick_weighted(struct fw_thread *current, struct fw_list *ready)
{
    uint64_t middle = 64 * 9; /* about 1.25^10 */
    uint64_t turn;

    if (!current)
        return draw_weighted(ready);
    turn = AVERAGE * weight(current) / middle;
    if (ready->next == ready || fw_strategy_below(turn ? turn + 1 : 2) != 0)
        return current;
    return draw_weighted(ready);
}

const struct fw_strategy fw_strategy_pct_large = {
    .start = start,
    .born = born,
    .at_point = at_point,
    .pick = pick_weighted,
};
