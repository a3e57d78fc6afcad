/*
 * context.c - see context.h.
 *
 * Plain accesses cost a load and a store.  A lock set's id is the place of its
 * words in one growing array: how many keys, then the keys.  The set of one
 * lock is found in a table by lock, larger ones by hash; a release of the
 * latest lock goes back to the set before its acquire.  Stacks are a tree of
 * frames: a call is one lookup, a return goes to the parent.
 *
 * Memory grows with the number of different lock sets and stacks: some thirty
 * bytes for each.
 */
#include "analysis/context.h"

#include "base/bug.h"
#include "base/idmap.h"
#include "base/stable.h"
#include "base/vec.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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
    FW_VEC(uint32_t) single;  /* by key: the set of this lock alone; 0: not made yet */
    FW_VEC(uint32_t) scratch; /* a set that is being made: count, keys */
    struct fw_stable sets;    /* words; the empty set is at 0 */
    struct fw_idmap set_ids, frame_ids;
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

    contexts->sets.item_size = sizeof(uint32_t);
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
    fw_stable_release(&contexts->sets);
    fw_stable_release(&contexts->frames);
    fw_idmap_release(&contexts->set_ids);
    fw_idmap_release(&contexts->frame_ids);
    fw_vec_release(&contexts->threads);
    fw_vec_release(&contexts->single);
    fw_vec_release(&contexts->scratch);
    fw_vec_release(&contexts->batch);
    free(contexts);
}

/* --- lock sets --------------------------------------------------------------------------- */

/* The words of a set: how many keys, then the keys, ascending. */
static const uint32_t *words_of(const struct fw_contexts *contexts, uint32_t set)
{
    return fw_stable_at(&contexts->sets, set);
}

static bool set_is_scratch(const void *key, uint32_t id)
{
    const struct fw_contexts *contexts = key;
    const uint32_t *words = words_of(contexts, id), *wanted = contexts->scratch.at;

    return words[0] == wanted[0] &&
           memcmp(words, wanted, contexts->scratch.len * sizeof *words) == 0;
}

/* The set whose words are in the scratch space. */
static uint32_t intern_scratch(struct fw_contexts *contexts)
{
    size_t size = contexts->scratch.len * sizeof *contexts->scratch.at;
    uint32_t hash = (uint32_t)XXH3_64bits(contexts->scratch.at, size);
    uint32_t id = fw_idmap_find(&contexts->set_ids, hash, set_is_scratch, contexts);

    if (id != FW_IDMAP_NONE)
        return id;
    id = fw_stable_add_run(&contexts->sets, (uint32_t)contexts->scratch.len);
    memcpy(fw_stable_at(&contexts->sets, id), contexts->scratch.at, size);
    fw_idmap_add(&contexts->set_ids, hash, id);
    return id;
}

static void scratch_with(struct fw_contexts *contexts, uint32_t set, uint32_t key)
{
    const uint32_t *words = words_of(contexts, set);
    uint32_t i = words[0];
    uint32_t *to;

    fw_vec_reserve(&contexts->scratch, words[0] + (size_t)2);
    contexts->scratch.len = words[0] + (size_t)2;
    to = contexts->scratch.at;
    for (; i > 0 && words[i] > key; i--)
        to[i + 1] = words[i];
    to[i + 1] = key;
    memcpy(to + 1, words + 1, i * sizeof *to);
    to[0] = words[0] + 1;
}

static uint32_t set_with(struct fw_contexts *contexts, uint32_t set, uint32_t key)
{
    if (set != 0) {
        scratch_with(contexts, set, key);
        return intern_scratch(contexts);
    }
    fw_vec_extend(&contexts->single, key + (size_t)1);
    if (!contexts->single.at[key]) {
        scratch_with(contexts, 0, key);
        contexts->single.at[key] = intern_scratch(contexts);
    }
    return contexts->single.at[key];
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
            apply(contexts, &threads[thread], &events[i], changes[kind]);
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
    const uint32_t *words = words_of(contexts, lock_set);

    *count = words[0];
    return words + 1;
}
