/*
 * lockset.c - Eraser: accesses that no lock protects consistently.
 *
 * Source: Savage, Burrows, Nelson, Sobalvarro, Anderson, "Eraser: A Dynamic
 * Data Race Detector for Multithreaded Programs", TOCS 15(4), 1997, section 2;
 * C(v) is variable.candidates here.
 *
 *     virgin ─► exclusive ─ read by another thread ──► shared
 *                   │                                    │ write
 *                   └─ write by another thread ──► shared-modified ─ C(v) empty ─► reported
 *
 * C(v) starts with the locks held at the access that leaves the exclusive
 * state.  A read keeps of it what is held in any mode, a write what is held in
 * exclusive mode.  Atomic accesses are not accesses; a free is a write; an
 * alloc starts a new variable.
 *
 * Sets of locks have numbers, equal sets the same one, and intersections are
 * remembered.  An access by the thread, with the locks and in the way of the
 * latest one changes nothing, which two comparisons show.
 */
#include "analysis/live.h"

/* 28 bytes, so that a variable is one cache line. */
struct __attribute__((packed, aligned(4))) access {
    uint64_t index;
    uint32_t thread : 20;
    uint32_t kind : 8;
    uint32_t site, size;
    struct fw_context context;
};

enum state {
    VIRGIN,
    EXCLUSIVE,
    SHARED,
    SHARED_MODIFIED,
    REPORTED,
};

struct variable {
    struct access latest; /* the thread's first one with these locks and in this way */
    struct access other;  /* the latest one of the thread before it */
    uint32_t candidates;
    uint32_t state;
};

_Static_assert(sizeof(struct variable) == FW_LIVE_SIZE, "a variable is one cache line");
_Static_assert(FW_MAX_THREADS <= 1u << 20, "a thread fits");

/* A set of locks, sorted; number 0 is empty. */
struct set {
    uint32_t *locks;
    uint32_t count;
};

struct meet {
    uint32_t a, b, both;
};

/* The numbers, plus one, of the locks held: in any mode, in exclusive mode. */
struct held {
    uint32_t any, exclusive;
};

struct lockset {
    struct fw_analysis_setup setup;
    struct fw_live live; /* struct variable */
    FW_VEC(struct set) sets;
    struct fw_idmap set_ids;
    FW_VEC(struct meet) meets;
    struct fw_idmap meet_ids;
    FW_VEC(struct held) held; /* by the lock sets of contexts */
};

/* --- sets of locks ----------------------------------------------------------------------- */

static uint32_t hash_locks(const uint32_t *locks, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ locks[i]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

struct set_key {
    const struct set *sets;
    struct set wanted;
};

static bool set_is(const void *key, uint32_t id)
{
    const struct set_key *k = key;
    const struct set *set = &k->sets[id];

    return set->count == k->wanted.count &&
           (!set->count ||
            memcmp(set->locks, k->wanted.locks, set->count * sizeof *set->locks) == 0);
}

/* The number of these sorted locks, which it takes over or frees. */
static uint32_t intern(struct lockset *lockset, uint32_t *locks, uint32_t count)
{
    struct set_key key = { lockset->sets.at, { locks, count } };
    uint32_t hash = hash_locks(locks, count);
    uint32_t id = fw_idmap_find(&lockset->set_ids, hash, set_is, &key);

    if (id != FW_IDMAP_NONE) {
        free(locks);
        return id;
    }
    id = (uint32_t)lockset->sets.len;
    fw_vec_push(&lockset->sets, key.wanted);
    fw_idmap_add(&lockset->set_ids, hash, id);
    return id;
}

/* The locks of a context's set that are held in any mode, or exclusively. */
static uint32_t intern_held(struct lockset *lockset, uint32_t lock_set, bool exclusive)
{
    uint32_t count, kept = 0;
    const uint32_t *keys = fw_contexts_locks(lockset->setup.contexts, lock_set, &count);
    uint32_t *locks = fw_xrealloc(NULL, count + (size_t)1, sizeof *locks);

    for (uint32_t i = 0; i < count; i++) {
        bool shared = keys[i] & 1, again = kept && locks[kept - 1] == keys[i] / 2;

        if (!(exclusive && shared) && !again)
            locks[kept++] = keys[i] / 2;
    }
    return intern(lockset, locks, kept);
}

static uint32_t held_locks(struct lockset *lockset, uint32_t lock_set, bool exclusive)
{
    struct held *held;
    uint32_t *number;

    if (FW_UNLIKELY(lock_set >= lockset->held.len))
        fw_vec_extend(&lockset->held, lock_set + (size_t)1);
    held = &lockset->held.at[lock_set];
    number = exclusive ? &held->exclusive : &held->any;
    if (FW_UNLIKELY(!*number))
        *number = intern_held(lockset, lock_set, exclusive) + 1;
    return *number - 1;
}

static uint32_t intern_meet(struct lockset *lockset, uint32_t a, uint32_t b)
{
    struct set x = lockset->sets.at[a], y = lockset->sets.at[b];
    uint32_t *locks = fw_xrealloc(NULL, x.count + (size_t)1, sizeof *locks), kept = 0;

    for (uint32_t i = 0, j = 0; i < x.count && j < y.count;) {
        if (x.locks[i] == y.locks[j])
            locks[kept++] = x.locks[i];
        if (x.locks[i] < y.locks[j])
            i++;
        else
            j++;
    }
    return intern(lockset, locks, kept);
}

struct meet_key {
    const struct meet *meets;
    uint32_t a, b;
};

static bool meet_is(const void *key, uint32_t id)
{
    const struct meet_key *k = key;

    return k->meets[id].a == k->a && k->meets[id].b == k->b;
}

/* The locks that are in both sets. */
static uint32_t meet(struct lockset *lockset, uint32_t a, uint32_t b)
{
    struct meet_key key = { lockset->meets.at, a, b };
    uint32_t hash = (uint32_t)(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u >> 32), id, both;

    if (a == b || a == 0 || b == 0)
        return a < b ? a : b;
    id = fw_idmap_find(&lockset->meet_ids, hash, meet_is, &key);
    if (id != FW_IDMAP_NONE)
        return lockset->meets.at[id].both;
    both = intern_meet(lockset, a, b);
    fw_idmap_add(&lockset->meet_ids, hash, (uint32_t)lockset->meets.len);
    fw_vec_push(&lockset->meets, ((struct meet) { a, b, both }));
    return both;
}

/* --- accesses ---------------------------------------------------------------------------- */

static struct fw_mark mark_of(const struct access *access, uint32_t variable)
{
    return (struct fw_mark) { .index = access->index,
                              .thread = access->thread,
                              .kind = access->kind,
                              .target = variable,
                              .site = access->site,
                              .size = access->size,
                              .context = access->context };
}

/* The present access, and the latest one of another thread before it. */
static void report(struct lockset *lockset, struct variable *variable, const struct fw_event *event,
                   const struct fw_place *place)
{
    const struct access *before =
        variable->latest.thread == event->thread ? &variable->other : &variable->latest;
    struct fw_mark events[2] = { mark_of(before, event->target), fw_place_mark(place) };

    fw_findings_add(lockset->setup.findings, &(struct fw_occurrence) { .kind = FW_FINDING_RACE,
                                                                       .events = events,
                                                                       .event_count = 2,
                                                                       .variable = event->target });
    variable->state = REPORTED;
}

static void remember(struct variable *variable, const struct fw_event *event,
                     const struct fw_place *place)
{
    struct access *latest = &variable->latest;

    if (latest->thread != event->thread)
        variable->other = *latest;
    latest->index = fw_place_index(place);
    latest->thread = event->thread;
    latest->kind = event->kind;
    latest->site = event->site;
    latest->size = fw_place_attr(place)->size;
    latest->context = place->contexts[place->i];
}

/* Refines C(v) by the locks held. */
static void refine(struct lockset *lockset, struct variable *variable, const struct fw_event *event,
                   const struct fw_place *place)
{
    bool write = event->kind != FW_READ;
    uint32_t held = held_locks(lockset, place->contexts[place->i].lock_set, write);

    variable->candidates =
        variable->state == EXCLUSIVE ? held : meet(lockset, variable->candidates, held);
    if (write)
        variable->state = SHARED_MODIFIED;
    else if (variable->state == EXCLUSIVE)
        variable->state = SHARED;
    if (variable->state == SHARED_MODIFIED && variable->candidates == 0)
        report(lockset, variable, event, place);
}

/* Section 2.2, figure 4: an access that is no repetition. */
static void step(struct lockset *lockset, struct variable *variable, const struct fw_event *event,
                 const struct fw_place *place)
{
    if (variable->state == VIRGIN)
        variable->state = EXCLUSIVE;
    else if (variable->state != EXCLUSIVE || variable->latest.thread != event->thread)
        refine(lockset, variable, event, place);
    if (variable->state != REPORTED)
        remember(variable, event, place);
}

/* Has the thread made such an access already, with the same locks, and nobody another since? */
static inline bool is_repetition(const struct access *latest, const struct fw_event *event,
                                 uint32_t lock_set)
{
    return latest->thread == event->thread && latest->context.lock_set == lock_set &&
           (event->kind == FW_READ || latest->kind != FW_READ);
}

static void lockset_access(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct lockset *lockset = state;
    struct variable *variable = fw_live_get(&lockset->live, event->target);

    fw_live_prefetch(&lockset->live, place);
    if (variable->state == REPORTED)
        return;
    if (variable->state == VIRGIN ||
        !is_repetition(&variable->latest, event, place->contexts[place->i].lock_set))
        step(lockset, variable, event, place);
}

static void lockset_free(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct lockset *lockset = state;

    fw_live_freed(&lockset->live, lockset->setup.symbols, event->target);
    lockset_access(state, event, place);
}

static void lockset_alloc(void *state, const struct fw_event *event, const struct fw_place *place)
{
    struct lockset *lockset = state;
    uint32_t former = fw_live_renew(&lockset->live, lockset->setup.symbols, event->target);

    (void)place;
    if (former != FW_NO_VARIABLE)
        fw_live_drop(&lockset->live, former);
}

/* --- life cycle -------------------------------------------------------------------------- */

static void *lockset_create(const struct fw_analysis_setup *setup)
{
    struct lockset *lockset = fw_xcalloc(1, sizeof *lockset);

    lockset->setup = *setup;
    intern(lockset, NULL, 0);
    return lockset;
}

static void lockset_finish(void *state, struct fw_outcome *outcome)
{
    (void)state;
    (void)outcome; /* the findings say it all */
}

static void lockset_destroy(void *state)
{
    struct lockset *lockset = state;

    for (size_t i = 0; i < lockset->sets.len; i++)
        free(lockset->sets.at[i].locks);
    fw_vec_release(&lockset->sets);
    fw_idmap_release(&lockset->set_ids);
    fw_vec_release(&lockset->meets);
    fw_idmap_release(&lockset->meet_ids);
    fw_vec_release(&lockset->held);
    fw_live_release(&lockset->live);
    free(lockset);
}

const struct fw_analysis fw_analysis_lockset = {
    .name = "lockset",
    .summary = "races: variables that no lock protects consistently",
    .guarantee = FW_HEURISTIC,
    .create = lockset_create,
    .finish = lockset_finish,
    .destroy = lockset_destroy,
    .on = { [FW_READ] = lockset_access,
            [FW_WRITE] = lockset_access,
            [FW_FREE] = lockset_free,
            [FW_ALLOC] = lockset_alloc },
};
