/*
 * wellformed_locks.c - who holds which lock, while a trace is read.
 *
 * A lock has one exclusive holder or any number of shared ones.  Taking a lock
 * again that the thread holds in the same mode is re-entrant: only the
 * outermost pair is an event.  Changing the mode without releasing would block
 * a real thread for ever, so it is ill-formed.
 */
#include "base/bug.h"
#include "trace/wellformed_state.h"

static const char *lock_name(const struct fw_wellformed *wf, const struct fw_event *event)
{
    return fw_symbols_name(wf->symbols, FW_SPACE_LOCK, event->target);
}

static const char *thread_name(const struct fw_wellformed *wf, uint32_t thread)
{
    return fw_thread_name(wf->symbols, thread);
}

static struct lock_state *lock_of(struct fw_wellformed *wf, const struct fw_event *event)
{
    return &wf->locks.at[event->target];
}

static bool owns(const struct lock_state *lock, uint32_t thread)
{
    return lock->owner_plus_1 == thread + 1;
}

static enum verdict reentrant(const struct fw_wellformed *wf)
{
    return wf->keep_reentrant ? VERDICT_KEEP : VERDICT_FILTER;
}

static struct shared_hold *find_shared(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *thread = &wf->threads.at[event->thread];

    for (size_t i = 0; i < thread->shared.len; i++)
        if (thread->shared.at[i].lock == event->target)
            return &thread->shared.at[i];
    return NULL;
}

/* Does a thread other than the event's hold the lock, in any mode? */
static bool held_by_other(struct fw_wellformed *wf, const struct fw_event *event)
{
    const struct lock_state *lock = lock_of(wf, event);

    if (lock->owner_plus_1)
        return !owns(lock, event->thread);
    return lock->shared > (find_shared(wf, event) ? 1u : 0u);
}

/* Who it is: for messages, so the search may take its time. */
static const char *other_holder(struct fw_wellformed *wf, const struct fw_event *event)
{
    const struct lock_state *lock = lock_of(wf, event);
    struct fw_event other = *event;

    if (lock->owner_plus_1)
        return thread_name(wf, lock->owner_plus_1 - 1);
    for (uint32_t i = 0; i < wf->threads.len; i++) {
        other.thread = i & (FW_MAX_THREADS - 1);
        if (i != event->thread && find_shared(wf, &other))
            return thread_name(wf, i);
    }
    FW_BUG("a lock is shared by nobody");
}

enum verdict fw_wellformed_acquire(struct fw_wellformed *wf, struct fw_event *event)
{
    struct lock_state *lock = lock_of(wf, event);

    if (owns(lock, event->thread)) {
        lock->depth++;
        return reentrant(wf);
    }
    if (held_by_other(wf, event))
        return fw_wellformed_bad(wf, event, "%s holds %s", other_holder(wf, event),
                                 lock_name(wf, event));
    if (lock->shared)
        return fw_wellformed_bad(wf, event, "it already holds %s in shared mode",
                                 lock_name(wf, event));
    lock->owner_plus_1 = event->thread + 1;
    lock->depth = 1;
    return VERDICT_KEEP;
}

enum verdict fw_wellformed_shared_acquire(struct fw_wellformed *wf, struct fw_event *event)
{
    struct lock_state *lock = lock_of(wf, event);
    struct shared_hold *mine = find_shared(wf, event);

    if (mine) {
        mine->depth++;
        return reentrant(wf);
    }
    if (owns(lock, event->thread))
        return fw_wellformed_bad(wf, event, "it already holds %s exclusively",
                                 lock_name(wf, event));
    if (lock->owner_plus_1)
        return fw_wellformed_bad(wf, event, "%s holds %s",
                                 thread_name(wf, lock->owner_plus_1 - 1), lock_name(wf, event));
    fw_vec_push(&wf->threads.at[event->thread].shared,
                ((struct shared_hold) { event->target, 1 }));
    lock->shared++;
    return VERDICT_KEEP;
}

static enum verdict not_held(struct fw_wellformed *wf, const struct fw_event *event,
                             const char *mode)
{
    const struct lock_state *lock = lock_of(wf, event);

    if (held_by_other(wf, event))
        return fw_wellformed_bad(wf, event, "%s holds %s", other_holder(wf, event),
                                 lock_name(wf, event));
    if (lock->owner_plus_1 || lock->shared)
        return fw_wellformed_bad(wf, event, "it does not hold %s %s", lock_name(wf, event), mode);
    return fw_wellformed_bad(wf, event, "nobody holds %s", lock_name(wf, event));
}

enum verdict fw_wellformed_release(struct fw_wellformed *wf, struct fw_event *event, uint64_t index)
{
    struct lock_state *lock = lock_of(wf, event);

    if (!owns(lock, event->thread))
        return not_held(wf, event, "exclusively");
    if (--lock->depth)
        return reentrant(wf);
    lock->owner_plus_1 = 0;
    wf->threads.at[event->thread].last_release = index + 1;
    return VERDICT_KEEP;
}

enum verdict fw_wellformed_shared_release(struct fw_wellformed *wf, struct fw_event *event,
                                          uint64_t index)
{
    struct shared_hold *mine = find_shared(wf, event);

    if (!mine)
        return not_held(wf, event, "in shared mode");
    if (--mine->depth)
        return reentrant(wf);
    *mine = fw_vec_pop(&wf->threads.at[event->thread].shared);
    lock_of(wf, event)->shared--;
    wf->threads.at[event->thread].last_release = index + 1;
    return VERDICT_KEEP;
}

enum verdict fw_wellformed_try_fail(struct fw_wellformed *wf, struct fw_event *event)
{
    if (!held_by_other(wf, event))
        return fw_wellformed_bad(wf, event, "no other thread holds %s", lock_name(wf, event));
    return VERDICT_KEEP;
}

/*
 * A request of a lock that is free, or that its thread holds (many logs have one before every
 * acquire, also before re-entrant ones), says nothing.  One of a lock that keeps it waiting is
 * kept: it may be the last that is heard of its thread.
 */
bool fw_wellformed_says_something(struct fw_wellformed *wf, const struct fw_event *event)
{
    const struct lock_state *lock;

    if (event->kind != FW_REQUEST && event->kind != FW_SHARED_REQUEST)
        return true;
    lock = lock_of(wf, event);
    if (wf->threads.at[event->thread].phase == PHASE_WAITING || owns(lock, event->thread))
        return false;
    return event->kind == FW_REQUEST ? held_by_other(wf, event) : lock->owner_plus_1 != 0;
}

/* Only a lock that is not re-entrant makes its holder wait; who writes relock knows that. */
enum verdict fw_wellformed_relock(struct fw_wellformed *wf, struct fw_event *event)
{
    if (!owns(lock_of(wf, event), event->thread) && !find_shared(wf, event))
        return fw_wellformed_bad(wf, event, "it does not hold %s", lock_name(wf, event));
    wf->threads.at[event->thread].phase = PHASE_STUCK;
    return VERDICT_KEEP;
}

/*
 * wait(l), a dialect: one line for a wait on the lock's own condition.  It
 * becomes the release; the wake and the acquire come when the thread goes on.
 */
enum verdict fw_wellformed_wait(struct fw_wellformed *wf, struct fw_event *event, uint64_t index)
{
    struct lock_state *lock = lock_of(wf, event);
    struct thread_state *thread = &wf->threads.at[event->thread];

    if (!owns(lock, event->thread))
        return not_held(wf, event, "exclusively");
    thread->phase = PHASE_WAITING;
    thread->wait_lock = event->target;
    thread->wait_depth = lock->depth;
    thread->wait_index = index;
    thread->last_release = index + 1;
    lock->owner_plus_1 = 0;
    event->kind = FW_RELEASE;
    /* Kept re-entrant, each level is released by an event of its own. */
    for (uint32_t i = 1; wf->keep_reentrant && i < lock->depth; i++)
        fw_wellformed_emit(wf, *event, index);
    return VERDICT_KEEP;
}

static void emit_wake(struct fw_wellformed *wf, struct fw_event back, uint64_t index)
{
    const char *name = lock_name(wf, &back);
    const struct fw_strtab *conditions = &wf->symbols->table[FW_SPACE_CONDITION];
    uint32_t condition = fw_strtab_find(conditions, name, strlen(name));

    /* Nobody notified: the wait was timed, and there is nothing to answer. */
    if (condition == FW_STRTAB_NONE ||
        !fw_wellformed_notify_after(wf, condition, wf->threads.at[back.thread].last_release))
        return;
    back.kind = FW_WAKE;
    back.target = condition;
    fw_wellformed_emit(wf, back, index);
}

enum verdict fw_wellformed_return_from_wait(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *thread = &wf->threads.at[event->thread];
    struct lock_state *lock = &wf->locks.at[thread->wait_lock];
    struct fw_event back = {
        .target = thread->wait_lock, .thread = event->thread, .kind = FW_ACQUIRE
    };

    thread->phase = PHASE_RUNNING;
    if (held_by_other(wf, &back))
        return fw_wellformed_bad(wf, event, "it waits for %s, which %s holds", lock_name(wf, &back),
                                 other_holder(wf, &back));
    emit_wake(wf, back, thread->wait_index);
    /* A log that has the acquire as a line of its own: only the wake was missing. */
    if (event->kind == FW_ACQUIRE && event->target == thread->wait_lock && thread->wait_depth == 1)
        return VERDICT_KEEP;
    lock->owner_plus_1 = event->thread + 1;
    lock->depth = thread->wait_depth;
    fw_wellformed_emit(wf, back, thread->wait_index);
    for (uint32_t i = 1; wf->keep_reentrant && i < lock->depth; i++)
        fw_wellformed_emit(wf, back, thread->wait_index);
    return VERDICT_KEEP;
}
