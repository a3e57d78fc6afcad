/*
 * naive_sidetrack_rules.c - the rules of figure 20.3 with whole clocks.
 *
 * The state is run through from the start of the trace for one block and one
 * mode of culprits at a time; H and I are kept for that block alone, C, R, A
 * and V as in the figure.  V_m is a list of clocks, one a window, so that the
 * window to report is known.
 */
#include "support/naive_sidetrack.h"

#include "support/naive_blocks.h"

#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 32
#define MAX_LOCKS   32

struct clock {
    uint32_t at[MAX_THREADS];
};

struct window {
    uint32_t lock, first, second;
    struct clock clock;
};

/* The latest acquire of a culprit; of each thread if they are shared. */
struct culprit {
    uint32_t acquire;
    struct clock acquired, released;
    bool is_released;
};

struct rules {
    const struct fw_index *index;
    const struct fw_trace *trace;
    struct fw_naive_blocks blocks;
    const struct fw_naive_block *block; /* the one whose H and I are kept */
    bool shared;                        /* the culprits' mode */
    struct clock C[MAX_THREADS];
    struct clock exclusive[MAX_LOCKS], joint[MAX_LOCKS]; /* R_m, of releases of either mode */
    struct culprit culprits[MAX_LOCKS][MAX_THREADS];     /* A_m and R_m */
    uint32_t latest[MAX_LOCKS];    /* H_t: the block's latest acquire, FW_NO_EVENT if none */
    uint32_t suspect[MAX_LOCKS];   /* I_t: its culprit, FW_NO_EVENT if none */
    struct clock *sent;            /* by event: its clock, for the edges of all other kinds */
    FW_VEC(struct window) windows; /* V_m, of all blocks */
    struct fw_sidetrack_reports *reports;
};

static bool below(const struct clock *a, const struct clock *b)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (a->at[i] > b->at[i])
            return false;
    return true;
}

static void join(struct clock *to, const struct clock *from)
{
    for (int i = 0; i < MAX_THREADS; i++)
        to->at[i] = to->at[i] > from->at[i] ? to->at[i] : from->at[i];
}

static void report(struct rules *r, enum fw_sidetrack_error error, uint32_t first, uint32_t second,
                   uint32_t culprit)
{
    fw_vec_push(r->reports, ((struct fw_sidetrack_report) { error, first, second, culprit }));
}

/* --- acquires ---------------------------------------------------------------------------- */

static bool is_shared(const struct fw_event *event)
{
    return fw_is_class(event->kind, FW_CLASS_SHARED);
}

/* The latest culprit whose acquire (or release) is not below C_t. */
static uint32_t unseen(const struct rules *r, const struct fw_event *event, bool released)
{
    uint32_t found = FW_NO_EVENT;

    for (int u = 0; u < MAX_THREADS; u++) {
        const struct culprit *culprit = &r->culprits[event->target][u];

        if (culprit->acquire == FW_NO_EVENT || (released && !culprit->is_released))
            continue;
        if (!below(released ? &culprit->released : &culprit->acquired, &r->C[event->thread]) &&
            (found == FW_NO_EVENT || culprit->acquire > found))
            found = culprit->acquire;
    }
    return found;
}

/* In any block: the previous acquire of the outermost block that this one is in. */
static uint32_t previous_in_outermost(const struct rules *r, uint32_t i)
{
    const struct fw_event *events = r->trace->events;

    for (uint32_t b = 0; b < r->blocks.count; b++) {
        const struct fw_naive_block *block = &r->blocks.at[b];

        if (block->level != 1 || !fw_naive_block_holds(r->trace, block, i))
            continue;
        for (uint32_t j = i; j-- > block->first;)
            if (fw_naive_block_holds(r->trace, block, j) &&
                fw_is_class(events[j].kind, FW_CLASS_ACQUIRE) &&
                events[j].target == events[i].target && !(r->shared && is_shared(&events[j])))
                return j;
    }
    return FW_NO_EVENT;
}

/* if V_m is not below C_t then AFTER-ERROR: the latest such window */
static void check_after(struct rules *r, const struct fw_event *event, uint32_t i)
{
    for (size_t w = r->windows.len; w-- > 0;) {
        const struct window *window = &r->windows.at[w];

        if (window->lock == event->target && !below(&window->clock, &r->C[event->thread])) {
            report(r, FW_SIDETRACK_AFTER, window->first, window->second, i);
            return;
        }
    }
}

static void block_acquire(struct rules *r, const struct fw_event *event, uint32_t i)
{
    uint32_t m = event->target, culprit;

    if (r->latest[m] == FW_NO_EVENT) { /* [ST FIRST ACQUIRE] */
        r->suspect[m] = unseen(r, event, false);
    } else { /* [ST SECOND ACQUIRE] */
        culprit = unseen(r, event, true);
        if (r->suspect[m] != FW_NO_EVENT)
            report(r, FW_SIDETRACK_BEFORE, r->latest[m], i, r->suspect[m]);
        if (culprit != FW_NO_EVENT)
            report(r, FW_SIDETRACK_IN, r->latest[m], i, culprit);
    }
    r->latest[m] = i;
}

static void acquire(struct rules *r, const struct fw_event *event, uint32_t i)
{
    uint32_t t = event->thread, m = event->target, previous = previous_in_outermost(r, i);
    bool end = !(r->shared && is_shared(event)), culprit = r->shared == is_shared(event);
    struct clock old = r->C[t];

    if (end && r->block && fw_naive_block_holds(r->trace, r->block, i))
        block_acquire(r, event, i);
    if (culprit)
        check_after(r, event, i);
    if (end && previous != FW_NO_EVENT)
        fw_vec_push(&r->windows, ((struct window) { m, previous, i, old }));
    for (int u = 0; culprit && !r->shared && u < MAX_THREADS; u++)
        r->culprits[m][u].acquire = FW_NO_EVENT;
    if (culprit)
        r->culprits[m][t] = (struct culprit) { .acquire = i, .acquired = old };
    join(&r->C[t], &r->exclusive[m]);
    if (!is_shared(event))
        join(&r->C[t], &r->joint[m]);
}

static void release(struct rules *r, const struct fw_event *event)
{
    uint32_t t = event->thread, m = event->target;
    struct culprit *culprit = &r->culprits[m][t];

    if (r->shared == is_shared(event)) {
        culprit->released = r->C[t];
        culprit->is_released = true;
    }
    if (is_shared(event))
        join(&r->joint[m], &r->C[t]);
    else
        r->exclusive[m] = r->C[t];
    r->C[t].at[t]++;
}

/* --- everything else --------------------------------------------------------------------- */

static bool is_fence(const struct fw_event *event, bool releases)
{
    return event->kind == FW_FENCE &&
           (releases ? fw_order_releases(event->order) : fw_order_acquires(event->order));
}

/* What the event at i learns from the store that the load sees, and its release sequence. */
static void learn_store(struct rules *r, uint32_t load, uint32_t i)
{
    const struct fw_event *events = r->trace->events;

    for (uint32_t s = r->index->partner[load]; s != FW_NO_EVENT;
         s = events[s].kind == FW_ATOMIC_RMW ? r->index->partner[s] : FW_NO_EVENT) {
        if (!fw_is_class(events[s].kind, FW_CLASS_ATOMIC))
            return;
        if (fw_order_releases(events[s].order))
            join(&r->C[events[i].thread], &r->sent[s]);
        for (uint32_t f = 0; f < s; f++)
            if (events[f].thread == events[s].thread && is_fence(&events[f], true))
                join(&r->C[events[i].thread], &r->sent[f]);
    }
}

static bool is_load(const struct fw_event *event)
{
    return event->kind == FW_ATOMIC_LOAD || event->kind == FW_ATOMIC_RMW;
}

static void learn(struct rules *r, const struct fw_event *event, uint32_t i)
{
    const struct fw_event *events = r->trace->events;
    uint32_t t = event->thread, partner = r->index->partner[i];

    if ((event->kind == FW_WAKE || event->kind == FW_PEND) && partner != FW_NO_EVENT)
        join(&r->C[t], &r->sent[partner]);
    if (event->kind == FW_BARRIER_OUT)
        for (uint32_t j = 0; j < fw_row_count(&r->index->rounds, r->index->round_of[i]); j++)
            join(&r->C[t], &r->sent[fw_row(&r->index->rounds, r->index->round_of[i])[j]]);
    for (uint32_t j = 0; event->kind == FW_BARRIER_IN && j < i; j++)
        if (events[j].kind == FW_BARRIER_IN && events[j].target == event->target &&
            r->index->round_of[j] != r->index->round_of[i])
            join(&r->C[t], &r->sent[j]);
    if (is_load(event) && fw_order_acquires(event->order))
        learn_store(r, i, i);
    for (uint32_t j = 0; is_fence(event, false) && j < i; j++)
        if (events[j].thread == t && is_load(&events[j]))
            learn_store(r, j, i);
}

/* Where other threads may learn from. */
static bool is_sender(const struct fw_event *event)
{
    switch (event->kind) {
    case FW_FORK:
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
    case FW_POST:
    case FW_BARRIER_IN:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
    case FW_FENCE:
        return true;
    default:
        return false;
    }
}

static void other(struct rules *r, const struct fw_event *event, uint32_t i)
{
    uint32_t t = event->thread;

    learn(r, event, i);
    r->sent[i] = r->C[t];
    if (event->kind == FW_FORK)
        join(&r->C[event->target], &r->C[t]);
    if (event->kind == FW_JOIN) {
        join(&r->C[t], &r->C[event->target]);
        r->C[event->target].at[event->target]++;
    }
    r->C[t].at[t] += is_sender(event);
}

static void run_rules(struct rules *r)
{
    memset(r->C, 0, sizeof r->C);
    memset(r->exclusive, 0, sizeof r->exclusive);
    memset(r->joint, 0, sizeof r->joint);
    memset(r->latest, 0xff, sizeof r->latest);
    memset(r->suspect, 0xff, sizeof r->suspect);
    for (int m = 0; m < MAX_LOCKS; m++)
        for (int u = 0; u < MAX_THREADS; u++)
            r->culprits[m][u].acquire = FW_NO_EVENT;
    for (int t = 0; t < MAX_THREADS; t++)
        r->C[t].at[t] = 1;
    fw_vec_clear(&r->windows);
    for (uint32_t i = 0; i < r->trace->count; i++) {
        const struct fw_event *event = &r->trace->events[i];

        if (fw_is_class(event->kind, FW_CLASS_ACQUIRE))
            acquire(r, event, i);
        else if (fw_is_class(event->kind, FW_CLASS_RELEASE))
            release(r, event);
        else
            other(r, event, i);
    }
}

struct fw_sidetrack_reports fw_naive_sidetrack_rules(const struct fw_index *index, bool functions)
{
    struct fw_sidetrack_reports reports = { 0 };
    struct rules *r = fw_xcalloc(1, sizeof *r);

    r->index = index;
    r->trace = index->trace;
    r->reports = &reports;
    r->blocks = fw_naive_blocks(index, functions);
    r->sent = fw_xcalloc(r->trace->count + 1u, sizeof *r->sent);
    for (int shared = 0; shared <= 1; shared++) {
        r->shared = shared;
        for (uint32_t b = 0; b < r->blocks.count; b++) {
            r->block = &r->blocks.at[b];
            run_rules(r);
        }
    }
    fw_sidetrack_reports_sort(&reports);
    fw_vec_release(&r->windows);
    fw_naive_blocks_release(&r->blocks);
    free(r->sent);
    free(r);
    return reports;
}
