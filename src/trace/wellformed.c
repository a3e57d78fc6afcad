/*
 * wellformed.c - see wellformed.h: the loop over raw events, thread life, and
 * who answers whom.
 *
 * Most events are plain accesses of running threads, which only leave the
 * index of the latest write behind; the loop takes those first.  As long as
 * every event is kept the batch goes through as it is; from the first event
 * that is not, events are copied next to their indices.
 */
#include "base/bug.h"
#include "trace/wellformed_state.h"

#include <stdarg.h>
#include <stdio.h>

/* So far back, in notifies of its condition, can the rf of a wake reach at the least. */
#define MOST_NOTIFIES (1u << 20)

struct fw_wellformed *fw_wellformed_create(const struct fw_symbols *symbols,
                                           const struct fw_read_options *options)
{
    struct fw_wellformed *wf = fw_xcalloc(1, sizeof *wf);

    wf->symbols = symbols;
    wf->repair = options->repair;
    wf->keep_reentrant = options->keep_reentrant;
    return wf;
}

void fw_wellformed_destroy(struct fw_wellformed *wf)
{
    if (!wf)
        return;
    for (size_t i = 0; i < wf->threads.len; i++) {
        fw_vec_release(&wf->threads.at[i].blocks);
        fw_vec_release(&wf->threads.at[i].shared);
        fw_vec_release(&wf->threads.at[i].barriers);
    }
    for (size_t i = 0; i < wf->conditions.len; i++)
        fw_vec_release(&wf->conditions.at[i].notifies);
    for (size_t i = 0; i < wf->semaphores.len; i++)
        fw_vec_release(&wf->semaphores.at[i].posts);
    fw_vec_release(&wf->threads);
    fw_vec_release(&wf->locks);
    fw_vec_release(&wf->conditions);
    fw_vec_release(&wf->semaphores);
    fw_vec_release(&wf->last_write);
    fw_vec_release(&wf->out);
    fw_vec_release(&wf->out_index);
    free(wf);
}

enum verdict fw_wellformed_bad(struct fw_wellformed *wf, const struct fw_event *event,
                               const char *fmt, ...)
{
    char text[256], cause[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(cause, sizeof cause, fmt, args);
    va_end(args);
    fw_error_set(&wf->why, "'%s' by %.100s, but %s",
                 fw_event_text(wf->symbols, event, text, sizeof text),
                 fw_thread_name(wf->symbols, event->thread), cause);
    return VERDICT_BAD;
}

static struct thread_state *thread_of(struct fw_wellformed *wf, const struct fw_event *event)
{
    return &wf->threads.at[event->thread];
}

static const char *target_name(const struct fw_wellformed *wf, const struct fw_event *event)
{
    return fw_symbols_name(wf->symbols, fw_kind_info[event->kind].space, event->target);
}

/* --- thread life ------------------------------------------------------------------------- */

static enum verdict check_fork(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *child = &wf->threads.at[event->target];
    const char *name = target_name(wf, event);

    if (event->target == event->thread)
        return fw_wellformed_bad(wf, event, "a thread cannot fork itself");
    if (child->phase == PHASE_JOINED)
        return fw_wellformed_bad(wf, event, "%s was already joined", name);
    if (child->forked)
        return fw_wellformed_bad(wf, event, "%s was already forked", name);
    if (child->phase != PHASE_UNSEEN)
        return fw_wellformed_bad(wf, event, "%s has already run before its fork", name);
    child->forked = true;
    return VERDICT_KEEP;
}

static enum verdict check_join(struct fw_wellformed *wf, const struct fw_event *event)
{
    if (event->target == event->thread)
        return fw_wellformed_bad(wf, event, "a thread cannot join itself");
    wf->threads.at[event->target].phase = PHASE_JOINED;
    return VERDICT_KEEP;
}

/* --- who answers whom -------------------------------------------------------------------- */

/* An explicit rf of a read must name the latest write: the trace is what memory did. */
static enum verdict check_access(struct fw_wellformed *wf, const struct fw_event *event,
                                 const struct fw_attr *attr, uint64_t index)
{
    uint64_t *last = &wf->last_write.at[event->target + 1];

    if (attr->has & FW_ATTR_RF && attr->rf + 1 != *last) {
        if (*last)
            return fw_wellformed_bad(wf, event, "rf=%llu is not the latest write of %s, event %llu",
                                     (unsigned long long)attr->rf, target_name(wf, event),
                                     (unsigned long long)*last - 1);
        return fw_wellformed_bad(wf, event, "rf=%llu, and nothing has written %s",
                                 (unsigned long long)attr->rf, target_name(wf, event));
    }
    if (fw_is_write(event->kind))
        *last = index + 1;
    return VERDICT_KEEP;
}

/* The oldest notify that some waiting thread may still answer lies after this (plus one). */
static uint64_t oldest_wait(const struct fw_wellformed *wf)
{
    uint64_t oldest = UINT64_MAX;

    for (size_t i = 0; i < wf->threads.len; i++) {
        const struct thread_state *thread = &wf->threads.at[i];

        if (thread->phase != PHASE_JOINED && thread->last_release &&
            thread->last_release < oldest)
            oldest = thread->last_release;
    }
    return oldest;
}

static void forget_notifies(struct fw_wellformed *wf, struct condition_state *condition)
{
    uint64_t oldest = oldest_wait(wf);
    size_t keep = 0;

    while (keep < condition->notifies.len && condition->notifies.at[keep] < oldest)
        keep++;
    /* A thread that released a lock long ago may never wait: it does not keep all since then. */
    if (condition->notifies.len - keep >= MOST_NOTIFIES)
        keep = condition->notifies.len - MOST_NOTIFIES / 2;
    condition->notifies.len -= keep;
    memmove(condition->notifies.at, condition->notifies.at + keep,
            condition->notifies.len * sizeof *condition->notifies.at);
}

static enum verdict note_notify(struct fw_wellformed *wf, const struct fw_event *event,
                                uint64_t index)
{
    struct condition_state *condition = &wf->conditions.at[event->target];

    /* Tidy up each time the list would grow, and let it grow if that freed little: amortised. */
    if (condition->notifies.len >= 64 && condition->notifies.len == condition->notifies.cap) {
        forget_notifies(wf, condition);
        if (condition->notifies.len * 2 > condition->notifies.cap)
            fw_vec_reserve(&condition->notifies, condition->notifies.cap * 2);
    }
    fw_vec_push(&condition->notifies, index + 1);
    return VERDICT_KEEP;
}

uint64_t fw_wellformed_notify_after(struct fw_wellformed *wf, uint32_t condition, uint64_t since)
{
    const struct condition_state *state = &wf->conditions.at[condition];
    uint64_t latest = state->notifies.len ? fw_vec_last(&state->notifies) : 0;

    return latest > since ? latest : 0;
}

static bool notified_at(const struct condition_state *state, uint64_t wanted)
{
    size_t low = 0, high = state->notifies.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (state->notifies.at[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state->notifies.len && state->notifies.at[low] == wanted;
}

static enum verdict check_wake(struct fw_wellformed *wf, const struct fw_event *event,
                               const struct fw_attr *attr)
{
    uint64_t released = thread_of(wf, event)->last_release;
    const char *name = target_name(wf, event);

    if (!released)
        return fw_wellformed_bad(wf, event, "it has released no lock to wait");
    if (!(attr->has & FW_ATTR_RF)) {
        if (fw_wellformed_notify_after(wf, event->target, released))
            return VERDICT_KEEP;
        return fw_wellformed_bad(wf, event, "nobody notified %s since it began to wait", name);
    }
    if (attr->rf + 1 > released && notified_at(&wf->conditions.at[event->target], attr->rf + 1))
        return VERDICT_KEEP;
    return fw_wellformed_bad(wf, event, "rf=%llu is no notify of %s since it began to wait",
                             (unsigned long long)attr->rf, name);
}

/* The place of the post with this index, or the end. */
static size_t find_post(const struct semaphore_state *semaphore, uint64_t index)
{
    size_t low = semaphore->head, high = semaphore->posts.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (semaphore->posts.at[middle] < index * 2)
            low = middle + 1;
        else
            high = middle;
    }
    return low < semaphore->posts.len && semaphore->posts.at[low] == index * 2
               ? low
               : semaphore->posts.len;
}

/* Without rf a pend takes the oldest unanswered post; if there is none, an initial token. */
static enum verdict check_pend(struct fw_wellformed *wf, const struct fw_event *event,
                               const struct fw_attr *attr)
{
    struct semaphore_state *semaphore = &wf->semaphores.at[event->target];
    size_t at = semaphore->head;

    if (attr->has & FW_ATTR_RF) {
        at = find_post(semaphore, attr->rf);
        if (at == semaphore->posts.len)
            return fw_wellformed_bad(wf, event, "rf=%llu is no unanswered post of %s",
                                     (unsigned long long)attr->rf, target_name(wf, event));
    }
    if (at == semaphore->posts.len)
        return VERDICT_KEEP;
    semaphore->posts.at[at] |= 1;
    while (semaphore->head < semaphore->posts.len && semaphore->posts.at[semaphore->head] & 1)
        semaphore->head++;
    return VERDICT_KEEP;
}

static enum verdict note_post(struct fw_wellformed *wf, const struct fw_event *event,
                              uint64_t index)
{
    struct semaphore_state *semaphore = &wf->semaphores.at[event->target];

    if (semaphore->head == semaphore->posts.len) {
        semaphore->head = semaphore->posts.len = 0;
    } else if (semaphore->head >= 64 && semaphore->head * 2 >= semaphore->posts.len) {
        semaphore->posts.len -= semaphore->head;
        memmove(semaphore->posts.at, semaphore->posts.at + semaphore->head,
                semaphore->posts.len * sizeof *semaphore->posts.at);
        semaphore->head = 0;
    }
    fw_vec_push(&semaphore->posts, index * 2);
    return VERDICT_KEEP;
}

static uint32_t *find_inside(struct thread_state *thread, uint32_t barrier)
{
    for (size_t i = 0; i < thread->barriers.len; i++)
        if (thread->barriers.at[i] == barrier)
            return &thread->barriers.at[i];
    return NULL;
}

static enum verdict check_barrier(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *thread = thread_of(wf, event);
    uint32_t *inside = find_inside(thread, event->target);

    if (event->kind == FW_BARRIER_IN) {
        if (inside)
            return fw_wellformed_bad(wf, event, "it is still inside %s", target_name(wf, event));
        fw_vec_push(&thread->barriers, event->target);
        return VERDICT_KEEP;
    }
    if (!inside)
        return fw_wellformed_bad(wf, event, "it never entered %s", target_name(wf, event));
    *inside = fw_vec_pop(&thread->barriers);
    return VERDICT_KEEP;
}

static enum verdict check_block(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *thread = thread_of(wf, event);

    if (event->kind == FW_BEGIN) {
        fw_vec_push(&thread->blocks, event->target);
        return VERDICT_KEEP;
    }
    if (!thread->blocks.len)
        return fw_wellformed_bad(wf, event, "it has no open block");
    if (fw_vec_last(&thread->blocks) != event->target)
        return fw_wellformed_bad(
            wf, event, "its innermost open block is '%s'",
            fw_symbols_name(wf->symbols, FW_SPACE_BLOCK, fw_vec_last(&thread->blocks)));
    thread->blocks.len--;
    return VERDICT_KEEP;
}

/* --- the loop ---------------------------------------------------------------------------- */

/* The state an event's kind touches; the thread is known to be running. */
static enum verdict check_kind(struct fw_wellformed *wf, struct fw_event *event,
                               const struct fw_attr *attr, uint64_t index)
{
    switch (event->kind) {
    case FW_READ:
    case FW_WRITE:
    case FW_ATOMIC_LOAD:
    case FW_ATOMIC_STORE:
    case FW_ATOMIC_RMW:
        return check_access(wf, event, attr, index);
    case FW_ACQUIRE:
    case FW_TRY_ACQUIRE:
        return fw_wellformed_acquire(wf, event);
    case FW_SHARED_ACQUIRE:
    case FW_TRY_SHARED_ACQUIRE:
        return fw_wellformed_shared_acquire(wf, event);
    case FW_RELEASE:
        return fw_wellformed_release(wf, event, index);
    case FW_SHARED_RELEASE:
        return fw_wellformed_shared_release(wf, event, index);
    case FW_TRY_FAIL:
        return fw_wellformed_try_fail(wf, event);
    case FW_RELOCK:
        return fw_wellformed_relock(wf, event);
    case FW_NOTIFY:
    case FW_NOTIFY_ALL:
        return note_notify(wf, event, index);
    case FW_WAKE:
        return check_wake(wf, event, attr);
    case FW_POST:
        return note_post(wf, event, index);
    case FW_PEND:
        return check_pend(wf, event, attr);
    case FW_BARRIER_IN:
    case FW_BARRIER_OUT:
        return check_barrier(wf, event);
    case FW_FORK:
        return check_fork(wf, event);
    case FW_JOIN:
        return check_join(wf, event);
    case FW_BEGIN:
    case FW_END:
        return check_block(wf, event);
    case FW_RAW_WAIT:
        return fw_wellformed_wait(wf, event, index);
    default: /* fence, br, call, ret, alloc, free, req, rreq: always possible */
        return VERDICT_KEEP;
    }
}

/* A thread that is not simply running: it begins, comes back from a wait, or must not run. */
static enum verdict check_phase(struct fw_wellformed *wf, const struct fw_event *event)
{
    struct thread_state *thread = thread_of(wf, event);

    switch (thread->phase) {
    case PHASE_UNSEEN:
        thread->phase = PHASE_RUNNING;
        return VERDICT_KEEP;
    case PHASE_RUNNING:
        return VERDICT_KEEP;
    case PHASE_WAITING:
        return fw_wellformed_return_from_wait(wf, event);
    case PHASE_STUCK:
        return fw_wellformed_bad(wf, event, "it waits for a lock that it holds itself");
    case PHASE_JOINED:
        return fw_wellformed_bad(wf, event, "%s was already joined",
                                 fw_thread_name(wf->symbols, event->thread));
    }
    FW_BUG("thread phase %d", (int)thread->phase);
}

/* From here on indices differ from positions: copies what the batch has kept so far. */
static void open_gap(struct fw_wellformed *wf, const struct fw_raw_batch *raw, uint32_t kept)
{
    if (wf->gapped)
        return;
    wf->gapped = true;
    for (uint32_t i = 0; i < kept; i++)
        fw_wellformed_emit(wf, raw->events[i], wf->lines + i);
}

static enum verdict check_event(struct fw_wellformed *wf, const struct fw_raw_batch *raw,
                                uint32_t i)
{
    struct fw_event *event = &raw->events[i];
    enum verdict verdict;

    if (!fw_wellformed_says_something(wf, event))
        return VERDICT_IGNORE;
    if (event->kind == FW_RAW_BROKEN)
        return VERDICT_BAD;
    if (event->kind == FW_RAW_WAIT || thread_of(wf, event)->phase == PHASE_WAITING)
        open_gap(wf, raw, i);
    verdict = check_phase(wf, event);
    if (verdict == VERDICT_KEEP)
        verdict = check_kind(wf, event, &raw->attrs[event->attr], wf->lines + i);
    return verdict;
}

/* New names have appeared since the last batch: state for them, all zero. */
static void make_room(struct fw_wellformed *wf)
{
    const struct fw_symbols *symbols = wf->symbols;

    fw_vec_extend(&wf->threads, fw_symbols_count(symbols, FW_SPACE_THREAD));
    fw_vec_extend(&wf->locks, fw_symbols_count(symbols, FW_SPACE_LOCK));
    fw_vec_extend(&wf->conditions, fw_symbols_count(symbols, FW_SPACE_CONDITION));
    fw_vec_extend(&wf->semaphores, fw_symbols_count(symbols, FW_SPACE_SEMAPHORE));
    fw_vec_extend(&wf->last_write, (size_t)fw_symbols_count(symbols, FW_SPACE_VARIABLE) + 1);
}

/* An event that is not kept: counts it.  -1 if reading must stop. */
static int count_loss(struct fw_wellformed *wf, const struct fw_event *event, enum verdict verdict,
                      struct fw_read_status *status)
{
    if (verdict == VERDICT_FILTER) {
        status->reentrant++;
    } else if (verdict == VERDICT_IGNORE) {
        status->ignored++;
    } else {
        if (!wf->repair)
            return -1;
        status->dropped++;
        wf->told_drop |= event->kind == FW_RAW_BROKEN; /* the decoder tells of those */
    }
    return 0;
}

#define BIT(kind) (UINT64_C(1) << (kind))

/* Kinds that a running thread may always do, rf apart, and those of them that write. */
static const uint64_t plain_kinds = BIT(FW_READ) | BIT(FW_WRITE) | BIT(FW_ATOMIC_LOAD) |
                                    BIT(FW_ATOMIC_STORE) | BIT(FW_ATOMIC_RMW) | BIT(FW_FENCE) |
                                    BIT(FW_BRANCH) | BIT(FW_CALL) | BIT(FW_RETURN) |
                                    BIT(FW_ALLOC) | BIT(FW_FREE);
static const uint64_t writing_kinds = BIT(FW_WRITE) | BIT(FW_ATOMIC_STORE) | BIT(FW_ATOMIC_RMW);

/*
 * Steps over plain events, the bulk of every trace, from event i of the batch
 * on.  Which of them write is hard to predict, so that is not a branch: what
 * does not write is noted for no variable.
 */
static uint32_t skip_plain(struct fw_wellformed *wf, const struct fw_raw_batch *raw, uint32_t i)
{
    const struct thread_state *threads = wf->threads.at;
    uint64_t *last_write = wf->last_write.at;

    for (; i < raw->count; i++) {
        const struct fw_event *event = &raw->events[i];
        bool writes = writing_kinds >> event->kind & 1;

        if (!(plain_kinds >> event->kind & 1) || raw->attrs[event->attr].has & FW_ATTR_RF ||
            threads[event->thread].phase != PHASE_RUNNING)
            break;
        last_write[writes ? event->target + 1 : 0] = wf->lines + i + 1;
    }
    return i;
}

static uint32_t pass_plain(struct fw_wellformed *wf, const struct fw_raw_batch *raw, uint32_t i)
{
    uint32_t end = skip_plain(wf, raw, i);

    for (; wf->gapped && i < end; i++)
        fw_wellformed_emit(wf, raw->events[i], wf->lines + i);
    return end;
}

/* The batch made of the first `seen` raw events. */
static void deliver(struct fw_wellformed *wf, const struct fw_raw_batch *raw, uint32_t seen,
                    struct fw_batch *batch, struct fw_read_status *status)
{
    bool copied = wf->gapped;

    *batch = (struct fw_batch) {
        .events = copied ? wf->out.at : raw->events,
        .attrs = raw->attrs,
        .index = copied ? wf->out_index.at : NULL,
        .first = wf->delivered,
        .count = copied ? (uint32_t)wf->out.len : seen,
    };
    wf->delivered += batch->count;
    wf->lines += seen;
    status->events = wf->delivered;
    status->lines = wf->lines;
}

int fw_wellformed_filter(struct fw_wellformed *wf, const struct fw_raw_batch *raw,
                         struct fw_batch *batch, struct fw_read_status *status, uint32_t *bad,
                         struct fw_error *err)
{
    *bad = FW_NOTHING_BAD;
    make_room(wf);
    fw_vec_clear(&wf->out);
    fw_vec_clear(&wf->out_index);
    for (uint32_t i = 0; i < raw->count; i++) {
        struct fw_event *event;
        enum verdict verdict;

        i = pass_plain(wf, raw, i);
        if (i == raw->count)
            break;
        event = &raw->events[i];
        verdict = check_event(wf, raw, i);
        if (verdict == VERDICT_KEEP) {
            if (wf->gapped)
                fw_wellformed_emit(wf, *event, wf->lines + i);
            continue;
        }
        open_gap(wf, raw, i);
        if (verdict == VERDICT_BAD && !wf->told_drop && event->kind != FW_RAW_BROKEN) {
            wf->told_drop = true;
            *bad = i;
            *err = wf->why;
        }
        if (count_loss(wf, event, verdict, status) < 0) {
            deliver(wf, raw, i, batch, status);
            return -1;
        }
    }
    deliver(wf, raw, raw->count, batch, status);
    return 0;
}

bool fw_wellformed_is_easy(const struct fw_wellformed *wf, uint32_t thread)
{
    return !wf->gapped && thread < wf->threads.len &&
           wf->threads.at[thread].phase == PHASE_RUNNING;
}

void fw_wellformed_passed(struct fw_wellformed *wf, uint64_t count)
{
    FW_ASSERT(!wf->gapped);
    wf->lines += count;
    wf->delivered += count;
}
