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
 * Sets of locks have numbers, equal sets the same one, and the latest
 * intersections are remembered.  An access by the thread, with the locks and
 * in the way of the latest one changes nothing, which two comparisons show.
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

/* Two sets and what is in both; an empty one says that of 0 and 0, rightly. */
struct meet {
    uint32_t a, b, both;
};

#define MEET_BITS 12

/* The numbers, plus one, of the locks held: in any mode, in exclusive mode. */
struct held {
    uint32_t any, exclusive;
};

struct lockset {
    struct fw_analysis_setup setup;
    struct fw_live live;   /* struct variable */
    FW_VEC(uint32_t) sets; /* words; the number of a set is the place of its first one */
    struct fw_idmap set_ids;
    struct meet meets[1u << MEET_BITS]; /* the latest ones, by hash */
    FW_VEC(struct held) held;           /* by the lock sets of contexts */
    FW_VEC(uint32_t) scratch;           /* the words of a set that is being made */
};

/* --- sets of locks ----------------------------------------------------------------------- */

/* The words of a set: how many locks, then the locks, ascending.  Number 0 is the empty set. */
static const uint32_t *words_of(const struct lockset *lockset, uint32_t set)
{
    return &lockset->sets.at[set];
}

static bool set_is_scratch(const void *key, uint32_t id)
{
    const struct lockset *lockset = key;
    const uint32_t *words = words_of(lockset, id), *wanted = lockset->scratch.at;

    return words[0] == wanted[0] &&
           memcmp(words, wanted, lockset->scratch.len * sizeof *words) == 0;
}

static void start_scratch(struct lockset *lockset)
{
    fw_vec_clear(&lockset->scratch);
    fw_vec_push(&lockset->scratch, 0);
}

static uint32_t hash_scratch(const struct lockset *lockset)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < lockset->scratch.len; i++)
        hash = (hash ^ lockset->scratch.at[i]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

/* The number of the set whose locks are in the scratch space. */
static uint32_t intern_scratch(struct lockset *lockset)
{
    size_t count = lockset->scratch.len;
    uint32_t hash, id;

    lockset->scratch.at[0] = (uint32_t)count - 1;
    hash = hash_scratch(lockset);
    id = fw_idmap_find(&lockset->set_ids, hash, set_is_scratch, lockset);
    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)lockset->sets.len;
    fw_vec_extend(&lockset->sets, id + count);
    memcpy(&lockset->sets.at[id], lockset->scratch.at, count * sizeof *lockset->sets.at);
    fw_idmap_add(&lockset->set_ids, hash, id);
    return id;
}

/* The locks of a context's set that are held in any mode, or exclusively. */
static uint32_t intern_held(struct lockset *lockset, uint32_t lock_set, bool exclusive)
{
    uint32_t count;
    const uint32_t *keys = fw_contexts_locks(lockset->setup.contexts, lock_set, &count);

    start_scratch(lockset);
    for (uint32_t i = 0; i < count; i++) {
        bool shared = keys[i] & 1;
        bool again = lockset->scratch.len > 1 && fw_vec_last(&lockset->scratch) == keys[i] / 2;

        if (!(exclusive && shared) && !again)
            fw_vec_push(&lockset->scratch, keys[i] / 2);
    }
    return intern_scratch(lockset);
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
    const uint32_t *x = words_of(lockset, a), *x_end = x + x[0];
    const uint32_t *y = words_of(lockset, b), *y_end = y + y[0];

    start_scratch(lockset);
    for (x++, y++; x <= x_end && y <= y_end;) {
        if (*x == *y)
            fw_vec_push(&lockset->scratch, *x);
        if (*x < *y)
            x++;
        else
            y++;
    }
    return intern_scratch(lockset);
}

/* The locks that are in both sets. */
static uint32_t meet(struct lockset *lockset, uint32_t a, uint32_t b)
{
    uint64_t hash = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    struct meet *known = &lockset->meets[hash >> (64 - MEET_BITS)];

    if (a == b || a == 0 || b == 0)
        return a < b ? a : b;
    if (known->a != a || known->b != b)
        *known = (struct meet) { a, b, intern_meet(lockset, a, b) };
    return known->both;
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
    start_scratch(lockset);
    intern_scratch(lockset); /* the empty set gets number 0 */
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

    fw_vec_release(&lockset->sets);
    fw_idmap_release(&lockset->set_ids);
    fw_vec_release(&lockset->held);
    fw_vec_release(&lockset->scratch);
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
