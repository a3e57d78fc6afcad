/*
 * context.c - see context.h.
 *
 * Plain accesses cost a load and a store.  Lock sets form an automaton: the
 * step "this set and one more lock" is looked up in a hash table, and only a
 * step never taken before builds the sorted set and looks for its equal.  A
 * release of the latest lock goes back to the set before its acquire.  Stacks
 * are a tree of frames: a call is one lookup, a return goes to the parent.
 */
#include "analysis/context.h"

#include "base/bug.h"
#include "base/idmap.h"
#include "base/stable.h"
#include "base/vec.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A set with one lock more is the set `to`. */
struct step {
    uint32_t set, key, to;
};

struct lock_set {
    uint32_t *keys;
    uint32_t count;
};

/* A lock that a thread holds, in the order of acquisition. */
struct held {
    uint32_t key;
    uint32_t before; /* the set without it and all later ones */
};

struct thread {
    struct fw_context now;
    FW_VEC(struct held) held;
};

struct fw_contexts {
    FW_VEC(struct thread) threads;
    FW_VEC(struct step) steps;
    struct fw_idmap step_ids, set_ids, frame_ids;
    struct fw_stable sets;   /* struct lock_set; 0 is empty */
    struct fw_stable frames; /* struct fw_frame; 0 stands for the empty stack */
    FW_VEC(struct fw_context) batch;
};

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 29 ^ c) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

struct fw_contexts *fw_contexts_create(void)
{
    struct fw_contexts *contexts = fw_xcalloc(1, sizeof *contexts);

    contexts->sets.item_size = sizeof(struct lock_set);
    contexts->frames.item_size = sizeof(struct fw_frame);
    fw_stable_add(&contexts->sets);
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
        free(((struct lock_set *)fw_stable_at(&contexts->sets, i))->keys);
    fw_stable_release(&contexts->sets);
    fw_stable_release(&contexts->frames);
    fw_idmap_release(&contexts->step_ids);
    fw_idmap_release(&contexts->set_ids);
    fw_idmap_release(&contexts->frame_ids);
    fw_vec_release(&contexts->threads);
    fw_vec_release(&contexts->steps);
    fw_vec_release(&contexts->batch);
    free(contexts);
}

/* --- lock sets --------------------------------------------------------------------------- */

static const struct lock_set *set_at(const struct fw_contexts *contexts, uint32_t id)
{
    return fw_stable_at(&contexts->sets, id);
}

struct set_key {
    const struct fw_contexts *contexts;
    struct lock_set set;
};

static bool set_is(const void *key, uint32_t id)
{
    const struct set_key *wanted = key;
    const struct lock_set *set = set_at(wanted->contexts, id);

    return set->count == wanted->set.count &&
           memcmp(set->keys, wanted->set.keys, set->count * sizeof *set->keys) == 0;
}

/* The set of these sorted keys, which it takes over or frees. */
static uint32_t intern_set(struct fw_contexts *contexts, uint32_t *keys, uint32_t count)
{
    struct set_key key = { contexts, { keys, count } };
    uint32_t hash = (uint32_t)XXH3_64bits(keys, count * sizeof *keys);
    uint32_t id = fw_idmap_find(&contexts->set_ids, hash, set_is, &key);

    if (id != FW_IDMAP_NONE) {
        free(keys);
        return id;
    }
    id = contexts->sets.count;
    *(struct lock_set *)fw_stable_add(&contexts->sets) = key.set;
    fw_idmap_add(&contexts->set_ids, hash, id);
    return id;
}

/* A step that was never taken before. */
static uint32_t build_step(struct fw_contexts *contexts, uint32_t from, uint32_t key)
{
    const struct lock_set *set = set_at(contexts, from);
    uint32_t *keys = fw_xrealloc(NULL, (size_t)set->count + 1, sizeof *keys);
    uint32_t i = set->count;

    for (; i > 0 && set->keys[i - 1] > key; i--)
        keys[i] = set->keys[i - 1];
    keys[i] = key;
    if (i)
        memcpy(keys, set->keys, i * sizeof *keys);
    return intern_set(contexts, keys, set->count + 1);
}

struct step_key {
    const struct step *steps;
    uint32_t set, key;
};

static bool step_is(const void *key, uint32_t id)
{
    const struct step_key *wanted = key;
    const struct step *step = &wanted->steps[id];

    return step->set == wanted->set && step->key == wanted->key;
}

static uint32_t set_with(struct fw_contexts *contexts, uint32_t set, uint32_t key)
{
    struct step_key wanted = { contexts->steps.at, set, key };
    uint32_t hash = mix(set, key, 0);
    uint32_t id = fw_idmap_find(&contexts->step_ids, hash, step_is, &wanted);
    uint32_t to;

    if (id != FW_IDMAP_NONE)
        return contexts->steps.at[id].to;
    to = build_step(contexts, set, key);
    fw_idmap_add(&contexts->step_ids, hash, (uint32_t)contexts->steps.len);
    fw_vec_push(&contexts->steps, ((struct step) { set, key, to }));
    return to;
}

static void acquire(struct fw_contexts *contexts, struct thread *thread, uint32_t key)
{
    fw_vec_push(&thread->held, ((struct held) { key, thread->now.lock_set }));
    thread->now.lock_set = set_with(contexts, thread->now.lock_set, key);
}

/* Goes back to the set before the acquire and takes the later locks again, if any. */
static void release(struct fw_contexts *contexts, struct thread *thread, uint32_t key)
{
    size_t i = thread->held.len;
    uint32_t set;

    while (i > 0 && thread->held.at[i - 1].key != key)
        i--;
    FW_ASSERT(i > 0);
    set = thread->held.at[i - 1].before;
    for (; i < thread->held.len; i++) {
        uint32_t later = thread->held.at[i].key;

        thread->held.at[i - 1] = (struct held) { later, set };
        set = set_with(contexts, set, later);
    }
    thread->held.len--;
    thread->now.lock_set = set;
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
};

static void apply(struct fw_contexts *contexts, struct thread *thread, const struct fw_event *event,
                  enum change change)
{
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
    }
}

void fw_contexts_compute(struct fw_contexts *contexts, const struct fw_batch *batch,
                         struct fw_context *to)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct fw_event *event = &batch->events[i];
        struct thread *thread;

        if (FW_UNLIKELY(event->thread >= contexts->threads.len))
            fw_vec_extend(&contexts->threads, event->thread + 1u);
        thread = &contexts->threads.at[event->thread];
        to[i] = thread->now;
        if (changes[event->kind])
            apply(contexts, thread, event, changes[event->kind]);
    }
}

const struct fw_context *fw_contexts_batch(struct fw_contexts *contexts,
                                           const struct fw_batch *batch)
{
    fw_vec_reserve(&contexts->batch, batch->count);
    fw_contexts_compute(contexts, batch, contexts->batch.at);
    return contexts->batch.at;
}

const uint32_t *fw_contexts_locks(const struct fw_contexts *contexts, uint32_t lock_set,
                                  uint32_t *count)
{
    const struct lock_set *set = set_at(contexts, lock_set);

    *count = set->count;
    return set->keys;
}
