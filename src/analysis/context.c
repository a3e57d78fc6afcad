/*
 * context.c - see context.h.
 *
 * Plain accesses cost a load and a store.  A lock set is another set with one
 * key added or removed, so that threads that hold many locks cost no more
 * memory than others.  It is found by a hash that is the sum over its keys; the
 * set of one lock by a table; a release of the latest lock goes back to the set
 * before its acquire; the latest other changes are remembered.  Stacks are a
 * tree of frames: a call is one lookup, a return goes to the parent.
 *
 * The keys of a set are known by walking from set to set, up to one whose keys
 * are written out: those that somebody asked for, and as many more as keep the
 * walks short.  The latter lie half a longest walk above the set that needs
 * them, and a longest walk is in proportion to the size, so that the sets on
 * the way pay for the keys: memory grows with the number of different lock sets
 * and stacks, by some sixty bytes for each, and hardly with their sizes.
 */
#include "analysis/context.h"

#include "analysis/origins.h"
#include "base/bug.h"
#include "base/idmap.h"
#include "base/idsort.h"
#include "base/stable.h"
#include "base/vec.h"

#define UNKNOWN_SET UINT32_MAX

/* Only `keys` and `walk` change: `keys` once, by any thread; `walk` is the adding thread's. */
struct set {
    uint32_t *keys; /* all of them, ascending; NULL: not written out */
    uint64_t hash;
    uint32_t from; /* the set that it differs from by one key */
    uint32_t key;
    uint32_t count : 31;
    uint32_t added : 1; /* the key is here and not there */
    uint32_t walk;      /* no more steps than this to a set that is written out */
};

/* A key, and how often it is in a set, or is in one set more often than in another. */
struct tally {
    uint32_t key;
    int32_t times;
};

FW_VEC_TYPE(tallies, struct tally);

/* A change that was made before; an empty one says that of the empty set a key was removed. */
struct step {
    uint32_t from, key, added, to;
};

#define STEP_BITS 11

/* A lock that a thread holds, in the order of acquisition. */
struct held {
    uint32_t key;
    uint32_t before; /* the set without it and all later ones, or UNKNOWN_SET */
};

struct thread {
    struct fw_context now;
    FW_VEC(struct held) held;
};

struct fw_contexts {
    FW_VEC(struct thread) threads;
    FW_VEC(uint32_t) single;            /* by key: the set of this lock alone; 0: not made yet */
    struct fw_stable sets;              /* struct set; 0 is the empty set */
    struct tallies scratch;             /* of sets that are being compared */
    struct step steps[1u << STEP_BITS]; /* the latest ones, by hash */
    struct fw_idmap set_ids, frame_ids;
    struct fw_stable frames; /* struct fw_frame; 0 stands for the empty stack */
    FW_VEC(struct fw_context) batch;
    struct fw_origins origins;
};

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 29 ^ c) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

static struct set *set_at(const struct fw_contexts *contexts, uint32_t id)
{
    return fw_stable_at(&contexts->sets, id);
}

struct fw_contexts *fw_contexts_create(void)
{
    struct fw_contexts *contexts = fw_xcalloc(1, sizeof *contexts);

    contexts->sets.item_size = sizeof(struct set);
    contexts->frames.item_size = sizeof(struct fw_frame);
    ((struct set *)fw_stable_add(&contexts->sets))->keys = fw_xcalloc(1, sizeof(uint32_t));
    fw_stable_add(&contexts->frames);
    return contexts;
}

void fw_contexts_destroy(struct fw_contexts *contexts)
{
    if (!contexts)
        return;
    for (size_t i = 0; i < contexts->threads.len; i++)
        fw_vec_release(&contexts->threads.at[i].held);
    for (uint32_t i = 0; i < contexts->sets.count; i++)
        free(set_at(contexts, i)->keys);
    fw_stable_release(&contexts->sets);
    fw_stable_release(&contexts->frames);
    fw_idmap_release(&contexts->set_ids);
    fw_idmap_release(&contexts->frame_ids);
    fw_vec_release(&contexts->threads);
    fw_vec_release(&contexts->single);
    fw_vec_release(&contexts->scratch);
    fw_vec_release(&contexts->batch);
    fw_origins_release(&contexts->origins);
    free(contexts);
}

/* --- the keys of lock sets --------------------------------------------------------------- */

static const uint32_t *written_keys(const struct set *set)
{
    return __atomic_load_n(&set->keys, __ATOMIC_ACQUIRE);
}

static void tally_step(const struct set *set, int32_t times, struct tallies *to)
{
    fw_vec_push(to, ((struct tally) { set->key, set->added ? times : -times }));
}

/* Adds the keys of a set, each `times` times; keys may come up again, with any sign. */
static void tally_keys(const struct fw_contexts *contexts, const struct set *set, int32_t times,
                       struct tallies *to)
{
    const uint32_t *keys;

    for (; !(keys = written_keys(set)); set = set_at(contexts, set->from))
        tally_step(set, times, to);
    for (uint32_t i = 0; i < set->count; i++)
        fw_vec_push(to, ((struct tally) { keys[i], times }));
}

static int compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static void sort_tallies(struct tallies *tallies)
{
    struct tally *at = tallies->at;

    if (tallies->len > 16) {
        qsort(at, tallies->len, sizeof *at, compare_tallies);
        return;
    }
    for (size_t i = 1; i < tallies->len; i++) {
        struct tally moved = at[i];
        size_t to = i;

        for (; to > 0 && at[to - 1].key > moved.key; to--)
            at[to] = at[to - 1];
        at[to] = moved;
    }
}

/* Ascending keys, each once, none zero times. */
static void sum_up(struct tallies *tallies)
{
    size_t len = 0;

    sort_tallies(tallies);
    for (size_t i = 0; i < tallies->len;) {
        struct tally sum = { tallies->at[i].key, 0 };

        for (; i < tallies->len && tallies->at[i].key == sum.key; i++)
            sum.times += tallies->at[i].times;
        if (sum.times)
            tallies->at[len++] = sum;
    }
    tallies->len = len;
}

/* Writes a set's keys out.  Several threads may do so at once: the first one's stay. */
static const uint32_t *write_keys(const struct fw_contexts *contexts, struct set *set)
{
    uint32_t *keys = fw_xcalloc(set->count, sizeof *keys), *first = NULL;
    struct tallies tallies = { 0 };
    uint32_t count = 0;

    tally_keys(contexts, set, 1, &tallies);
    sum_up(&tallies);
    for (size_t i = 0; i < tallies.len; i++)
        for (int32_t n = 0; n < tallies.at[i].times; n++)
            keys[count++] = tallies.at[i].key;
    FW_ASSERT(count == set->count);
    fw_vec_release(&tallies);
    if (__atomic_compare_exchange_n(&set->keys, &first, keys, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return keys;
    free(keys);
    return first;
}

const uint32_t *fw_contexts_locks(const struct fw_contexts *contexts, uint32_t lock_set,
                                  uint32_t *count)
{
    struct set *set = set_at(contexts, lock_set);
    const uint32_t *keys = written_keys(set);

    *count = set->count;
    return keys ? keys : write_keys(contexts, set);
}

/* --- lock sets --------------------------------------------------------------------------- */

/* In steps; proportional to the size, so that what is written out is paid for. */
static uint32_t longest_walk(const struct set *set)
{
    return 32 + 2 * (uint32_t)set->count;
}

/* The steps to a set that is written out; writes one out if there is none near enough. */
static uint32_t shortened_walk(struct fw_contexts *contexts, struct set *set)
{
    struct set *middle = set;
    uint32_t walk = 0;

    for (const struct set *at = set; !written_keys(at); at = set_at(contexts, at->from))
        walk++;
    if (walk < longest_walk(set))
        return walk;
    for (uint32_t i = 0; i < walk / 2; i++)
        middle = set_at(contexts, middle->from);
    write_keys(contexts, middle);
    return walk / 2;
}

struct set_key {
    struct fw_contexts *contexts;
    struct set set;
};

/* Walks from both to where they met, if that is not too far: sets come after those they are from.
 */
static bool same_keys(struct fw_contexts *contexts, const struct set *wanted, uint32_t id)
{
    struct tallies *tallies = &contexts->scratch;
    uint32_t at[2] = { wanted->from, id };

    fw_vec_clear(tallies);
    tally_step(wanted, 1, tallies);
    while (at[0] != at[1]) {
        unsigned later = at[1] > at[0];
        const struct set *set = set_at(contexts, at[later]);

        if (written_keys(set)) {
            tally_keys(contexts, set_at(contexts, at[0]), 1, tallies);
            tally_keys(contexts, set_at(contexts, at[1]), -1, tallies);
            break;
        }
        tally_step(set, later ? -1 : 1, tallies);
        at[later] = set->from;
    }
    sum_up(tallies);
    return tallies->len == 0;
}

/* The set at hand was most often made in the same way, or is the one that `from` was made of. */
static bool set_is(const void *key, uint32_t id)
{
    const struct set_key *search = key;
    const struct set *wanted = &search->set, *set = set_at(search->contexts, id);
    const struct set *from = set_at(search->contexts, wanted->from);

    if (set->hash != wanted->hash || set->count != wanted->count)
        return false;
    if (set->from == wanted->from && set->key == wanted->key && set->added == wanted->added)
        return true;
    if (from->from == id && from->key == wanted->key && from->added != wanted->added)
        return true;
    return same_keys(search->contexts, wanted, id);
}

static uint64_t hash_of_key(uint32_t key)
{
    uint64_t x = (key + (uint64_t)1) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t find_or_make_set(struct fw_contexts *contexts, uint32_t id, uint32_t key,
                                 bool added)
{
    struct set *from = set_at(contexts, id);
    struct set_key wanted = { contexts, { .from = id, .key = key, .added = added } };
    uint64_t hash = hash_of_key(key);
    uint32_t found;

    wanted.set.hash = added ? from->hash + hash : from->hash - hash;
    wanted.set.count = added ? from->count + 1 : from->count - 1;
    hash = wanted.set.hash;
    found = fw_idmap_find(&contexts->set_ids, (uint32_t)hash, set_is, &wanted);
    if (found != FW_IDMAP_NONE)
        return found;
    if (from->walk >= longest_walk(from))
        from->walk = shortened_walk(contexts, from);
    wanted.set.walk = from->walk + 1;
    found = fw_stable_add_run(&contexts->sets, 1);
    *set_at(contexts, found) = wanted.set;
    fw_idmap_add(&contexts->set_ids, (uint32_t)hash, found);
    return found;
}

/* The set with one key more or less. */
static uint32_t changed_set(struct fw_contexts *contexts, uint32_t id, uint32_t key, bool added)
{
    struct step *step = &contexts->steps[mix(id, key, added) >> (32 - STEP_BITS)];

    if (step->from != id || step->key != key || step->added != added)
        *step = (struct step) { id, key, added, find_or_make_set(contexts, id, key, added) };
    return step->to;
}

static uint32_t set_with(struct fw_contexts *contexts, uint32_t set, uint32_t key)
{
    if (set != 0)
        return changed_set(contexts, set, key, true);
    fw_vec_extend(&contexts->single, key + (size_t)1);
    if (!contexts->single.at[key])
        contexts->single.at[key] = changed_set(contexts, 0, key, true);
    return contexts->single.at[key];
}

static void acquire(struct fw_contexts *contexts, struct thread *thread, uint32_t key)
{
    fw_vec_push(&thread->held, ((struct held) { key, thread->now.lock_set }));
    thread->now.lock_set = set_with(contexts, thread->now.lock_set, key);
}

/* The sets between are those of no event: they are not made. */
static void release_out_of_order(struct fw_contexts *contexts, struct thread *thread, size_t at)
{
    struct held *held = thread->held.at;
    uint32_t key = held[at].key, before = held[at].before;

    for (size_t i = at + 1; i < thread->held.len; i++)
        held[i - 1] = (struct held) { held[i].key, UNKNOWN_SET };
    thread->held.len--;
    if (at < thread->held.len)
        held[at].before = before;
    if (thread->held.len == 1)
        thread->now.lock_set = set_with(contexts, 0, held[0].key);
    else
        thread->now.lock_set = changed_set(contexts, thread->now.lock_set, key, false);
}

static void release(struct fw_contexts *contexts, struct thread *thread, uint32_t key)
{
    size_t i = thread->held.len;

    while (i > 0 && thread->held.at[i - 1].key != key)
        i--;
    FW_ASSERT(i > 0);
    if (i == thread->held.len && thread->held.at[i - 1].before != UNKNOWN_SET)
        thread->now.lock_set = fw_vec_pop(&thread->held).before;
    else
        release_out_of_order(contexts, thread, i - 1);
}

/* --- stacks ------------------------------------------------------------------------------ */

const struct fw_frame *fw_contexts_frame(const struct fw_contexts *contexts, uint32_t stack)
{
    return fw_stable_at(&contexts->frames, stack);
}

struct frame_key {
    const struct fw_contexts *contexts;
    struct fw_frame frame;
};

static bool frame_is(const void *key, uint32_t id)
{
    const struct frame_key *wanted = key;
    const struct fw_frame *frame = fw_contexts_frame(wanted->contexts, id);

    return frame->caller == wanted->frame.caller && frame->function == wanted->frame.function &&
           frame->site == wanted->frame.site;
}

static uint32_t stack_with(struct fw_contexts *contexts, uint32_t caller,
                           const struct fw_event *call)
{
    struct frame_key key = { contexts, { caller, call->target, call->site } };
    uint32_t hash = mix(caller, call->target, call->site);
    uint32_t id = fw_idmap_find(&contexts->frame_ids, hash, frame_is, &key);

    if (id != FW_IDMAP_NONE)
        return id;
    id = contexts->frames.count;
    *(struct fw_frame *)fw_stable_add(&contexts->frames) = key.frame;
    fw_idmap_add(&contexts->frame_ids, hash, id);
    return id;
}

/* Calls may lose their return (longjmp): those inside the call that returns are gone as well. */
static uint32_t stack_after_return(const struct fw_contexts *contexts, uint32_t stack,
                                   uint32_t function)
{
    uint32_t at = stack;

    while (at) {
        const struct fw_frame *frame = fw_contexts_frame(contexts, at);

        at = frame->caller;
        if (frame->function == function)
            return at;
    }
    return stack;
}

/* --- batches ----------------------------------------------------------------------------- */

/* What the kinds of events do to a context; most do nothing. */
enum change {
    CHANGE_NONE,
    CHANGE_ACQUIRE,
    CHANGE_RELEASE,
    CHANGE_CALL,
    CHANGE_RETURN,
    CHANGE_ORIGIN, /* none, but it is remembered */
};

static const unsigned char changes[FW_KIND_COUNT] = {
    [FW_ACQUIRE] = CHANGE_ACQUIRE,
    [FW_TRY_ACQUIRE] = CHANGE_ACQUIRE,
    [FW_SHARED_ACQUIRE] = CHANGE_ACQUIRE,
    [FW_TRY_SHARED_ACQUIRE] = CHANGE_ACQUIRE,
    [FW_RELEASE] = CHANGE_RELEASE,
    [FW_SHARED_RELEASE] = CHANGE_RELEASE,
    [FW_CALL] = CHANGE_CALL,
    [FW_RETURN] = CHANGE_RETURN,
    [FW_FORK] = CHANGE_ORIGIN,
    [FW_ALLOC] = CHANGE_ORIGIN,
};

static void apply(struct fw_contexts *contexts, struct thread *thread, const struct fw_batch *batch,
                  uint32_t i, enum change change)
{
    const struct fw_event *event = &batch->events[i];
    uint32_t key = event->target * 2 + fw_is_class(event->kind, FW_CLASS_SHARED);
    uint32_t *stack = &thread->now.stack;

    switch (change) {
    case CHANGE_NONE:
        break;
    case CHANGE_ACQUIRE:
        acquire(contexts, thread, key);
        break;
    case CHANGE_RELEASE:
        release(contexts, thread, key);
        break;
    case CHANGE_CALL:
        *stack = stack_with(contexts, *stack, event);
        break;
    case CHANGE_RETURN:
        *stack = stack_after_return(contexts, *stack, event->target);
        break;
    case CHANGE_ORIGIN:
        fw_origins_note(&contexts->origins, batch, i, thread->now);
        break;
    }
}

void fw_contexts_compute(struct fw_contexts *contexts, const struct fw_batch *batch,
                         struct fw_context *to)
{
    /* In variables of their own: the compiler must assume that writing to `to` changes fields. */
    const struct fw_event *events = batch->events;
    struct thread *threads = contexts->threads.at;
    uint32_t count = batch->count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t thread = events[i].thread, kind = events[i].kind;

        if (FW_UNLIKELY(thread >= contexts->threads.len)) {
            fw_vec_extend(&contexts->threads, thread + (size_t)1);
            threads = contexts->threads.at;
        }
        to[i] = threads[thread].now;
        if (FW_UNLIKELY(changes[kind]))
            apply(contexts, &threads[thread], batch, i, changes[kind]);
    }
}

const struct fw_context *fw_contexts_batch(struct fw_contexts *contexts,
                                           const struct fw_batch *batch)
{
    fw_vec_reserve(&contexts->batch, batch->count);
    fw_contexts_compute(contexts, batch, contexts->batch.at);
    return contexts->batch.at;
}

/* --- origins ------------------------------------------------------------------------------ */

const struct fw_origin *fw_contexts_fork(const struct fw_contexts *contexts, uint32_t thread)
{
    const struct fw_origins *origins = &contexts->origins;

    return thread < origins->threads.len && origins->threads.at[thread].known
               ? &origins->threads.at[thread]
               : NULL;
}

const struct fw_origin *fw_contexts_alloc(const struct fw_contexts *contexts, uint32_t variable)
{
    return fw_origins_variable(&contexts->origins, variable);
}

void fw_contexts_want(struct fw_contexts *contexts, const uint32_t *variables, size_t count)
{
    struct fw_origins *origins = &contexts->origins;

    fw_vec_clear(&origins->wanted);
    fw_vec_clear(&origins->found);
    for (size_t i = 0; i < count; i++)
        fw_vec_push(&origins->wanted, variables[i]);
    if (count)
        origins->wanted.len = fw_idsort_unique(origins->wanted.at, count);
    fw_vec_extend(&origins->found, origins->wanted.len);
}

void fw_contexts_adopt(struct fw_contexts *contexts, struct fw_contexts *from)
{
    struct fw_origins *to = &contexts->origins;

    fw_contexts_want(contexts, from->origins.wanted.at, from->origins.wanted.len);
    for (size_t i = 0; i < to->found.len; i++)
        to->found.at[i] = from->origins.found.at[i];
}
