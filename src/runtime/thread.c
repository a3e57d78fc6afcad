/*
 * thread.c - threads come, are known, and go.
 *
 * A struct fw_thread is made by the creating thread (so that the number is known at the fork) and
 * given back when the thread has both finished and been forgotten (joined, or detached).
 */
#include "runtime/thread.h"

#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/sink.h"

#include <limits.h>
#include <string.h>

__thread struct fw_hot fw_hot;
__thread struct fw_thread *fw_self;

static struct {
    struct fw_list all;   /* under the scheduler's lock */
    struct fw_list spare; /* the same */
    uint32_t count;       /* numbers given out; the holder's */
    pthread_key_t key;
    bool has_key;
} registry;

#define FRAME_BYTES (FW_MAX_FRAMES * sizeof(struct fw_frame))
#define AGAIN_BYTES (FW_MAX_AGAIN * sizeof(uint32_t))

static struct fw_thread *take_spare(void)
{
    struct fw_list *item = registry.spare.next;

    if (item == &registry.spare)
        return NULL;
    fw_list_remove(item);
    return FW_THREAD_OF(all, item);
}

/* A zeroed thread with frames, in the list of all.  NULL: no memory. */
static struct fw_thread *make(void)
{
    struct fw_frame *frames = NULL;
    uint32_t *counts = NULL;
    struct fw_thread *t;

    fw_sched_lock();
    t = take_spare();
    fw_sched_unlock();
    if (t) {
        frames = t->frames;
        counts = t->plan.by_site;
    } else {
        char *memory = fw_map_memory(FW_WIRE_PAGE + FRAME_BYTES + AGAIN_BYTES);

        if (!memory)
            return NULL;
        t = (struct fw_thread *)memory;
        frames = (struct fw_frame *)(memory + FW_WIRE_PAGE);
    }
    _Static_assert(sizeof *t <= FW_WIRE_PAGE, "a thread fits into its page");
    memset(t, 0, sizeof *t);
    t->frames = frames;
    t->plan.by_site = counts;
    t->again = (uint32_t *)((char *)frames + FRAME_BYTES);
    t->number = registry.count++;
    fw_list_init(&t->link);
    fw_sched_lock();
    fw_list_append(&registry.all, &t->all);
    fw_sched_unlock();
    return t;
}

static void give_back(struct fw_thread *t)
{
    fw_list_remove(&t->all);
    fw_list_append(&registry.spare, &t->all);
}

void fw_thread_each(void (*visit)(struct fw_thread *t, void *context), void *context)
{
    struct fw_list *item;

    for (item = registry.all.next; item != &registry.all; item = item->next)
        visit(FW_THREAD_OF(all, item), context);
}

struct fw_thread *fw_thread_numbered(uint32_t number)
{
    struct fw_thread *found = NULL;
    struct fw_list *item;

    fw_sched_lock();
    for (item = registry.all.next; item != &registry.all && !found; item = item->next)
        if (FW_THREAD_OF(all, item)->number == number)
            found = FW_THREAD_OF(all, item);
    fw_sched_unlock();
    return found;
}

/* --- begin and end ------------------------------------------------------------------------- */

/* The calling thread is t: its hooks work from now on. */
static void become(struct fw_thread *t)
{
    t->hot = &fw_hot;
    t->tid = (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0);
    t->has_tid = true;
    t->frames[0] = (struct fw_frame){ 0, 0, UINTPTR_MAX };
    fw_hot.base = t->frames;
    fw_hot.top = fw_hot.written = t->frames + 1;
    fw_hot.end = t->frames + FW_MAX_FRAMES;
    fw_hot.returns = fw_hot.deep = 0;
    fw_hot.branched = false;
    fw_hot.has_read = true; /* it has started */
    fw_self = t;
}

/* Key destructors run in up to PTHREAD_DESTRUCTOR_ITERATIONS rounds; ours ends the thread in the
 * last one, so that the program's own are still recorded. */
static void key_destructor(void *value)
{
    struct fw_thread *t = value;

    if (++t->finishing < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(registry.key, t);
    else
        fw_thread_finish(t);
}

/* About what may be the first thread's stack, from where the library's constructor runs. */
#define MAIN_STACK (64u << 20)
#define MAIN_ABOVE (1u << 20)
#define NEAR_STACK (256u << 10) /* of another thread's, from where that begins */

void fw_thread_adopt_main(void)
{
    struct fw_thread *t;

    fw_list_init(&registry.all);
    fw_list_init(&registry.spare);
    registry.has_key = pthread_key_create(&registry.key, key_destructor) == 0;
    t = make();
    if (!t)
        return;
    become(t);
    t->inside = 1;
    t->stack = (uintptr_t)&t - MAIN_STACK; /* it grows */
    t->stack_bytes = MAIN_STACK + MAIN_ABOVE;
    t->handle = pthread_self();
    t->has_handle = true;
    if (registry.has_key)
        pthread_setspecific(registry.key, t);
}

void fw_thread_adopt_child(struct fw_thread *t)
{
    fw_list_init(&registry.all);
    fw_list_init(&registry.spare);
    fw_list_append(&registry.all, &t->all);
    registry.count = 1;
    t->number = 0;
    t->tid = (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0);
    fw_hot.written = fw_hot.base + 1;
    fw_hot.returns = 0;
    fw_hot.has_read = true;
    t->load_address = NULL;
}

struct fw_thread *fw_thread_create(struct fw_thread *parent, uintptr_t pc)
{
    struct fw_thread *t = make();

    if (t && fw_control_on)
        fw_control_born(t, parent);
    if (t)
        fw_sync(parent, FW_WIRE_FORK, (const void *)(uintptr_t)t->number, pc);
    return t;
}

void fw_thread_cancel_create(struct fw_thread *t)
{
    if (fw_control_on)
        fw_control_gone();
    fw_sched_lock();
    t->state = FW_STATE_DEAD;
    give_back(t);
    fw_sched_unlock();
}

void fw_thread_send_start(struct fw_thread *t)
{
    pthread_attr_t attributes;
    void *stack = NULL;
    size_t bytes = 0;

    if (!fw_sink.on)
        return;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &stack, &bytes);
        pthread_attr_destroy(&attributes);
    }
    t->stack = (uintptr_t)stack;
    t->stack_bytes = bytes;
    fw_fresh(stack, bytes < (1u << 20) ? bytes : 0);
    fw_record_more(t, FW_WIRE_START, t->number, (uint64_t)(uintptr_t)stack, bytes, 0);
}

void fw_thread_begin(struct fw_thread *t)
{
    t->inside = 1;
    become(t);
    fw_token_await(t);
    if (fw_control_on) {
        struct fw_op op = { .name = "start", .writes = true };

        t->stack = (uintptr_t)&op - NEAR_STACK; /* about: libc takes its time to tell */
        t->stack_bytes = NEAR_STACK + NEAR_STACK / 16;
        fw_hot.ticks = FW_CONTROL_TICKS;
        fw_control_point(t, &op);
    } else {
        fw_hot.ticks = 0;
        fw_yield(t); /* sets its quantum, and lets the seed decide who goes first */
    }
    fw_segment_next(t);
    fw_thread_send_start(t);
    if (registry.has_key)
        pthread_setspecific(registry.key, t);
    fw_leave(t);
}

void fw_thread_finish(struct fw_thread *t)
{
    fw_token_regain(t);
    t->inside++;
    fw_threads_finish(t);
    fw_self = NULL;
    fw_record(t, FW_WIRE_FINISH, t->number, 0);
    fw_control_leaves(t);
    memset(&fw_hot, 0, sizeof fw_hot);
    fw_wake(t, UINT_MAX, 0);
    fw_sched_ending(t);
    fw_leaving_begin(t);
    fw_sched_lock();
    t->hot = NULL;
    t->has_tid = false;
    fw_sched_unlock();
    fw_token_pass(t, FW_STATE_DEAD);
    fw_sched_lock();
    if (t->forgotten)
        give_back(t);
    fw_sched_unlock();
}

/* --- handles ------------------------------------------------------------------------------- */

struct fw_thread *fw_thread_find(pthread_t handle)
{
    struct fw_thread *found = NULL;
    struct fw_list *item;

    fw_sched_lock();
    for (item = registry.all.next; item != &registry.all; item = item->next) {
        struct fw_thread *t = FW_THREAD_OF(all, item);

        if (t->has_handle && !t->forgotten && pthread_equal(t->handle, handle))
            found = t; /* the newest one counts */
    }
    fw_sched_unlock();
    return found;
}

void fw_thread_set_handle(struct fw_thread *t, pthread_t handle)
{
    t->handle = handle;
    t->has_handle = true;
}

uint32_t fw_thread_number(const struct fw_thread *t)
{
    return t->number;
}

bool fw_thread_finished(const struct fw_thread *t)
{
    return t->state == FW_STATE_DEAD;
}

enum fw_woken fw_thread_await(struct fw_thread *t, struct fw_thread *other, uint64_t deadline)
{
    while (!fw_thread_finished(other)) {
        enum fw_woken woken = fw_block(t, other, deadline, FW_BLOCK_CANCEL | FW_BLOCK_TIMED);

        if (woken == FW_TIMED_OUT || woken == FW_CANCELLED)
            return woken;
    }
    return FW_WOKEN;
}

void fw_thread_forget(struct fw_thread *t)
{
    fw_sched_lock();
    if (!t->forgotten) {
        t->forgotten = true;
        if (t->state == FW_STATE_DEAD)
            give_back(t);
    }
    fw_sched_unlock();
}

void fw_thread_cancelled(struct fw_thread *t)
{
    fw_sched_lock();
    t->cancelled = 1;
    if (t->state == FW_STATE_BLOCKED && t->flags & FW_BLOCK_CANCEL)
        fw_unblock(t, FW_CANCELLED);
    fw_sched_unlock();
}
