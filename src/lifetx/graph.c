/* graph.c - see graph.h. */
#include "lifetx/graph.h"

#include "base/bug.h"

#define NEVER UINT64_MAX

struct pair {
    uint64_t from, to;
};

/* What an open transaction reaches in one thread. */
struct lane {
    uint32_t thread;
    uint64_t first;
    FW_VEC(struct pair) pairs; /* both ascending */
};

struct thread {
    bool open;
    uint32_t place; /* in txs.open */
    uint64_t start, now;
    FW_VEC(uint64_t) marks;
    FW_VEC(struct lane *) lanes; /* by thread */
};

struct fw_txs {
    FW_VEC(struct thread) threads;
    FW_VEC(uint32_t) open; /* threads */
    FW_VEC(struct lane *) spare;
};

struct fw_txs *fw_txs_create(void)
{
    return fw_xcalloc(1, sizeof(struct fw_txs));
}

static void release_lane(struct lane *lane)
{
    fw_vec_release(&lane->pairs);
    free(lane);
}

void fw_txs_destroy(struct fw_txs *txs)
{
    if (!txs)
        return;
    for (size_t i = 0; i < txs->threads.len; i++) {
        for (size_t j = 0; j < txs->threads.at[i].lanes.len; j++)
            release_lane(txs->threads.at[i].lanes.at[j]);
        fw_vec_release(&txs->threads.at[i].lanes);
        fw_vec_release(&txs->threads.at[i].marks);
    }
    for (size_t i = 0; i < txs->spare.len; i++)
        release_lane(txs->spare.at[i]);
    fw_vec_release(&txs->threads);
    fw_vec_release(&txs->open);
    fw_vec_release(&txs->spare);
    free(txs);
}

/* --- threads --------------------------------------------------------------------------------- */

/* It may have ended already, but then it has no events any more. */
static struct thread *thread_at(struct fw_txs *txs, uint32_t t)
{
    size_t known = txs->threads.len;

    if (FW_LIKELY(t < known))
        return &txs->threads.at[t];
    fw_vec_extend(&txs->threads, t + (size_t)1);
    for (size_t i = known; i < txs->threads.len; i++) {
        txs->threads.at[i].open = true;
        txs->threads.at[i].place = (uint32_t)txs->open.len;
        fw_vec_push(&txs->open, (uint32_t)i);
    }
    return &txs->threads.at[t];
}

uint64_t fw_txs_now(const struct fw_txs *txs, uint32_t t)
{
    return t < txs->threads.len ? txs->threads.at[t].now : 0;
}

uint64_t fw_txs_start(const struct fw_txs *txs, uint32_t t)
{
    return t < txs->threads.len ? txs->threads.at[t].start : 0;
}

void fw_txs_mark(struct fw_txs *txs, uint32_t t)
{
    struct thread *thread = thread_at(txs, t);

    fw_vec_push(&thread->marks, thread->now);
}

void fw_txs_unmark(struct fw_txs *txs, uint32_t t, size_t count)
{
    struct thread *thread = thread_at(txs, t);

    FW_ASSERT(count <= thread->marks.len);
    thread->marks.len -= count;
}

size_t fw_txs_size(const struct fw_txs *txs)
{
    size_t size = 0;

    for (size_t i = 0; i < txs->threads.len; i++)
        for (size_t j = 0; j < txs->threads.at[i].lanes.len; j++)
            size += 1 + txs->threads.at[i].lanes.at[j]->pairs.len;
    return size;
}

/* Is the event in the thread's open transaction? */
static bool is_open(const struct thread *thread, uint64_t n)
{
    return thread->open && n >= thread->start;
}

/* --- lanes ----------------------------------------------------------------------------------- */

static size_t lane_place(const struct thread *thread, uint32_t u)
{
    size_t low = 0, high = thread->lanes.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (thread->lanes.at[middle]->thread < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct lane *lane_find(const struct thread *thread, uint32_t u)
{
    size_t at = lane_place(thread, u);

    return at < thread->lanes.len && thread->lanes.at[at]->thread == u ? thread->lanes.at[at]
                                                                       : NULL;
}

static struct lane *lane_get(struct fw_txs *txs, struct thread *thread, uint32_t u)
{
    size_t at = lane_place(thread, u);
    struct lane *lane;

    if (at < thread->lanes.len && thread->lanes.at[at]->thread == u)
        return thread->lanes.at[at];
    lane = txs->spare.len ? fw_vec_pop(&txs->spare) : fw_xcalloc(1, sizeof *lane);
    lane->thread = u;
    lane->first = NEVER;
    fw_vec_push(&thread->lanes, lane);
    for (size_t i = thread->lanes.len - 1; i > at; i--)
        thread->lanes.at[i] = thread->lanes.at[i - 1];
    thread->lanes.at[at] = lane;
    return lane;
}

static void put_aside(struct fw_txs *txs, struct lane *lane)
{
    fw_vec_clear(&lane->pairs);
    fw_vec_push(&txs->spare, lane);
}

/* --- pairs ----------------------------------------------------------------------------------- */

/* Does no segment that the thread is still in begin between the two events of it? */
static bool are_one(const struct thread *thread, uint64_t a, uint64_t b)
{
    size_t i = thread->marks.len;

    while (i && thread->marks.at[i - 1] > b)
        i--;
    return !i || thread->marks.at[i - 1] <= a;
}

/* Of pairs whose first events will always be together the first one does. */
static void thin(const struct thread *thread, struct lane *lane)
{
    size_t kept = 0;

    for (size_t i = 0; i < lane->pairs.len; i++)
        if (!kept || !are_one(thread, lane->pairs.at[kept - 1].from, lane->pairs.at[i].from))
            lane->pairs.at[kept++] = lane->pairs.at[i];
    lane->pairs.len = kept;
}

/* What is no later from a later event makes others needless. */
static void insert(struct lane *lane, struct pair pair)
{
    size_t low = 0, high;

    while (low < lane->pairs.len && lane->pairs.at[low].to < pair.to)
        low++;
    if (low < lane->pairs.len && lane->pairs.at[low].to == pair.to &&
        lane->pairs.at[low].from >= pair.from)
        return;
    if (low && lane->pairs.at[low - 1].from >= pair.from)
        return;
    for (high = low; high < lane->pairs.len && lane->pairs.at[high].from <= pair.from; high++)
        ;
    if (high == low) {
        fw_vec_push(&lane->pairs, pair);
        for (size_t i = lane->pairs.len - 1; i > low; i--)
            lane->pairs.at[i] = lane->pairs.at[i - 1];
    } else {
        memmove(&lane->pairs.at[low + 1], &lane->pairs.at[high],
                (lane->pairs.len - high) * sizeof pair);
        lane->pairs.len -= high - low - 1;
    }
    lane->pairs.at[low] = pair;
}

static void add_pair(struct fw_txs *txs, struct thread *thread, uint32_t u, struct pair pair)
{
    struct lane *lane = lane_get(txs, thread, u);

    if (lane->pairs.len && fw_vec_last(&lane->pairs).to <= pair.to &&
        are_one(thread, fw_vec_last(&lane->pairs).from, pair.from))
        return;
    if (lane->pairs.len > 2 * thread->marks.len + 2)
        thin(thread, lane);
    insert(lane, pair);
}

/* The last event from which one before `limit` is reached directly; NULL: there is none. */
static const struct pair *last_before(const struct lane *lane, uint64_t limit)
{
    size_t i = lane->pairs.len;

    while (i && lane->pairs.at[i - 1].to >= limit)
        i--;
    return i ? &lane->pairs.at[i - 1] : NULL;
}

/* --- cycles ---------------------------------------------------------------------------------- */

static bool reaches(const struct fw_txs *txs, const struct thread *thread,
                    const struct fw_tx_event *event)
{
    const struct lane *lane = lane_find(thread, event->thread);

    return lane && (lane->first <= event->n || is_open(&txs->threads.at[event->thread], event->n));
}

static void later(bool *found, uint64_t *last, uint64_t from)
{
    *last = *found && *last > from ? *last : from;
    *found = true;
}

/* The last event of the transaction that leads to the given one. */
static bool last_out(const struct fw_txs *txs, const struct thread *thread,
                     const struct fw_tx_event *event, uint64_t *last)
{
    bool found = false;

    for (size_t i = 0; i < thread->lanes.len; i++) {
        const struct lane *lane = thread->lanes.at[i];
        const struct thread *other = &txs->threads.at[lane->thread];
        bool any = lane->thread == event->thread ? is_open(other, event->n)
                                                 : other->open && reaches(txs, other, event);
        const struct pair *pair = NULL;

        if (any)
            pair = last_before(lane, NEVER);
        else if (lane->thread == event->thread)
            pair = last_before(lane, event->n + 1);
        if (pair)
            later(&found, last, pair->from);
    }
    return found;
}

bool fw_txs_cycle(const struct fw_txs *txs, uint32_t t, const struct fw_tx_events *from,
                  uint64_t *last)
{
    const struct thread *thread;
    bool found = false;

    if (t >= txs->threads.len)
        return false;
    thread = &txs->threads.at[t];
    for (size_t i = 0; i < from->len; i++) {
        const struct fw_tx_event *event = &from->at[i];
        uint64_t own;

        if (event->thread == t || !reaches(txs, thread, event))
            continue;
        if (!last_out(txs, thread, event, &own))
            FW_BUG("a transaction reaches what none of its events leads to");
        later(&found, last, own);
    }
    return found;
}

/* --- what is reached ------------------------------------------------------------------------- */

/* `thread` reaches the open transaction `other`, and so what that one reaches.  True: news. */
static bool inherit(struct fw_txs *txs, struct thread *thread, uint32_t self,
                    const struct thread *other)
{
    bool news = false;

    for (size_t i = 0; i < other->lanes.len; i++) {
        const struct lane *theirs = other->lanes.at[i];
        struct lane *lane;

        if (theirs->thread == self || theirs->first == NEVER)
            continue;
        lane = lane_get(txs, thread, theirs->thread);
        if (theirs->first < lane->first) {
            lane->first = theirs->first;
            news = true;
        }
    }
    return news;
}

/* The open transaction comes to reach that of thread t. */
static void reach(struct fw_txs *txs, uint32_t o, uint32_t t)
{
    struct thread *open = &txs->threads.at[o];
    struct lane *lane = lane_get(txs, open, t);

    if (lane->first != NEVER)
        return;
    lane->first = txs->threads.at[t].start;
    inherit(txs, open, o, &txs->threads.at[t]);
}

static void add_edge(struct fw_txs *txs, const struct fw_tx_event *from, uint32_t t, uint64_t to)
{
    struct thread *source = thread_at(txs, from->thread);
    const struct lane *known;

    if (is_open(source, from->n)) {
        known = lane_find(source, t);
        if (known) {
            add_pair(txs, source, t, (struct pair) { from->n, to });
            return;
        }
        add_pair(txs, source, t, (struct pair) { from->n, to });
        reach(txs, from->thread, t);
    }
    for (size_t i = 0; i < txs->open.len; i++) {
        uint32_t o = txs->open.at[i];
        struct thread *open = &txs->threads.at[o];
        const struct lane *lane = lane_find(open, from->thread);
        const struct pair *pair;

        if (!lane || o == t || !reaches(txs, open, from))
            continue;
        pair = is_open(source, from->n) ? NULL : last_before(lane, from->n + 1);
        if (pair)
            add_pair(txs, open, t, (struct pair) { pair->from, to });
        reach(txs, o, t);
    }
}

void fw_txs_event(struct fw_txs *txs, uint32_t t, const struct fw_tx_events *from)
{
    struct thread *thread = thread_at(txs, t);
    uint64_t now = thread->now;

    for (size_t i = 0; i < from->len; i++)
        if (from->at[i].thread != t)
            add_edge(txs, &from->at[i], t, now);
    txs->threads.at[t].now++;
}

void fw_txs_fork(struct fw_txs *txs, struct fw_tx_event from, uint32_t child)
{
    thread_at(txs, child);
    if (from.thread != child)
        add_edge(txs, &from, child, 0);
}

/* --- transactions that end or are split ------------------------------------------------------ */

/*
 * Who reaches the part of t's transaction that ends before event `end` reaches what its events
 * before `end` lead to; and anywhere in it is as good as its beginning.
 */
static void hand_over(struct fw_txs *txs, uint32_t o, uint32_t t, uint64_t end)
{
    struct thread *open = &txs->threads.at[o];
    const struct thread *ends = &txs->threads.at[t];
    struct lane *lane = lane_find(open, t);
    const struct pair *into = lane ? last_before(lane, end) : NULL;
    struct pair pair;

    if (!into)
        return;
    pair = (struct pair) { into->from, ends->start };
    for (size_t i = 0; i < ends->lanes.len; i++) {
        const struct lane *out = ends->lanes.at[i];

        if (out->thread != o && out->pairs.len && out->pairs.at[0].from < end)
            add_pair(txs, open, out->thread, (struct pair) { pair.from, out->pairs.at[0].to });
    }
    insert(lane_find(open, t), pair);
}

static void hand_over_all(struct fw_txs *txs, uint32_t t, uint64_t end)
{
    for (size_t i = 0; i < txs->open.len; i++)
        if (txs->open.at[i] != t)
            hand_over(txs, txs->open.at[i], t, end);
}

void fw_txs_end(struct fw_txs *txs, uint32_t t)
{
    struct thread *thread = thread_at(txs, t);

    if (thread->start == thread->now)
        return;
    hand_over_all(txs, t, NEVER);
    for (size_t i = 0; i < thread->lanes.len; i++)
        put_aside(txs, thread->lanes.at[i]);
    fw_vec_clear(&thread->lanes);
    thread->start = thread->now;
}

void fw_txs_end_thread(struct fw_txs *txs, uint32_t t)
{
    struct thread *thread = thread_at(txs, t);
    uint32_t last;

    if (!thread->open)
        return;
    fw_txs_end(txs, t);
    thread->open = false;
    last = fw_vec_pop(&txs->open);
    if (last != t) {
        txs->open.at[thread->place] = last;
        txs->threads.at[last].place = thread->place;
    }
}

/* What pairs alone say is reached. */
static void reach_by_pairs(struct fw_txs *txs, struct thread *thread)
{
    size_t kept = 0;

    for (size_t i = 0; i < thread->lanes.len; i++) {
        struct lane *lane = thread->lanes.at[i];
        const struct thread *other = &txs->threads.at[lane->thread];

        if (!lane->pairs.len) {
            put_aside(txs, lane);
            continue;
        }
        lane->first = lane->pairs.at[0].to;
        if (is_open(other, lane->first))
            lane->first = other->start;
        thread->lanes.at[kept++] = lane;
    }
    thread->lanes.len = kept;
}

/* Splits are few: everything anew. */
static void reach_again(struct fw_txs *txs)
{
    bool news = true;

    for (size_t i = 0; i < txs->open.len; i++)
        reach_by_pairs(txs, &txs->threads.at[txs->open.at[i]]);
    while (news) {
        news = false;
        for (size_t i = 0; i < txs->open.len; i++) {
            uint32_t o = txs->open.at[i];
            struct thread *open = &txs->threads.at[o];

            for (size_t j = 0; j < open->lanes.len; j++) {
                uint32_t u = open->lanes.at[j]->thread;

                if (txs->threads.at[u].open)
                    news |= inherit(txs, open, o, &txs->threads.at[u]);
            }
        }
    }
}

void fw_txs_split(struct fw_txs *txs, uint32_t t, uint64_t at)
{
    struct thread *thread = thread_at(txs, t);

    FW_ASSERT(at > thread->start && at <= thread->now);
    hand_over_all(txs, t, at);
    for (size_t i = 0; i < thread->lanes.len; i++) {
        struct lane *lane = thread->lanes.at[i];
        size_t gone = 0;

        while (gone < lane->pairs.len && lane->pairs.at[gone].from < at)
            gone++;
        if (!gone)
            continue;
        lane->pairs.len -= gone;
        memmove(lane->pairs.at, lane->pairs.at + gone, lane->pairs.len * sizeof *lane->pairs.at);
    }
    thread->start = at;
    reach_again(txs);
}
