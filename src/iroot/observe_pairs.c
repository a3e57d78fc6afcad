/*
 * observe_pairs.c - idioms of two dependencies.
 *
 * Of each two threads the dependencies between them are kept, by the time of their second access,
 * as long as the first or the second is in the window of its thread.  A new one is the later of
 * the two of an instance: it is held against all of them.
 */
#include "iroot/observe_state.h"

#include "base/alloc.h"

#include <stdlib.h>

#define FEW_PAIRS 16u

/* --- what a thread accessed in its window ----------------------------------------------------- */

static struct recent_slot *find_recent(const struct thread *thread, uint64_t object)
{
    uint32_t mask = thread->recent_size - 1;
    uint32_t i = (uint32_t)(object * 0x9e3779b97f4a7c15u >> 32) & mask;

    while (thread->recent[i].at && thread->recent[i].object != object)
        i = (i + 1) & mask;
    return &thread->recent[i];
}

/* At most half of the slots is used, and of these at most the half by what is in the window. */
static void make_room(struct thread *thread, uint64_t window)
{
    struct thread old = *thread;
    uint32_t live = 0;

    for (uint32_t i = 0; i < old.recent_size; i++)
        live += old.recent[i].at && old.recent[i].at + window >= old.count;
    while (thread->recent_size < 16 || live * 4 >= thread->recent_size)
        thread->recent_size = thread->recent_size ? thread->recent_size * 2 : 16;
    thread->recent = fw_xcalloc(thread->recent_size, sizeof *thread->recent);
    thread->recent_used = live;
    for (uint32_t i = 0; i < old.recent_size; i++)
        if (old.recent[i].at && old.recent[i].at + window >= old.count)
            *find_recent(thread, old.recent[i].object) = old.recent[i];
    free(old.recent);
}

uint64_t fw_thread_meets(struct thread *thread, uint64_t object, uint64_t window)
{
    struct recent_slot *slot;
    uint64_t before;

    if (thread->recent_used * 2 >= thread->recent_size)
        make_room(thread, window);
    slot = find_recent(thread, object);
    thread->recent_used += !slot->at;
    before = slot->at;
    *slot = (struct recent_slot) { object, thread->count };
    return before + window >= thread->count ? before : 0;
}

static uint64_t latest_access(const struct thread *thread, uint64_t object)
{
    return find_recent(thread, object)->at;
}

/* --- pairs of threads ------------------------------------------------------------------------- */

static bool is_needed(const struct fw_observer *observer, const struct edge *edge,
                      const struct thread *from, const struct thread *to)
{
    return (!from->ended && edge->a_at + observer->window >= from->count) ||
           (!to->ended && edge->b_at + observer->window >= to->count);
}

static void thin(struct fw_observer *observer, struct edges *edges, uint32_t from, uint32_t to)
{
    size_t kept = 0;

    for (size_t i = 0; i < edges->len; i++)
        if (is_needed(observer, &edges->at[i], &observer->threads.at[from],
                      &observer->threads.at[to]))
            edges->at[kept++] = edges->at[i];
    edges->len = kept;
}

static uint32_t hash_threads(uint32_t low, uint32_t high)
{
    return (uint32_t)((((uint64_t)low << 32) + high) * 0x9e3779b97f4a7c15u >> 32);
}

static void release_pair(struct pair *pair)
{
    fw_vec_release(&pair->edges[0]);
    fw_vec_release(&pair->edges[1]);
}

/* Pairs without dependencies that are needed are as good as none. */
static void sweep(struct fw_observer *observer)
{
    size_t kept = 0;

    fw_idmap_release(&observer->by_threads);
    for (size_t i = 0; i < observer->pairs.len; i++) {
        struct pair *pair = &observer->pairs.at[i];

        thin(observer, &pair->edges[0], pair->low, pair->high);
        thin(observer, &pair->edges[1], pair->high, pair->low);
        if (!pair->edges[0].len && !pair->edges[1].len) {
            release_pair(pair);
            continue;
        }
        fw_idmap_add(&observer->by_threads, hash_threads(pair->low, pair->high), (uint32_t)kept);
        observer->pairs.at[kept++] = *pair;
    }
    observer->pairs.len = kept;
    observer->sweep_at = kept * 2 > FEW_PAIRS ? kept * 2 : FEW_PAIRS;
}

struct sought {
    const struct fw_observer *observer;
    uint32_t low, high;
};

static bool is_sought(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct pair *pair = &sought->observer->pairs.at[id];

    return pair->low == sought->low && pair->high == sought->high;
}

static struct pair *get_pair(struct fw_observer *observer, uint32_t low, uint32_t high)
{
    struct sought sought = { observer, low, high };
    uint32_t hash = hash_threads(low, high);
    uint32_t id = fw_idmap_find(&observer->by_threads, hash, is_sought, &sought);

    if (id != FW_IDMAP_NONE)
        return &observer->pairs.at[id];
    if (observer->pairs.len >= observer->sweep_at)
        sweep(observer);
    fw_idmap_add(&observer->by_threads, hash, (uint32_t)observer->pairs.len);
    fw_vec_push(&observer->pairs, ((struct pair) { .low = low, .high = high }));
    return &fw_vec_last(&observer->pairs);
}

void fw_observer_release_pairs(struct fw_observer *observer)
{
    for (size_t i = 0; i < observer->pairs.len; i++)
        release_pair(&observer->pairs.at[i]);
    fw_vec_release(&observer->pairs);
    fw_idmap_release(&observer->by_threads);
}

/* --- idioms ----------------------------------------------------------------------------------- */

static void add(struct fw_observer *observer, unsigned idiom, uint32_t a, uint32_t b, uint32_t c,
                uint32_t d)
{
    struct fw_iroot iroot = { .idiom = (uint8_t)idiom, .access = { a, b, c, d } };

    fw_iroot_set_add(observer->set, &iroot);
}

/* Is `late` behind `early`, by at most the window?  Both are of one thread. */
static bool is_soon(const struct fw_observer *observer, uint64_t early, uint64_t late)
{
    return early < late && late - early <= observer->window;
}

/* A => B was, C => D is; D's thread made A, and C's thread made B.  Idioms 2 to 5. */
static void turn_back(struct fw_observer *observer, const struct edge *was, const struct edge *is,
                      const struct thread *s, uint64_t before)
{
    if (!is_soon(observer, was->a_at, is->b_at))
        return;
    if (was->object == is->object) {
        if (was->a_at != before)
            return;
        if (was->b_at == is->a_at)
            add(observer, 2, was->a, was->b, is->b, 0);
        else if (is_soon(observer, was->b_at, is->a_at))
            add(observer, 3, was->a, was->b, is->a, is->b);
    } else if (is_soon(observer, was->b_at, is->a_at)) {
        if (before < was->a_at && latest_access(s, was->object) == was->a_at)
            add(observer, 4, was->a, was->b, is->a, is->b);
    } else if (is_soon(observer, is->a_at, was->b_at)) {
        add(observer, 5, was->a, was->b, is->a, is->b);
    }
}

/* A => B was, C => D is, both from the same thread to the other: idiom 6. */
static void go_on(struct fw_observer *observer, const struct edges *edges, const struct edge *is)
{
    const struct edge *added = NULL; /* others of its places, in loops all of them, are no news */

    for (size_t i = edges->len; i > 0; i--) {
        const struct edge *was = &edges->at[i - 1];

        if (!is_soon(observer, was->b_at, is->b_at))
            return; /* earlier ones end earlier */
        if (was->object == is->object || !is_soon(observer, was->a_at, is->a_at) ||
            (added && was->a == added->a && was->b == added->b))
            continue;
        add(observer, 6, was->a, was->b, is->a, is->b);
        added = was;
    }
}

void fw_observer_combine(struct fw_observer *observer, uint64_t object, const struct touch *a,
                         const struct touch *b, uint64_t before)
{
    struct edge edge = { object, a->at, b->at, a->access, b->access };
    bool up = a->thread < b->thread;
    struct pair *pair = up ? get_pair(observer, a->thread, b->thread)
                           : get_pair(observer, b->thread, a->thread);
    struct edges *same = &pair->edges[!up], *other = &pair->edges[up];
    const struct thread *s = &observer->threads.at[b->thread];

    for (size_t i = 0; i < other->len; i++)
        turn_back(observer, &other->at[i], &edge, s, before);
    go_on(observer, same, &edge);
    if (same->len == same->cap) {
        thin(observer, same, a->thread, b->thread);
        if (same->len * 2 > same->cap)
            fw_vec_reserve(same, same->cap + 1);
    }
    fw_vec_push(same, edge);
}
