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

/* Where the object is, or the free slot where it would be. */
static struct recent_slot *find_recent(const struct recent *recent, uint64_t object)
{
    uint32_t mask = recent->size - 1;
    uint32_t i = (uint32_t)(object * 0x9e3779b97f4a7c15u >> 32) & mask;

    while (recent->slots[i].at > recent->since && recent->slots[i].object != object)
        i = (i + 1) & mask;
    return &recent->slots[i];
}

static void make_room(struct recent *recent)
{
    struct recent old = *recent;

    recent->size = old.size ? old.size * 2 : 16;
    recent->slots = fw_xcalloc(recent->size, sizeof *recent->slots);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].at > old.since)
            *find_recent(recent, old.slots[i].object) = old.slots[i];
    free(old.slots);
}

/* 0: it is not there. */
static uint64_t look_up(const struct recent *recent, uint64_t object)
{
    uint64_t at = recent->size ? find_recent(recent, object)->at : 0;

    return at > recent->since ? at : 0;
}

static uint64_t latest_access(const struct thread *thread, uint64_t object)
{
    uint64_t at = look_up(&thread->recent[0], object);

    return at ? at : look_up(&thread->recent[1], object);
}

/* A window has passed: what was before the one that ends now is not needed any more. */
static void turn_over(struct thread *thread)
{
    struct recent oldest = thread->recent[1];

    thread->recent[1] = thread->recent[0];
    oldest.since = thread->count - 1;
    oldest.used = 0;
    thread->recent[0] = oldest;
}

uint64_t fw_thread_meets(struct thread *thread, uint64_t object, uint64_t window)
{
    struct recent *recent = &thread->recent[0];
    uint64_t before;
    struct recent_slot *slot;

    if (thread->count - recent->since > window)
        turn_over(thread);
    if (recent->used * 2 >= recent->size)
        make_room(recent);
    slot = find_recent(recent, object);
    before = slot->at > recent->since ? slot->at : 0;
    recent->used += !before;
    if (!before)
        before = look_up(&thread->recent[1], object);
    *slot = (struct recent_slot) { object, thread->count };
    return before + window >= thread->count ? before : 0;
}

void fw_thread_release_recent(struct thread *thread)
{
    for (unsigned i = 0; i < 2; i++) {
        free(thread->recent[i].slots);
        thread->recent[i] = (struct recent) { .since = thread->count };
    }
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

/* The first of the dependencies whose B is not before the window of this access of B's thread. */
static size_t first_soon(const struct edges *edges, uint64_t at, uint64_t window)
{
    size_t low = 0, high = edges->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (edges->at[middle].b_at + window < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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

    for (size_t i = first_soon(other, edge.a_at, observer->window);
         i < other->len && other->at[i].b_at <= edge.a_at + observer->window; i++)
        turn_back(observer, &other->at[i], &edge, s, before);
    go_on(observer, same, &edge);
    if (same->len == same->cap) {
        thin(observer, same, a->thread, b->thread);
        if (same->len * 2 > same->cap)
            fw_vec_reserve(same, same->cap + 1);
    }
    fw_vec_push(same, edge);
}
