/*
 * verify_facts.c - see verify_facts.h.
 *
 * One pass over the trace for each kind of fact, and only if the trace has
 * events of that kind.  The passes are kept apart on purpose: each can be read
 * against one sentence of docs/soundness.md.
 *
 * An event may say itself what it answers (attribute rf).  If that event is
 * not in the trace, because repair dropped it, the answer is the event itself:
 * nothing can happen before itself, so no play can satisfy it.
 */
#include "trace/verify_facts.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(FW_KIND_COUNT <= 64, "a set of kinds is one word");

/* An array of `count` times "no event". */
static uint32_t *none_array(uint32_t count)
{
    uint32_t *array = fw_xmalloc((size_t)count * sizeof *array + 1);

    memset(array, 0xff, (size_t)count * sizeof *array); /* FW_NO_EVENT is all ones */
    return array;
}

static uint32_t *none_per_name(const struct fw_facts *facts, enum fw_space space)
{
    return none_array(fw_symbols_count(facts->trace->symbols, space));
}

/* Does the trace have events of this kind? */
static bool has_kind(const struct fw_facts *facts, enum fw_kind kind)
{
    return facts->kinds >> kind & 1;
}

/* ---- program order and forks ---- */

static void link_threads(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *latest = none_per_name(facts, FW_SPACE_THREAD);

    for (uint32_t e = 0; e < trace->count; e++) {
        uint32_t t = trace->events[e].thread;

        facts->kinds |= UINT64_C(1) << trace->events[e].kind;
        if (latest[t] == FW_NO_EVENT)
            facts->first[t] = e;
        else
            facts->next[latest[t]] = e;
        latest[t] = e;
    }
    free(latest);
}

static void find_forks(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (event->kind == FW_FORK && facts->fork_of[event->target] == FW_NO_EVENT)
            facts->fork_of[event->target] = e;
    }
}

/* ---- who answers whom ---- */

/* May event e answer the earlier event a? */
static bool suits(const struct fw_trace *trace, uint32_t e, uint32_t a)
{
    const struct fw_event *event = &trace->events[e], *answered = &trace->events[a];

    if (a >= e || event->target != answered->target)
        return false;
    if (event->kind == FW_WAKE)
        return answered->kind == FW_NOTIFY || answered->kind == FW_NOTIFY_ALL;
    if (event->kind == FW_PEND)
        return answered->kind == FW_POST;
    return fw_is_write(answered->kind);
}

/* What the event's rf attribute names, or `otherwise` if it has none. */
static uint32_t named_or(const struct fw_trace *trace, uint32_t e, uint32_t otherwise)
{
    const struct fw_attr *attr = &trace->attrs[trace->events[e].attr];
    uint32_t named;

    if (!(attr->has & FW_ATTR_RF))
        return otherwise;
    named = fw_trace_position(trace, attr->rf, 0);
    return named != FW_NO_EVENT && suits(trace, e, named) ? named : e;
}

/* A read saw the latest write of its variable. */
static void find_writes_seen(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *last_write = none_per_name(facts, FW_SPACE_VARIABLE);

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (fw_is_read(event->kind))
            facts->answer[e] = named_or(trace, e, last_write[event->target]);
        if (fw_is_write(event->kind)) /* an armw reads before it writes */
            last_write[event->target] = e;
    }
    free(last_write);
}

/* A wake answers the latest notify of its condition after its thread's latest release. */
static void find_notifies(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *last_notify = none_per_name(facts, FW_SPACE_CONDITION);
    uint32_t *last_release = none_per_name(facts, FW_SPACE_THREAD);

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (fw_is_class(event->kind, FW_CLASS_RELEASE)) {
            last_release[event->thread] = e;
        } else if (event->kind == FW_NOTIFY || event->kind == FW_NOTIFY_ALL) {
            last_notify[event->target] = e;
        } else if (event->kind == FW_WAKE) {
            uint32_t n = last_notify[event->target], r = last_release[event->thread];
            bool after = n != FW_NO_EVENT && (r == FW_NO_EVENT || n > r);

            facts->answer[e] = named_or(trace, e, after ? n : FW_NO_EVENT);
        }
    }
    free(last_notify);
    free(last_release);
}

/*
 * A pend answers the oldest unanswered post of its semaphore, else one of the
 * tokens that were there from the start.  The posts of a semaphore form a
 * queue, oldest first, linked by `later`.
 */
static void find_posts(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *oldest = none_per_name(facts, FW_SPACE_SEMAPHORE);
    uint32_t *newest = none_per_name(facts, FW_SPACE_SEMAPHORE);
    uint32_t *later = none_array(trace->count);
    bool *answered = fw_xcalloc((size_t)trace->count + 1, sizeof *answered);

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];
        uint32_t s = event->target;

        if (event->kind == FW_POST) {
            if (oldest[s] == FW_NO_EVENT)
                oldest[s] = e;
            else
                later[newest[s]] = e;
            newest[s] = e;
        } else if (event->kind == FW_PEND) {
            while (oldest[s] != FW_NO_EVENT && answered[oldest[s]])
                oldest[s] = later[oldest[s]];
            facts->answer[e] = named_or(trace, e, oldest[s]);
            if (facts->answer[e] != FW_NO_EVENT)
                answered[facts->answer[e]] = true;
        }
    }
    free(oldest);
    free(newest);
    free(later);
    free(answered);
}

/* ---- barriers ---- */

/* A barout belongs to its thread's latest barin of the barrier; for now its answer is that one. */
static void find_own_ins(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    uint32_t *latest_in = none_per_name(facts, FW_SPACE_BARRIER); /* of any thread done so far */

    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t e = facts->first[t]; e != FW_NO_EVENT; e = facts->next[e]) {
            const struct fw_event *event = &trace->events[e];
            uint32_t in;

            if (event->kind == FW_BARRIER_IN)
                latest_in[event->target] = e;
            if (event->kind != FW_BARRIER_OUT)
                continue;
            in = latest_in[event->target];
            if (in != FW_NO_EVENT && trace->events[in].thread == t)
                facts->answer[e] = in;
        }
    }
    free(latest_in);
}

static uint32_t new_round(struct fw_facts *facts, uint32_t before, uint32_t *capacity)
{
    uint32_t round = facts->round_count++;

    if (round == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 16;
        facts->round_size = fw_xrealloc(facts->round_size, *capacity, sizeof(uint32_t));
        facts->round_before = fw_xrealloc(facts->round_before, *capacity, sizeof(uint32_t));
    }
    facts->round_size[round] = 0;
    facts->round_before[round] = before;
    return round;
}

/* A round of a barrier starts at the first barin after a barout of the current round. */
static void find_rounds(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *current = none_per_name(facts, FW_SPACE_BARRIER);
    uint32_t *left = none_per_name(facts, FW_SPACE_BARRIER); /* newest round with a barout */
    uint32_t capacity = 0;

    find_own_ins(facts);
    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];
        uint32_t b = event->target;

        if (event->kind == FW_BARRIER_IN) {
            if (current[b] == left[b]) /* both none: the first round of all */
                current[b] = new_round(facts, current[b], &capacity);
            facts->round_size[current[b]]++;
            facts->answer[e] = current[b];
        } else if (event->kind == FW_BARRIER_OUT && facts->answer[e] != FW_NO_EVENT) {
            uint32_t round = facts->answer[facts->answer[e]]; /* the round of its barin */

            if (round == current[b])
                left[b] = round;
            facts->answer[e] = round;
        }
    }
    free(current);
    free(left);
}

/* ---- atomics ---- */

/*
 * An atomic store releases if its memory order does, if a releasing fence
 * comes before it in its thread, or if it is a read-modify-write that
 * continues the release sequence of a store that releases.
 */
static bool releases(const struct fw_facts *facts, uint32_t e, bool fenced)
{
    const struct fw_event *event = &facts->trace->events[e];
    uint32_t seen = facts->answer[e];

    if (fenced || fw_order_releases(event->order))
        return true;
    return event->kind == FW_ATOMIC_RMW && seen != FW_NO_EVENT && seen != e &&
           facts->marks[seen] & FW_FACT_RELEASES;
}

/*
 * An atomic load synchronised if it saw a releasing atomic store of another
 * thread, and acquires: by its memory order, or by an acquiring fence later in
 * its thread.
 */
static bool synchronised(const struct fw_facts *facts, uint32_t e, uint32_t last_acquire_fence)
{
    const struct fw_event *event = &facts->trace->events[e];
    uint32_t seen = facts->answer[e];
    bool fenced = last_acquire_fence != FW_NO_EVENT && last_acquire_fence > e;

    return seen != FW_NO_EVENT && seen != e && facts->marks[seen] & FW_FACT_RELEASES &&
           facts->trace->events[seen].thread != event->thread &&
           (fenced || fw_order_acquires(event->order));
}

static uint32_t *find_last_acquire_fences(const struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *last = none_per_name(facts, FW_SPACE_THREAD);

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];

        if (event->kind == FW_FENCE && fw_order_acquires(event->order))
            last[event->thread] = e;
    }
    return last;
}

static void mark_synchronisation(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t *acquire_fence = find_last_acquire_fences(facts);
    uint32_t *release_fence = none_per_name(facts, FW_SPACE_THREAD);

    for (uint32_t e = 0; e < trace->count; e++) {
        const struct fw_event *event = &trace->events[e];
        uint32_t t = event->thread;
        bool atomic = fw_is_class(event->kind, FW_CLASS_ATOMIC);

        if (event->kind == FW_FENCE && fw_order_releases(event->order))
            release_fence[t] = e;
        if (atomic && fw_is_read(event->kind) && synchronised(facts, e, acquire_fence[t]))
            facts->marks[e] |= FW_FACT_SYNCHRONISED;
        if (atomic && fw_is_write(event->kind) &&
            releases(facts, e, release_fence[t] != FW_NO_EVENT))
            facts->marks[e] |= FW_FACT_RELEASES;
    }
    free(acquire_fence);
    free(release_fence);
}

/* ---- shared locks ---- */

/* Which locks a thread holds before an event depends on the thread alone: a walk through it. */
static void mark_readers(struct fw_facts *facts)
{
    const struct fw_trace *trace = facts->trace;
    uint32_t threads = fw_trace_thread_count(trace);
    uint32_t *reader = none_per_name(facts, FW_SPACE_LOCK); /* the thread walked, if it reads */

    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t e = facts->first[t]; e != FW_NO_EVENT; e = facts->next[e]) {
            const struct fw_event *event = &trace->events[e];

            if (fw_kind_info[event->kind].space != FW_SPACE_LOCK)
                continue;
            if (reader[event->target] == t)
                facts->marks[e] |= FW_FACT_READER;
            if (!fw_is_class(event->kind, FW_CLASS_SHARED) ||
                fw_is_class(event->kind, FW_CLASS_REQUEST))
                continue;
            reader[event->target] = fw_is_class(event->kind, FW_CLASS_ACQUIRE) ? t : FW_NO_EVENT;
        }
    }
    free(reader);
}

/* ---- life cycle ---- */

void fw_facts_init(struct fw_facts *facts, const struct fw_trace *trace)
{
    memset(facts, 0, sizeof *facts);
    facts->trace = trace;
    facts->first = none_per_name(facts, FW_SPACE_THREAD);
    facts->next = none_array(trace->count);
    facts->fork_of = none_per_name(facts, FW_SPACE_THREAD);
    facts->answer = none_array(trace->count);
    facts->marks = fw_xcalloc((size_t)trace->count + 1, sizeof *facts->marks);
    link_threads(facts);
    if (has_kind(facts, FW_FORK))
        find_forks(facts);
    find_writes_seen(facts);
    if (has_kind(facts, FW_WAKE))
        find_notifies(facts);
    if (has_kind(facts, FW_PEND))
        find_posts(facts);
    if (has_kind(facts, FW_BARRIER_IN))
        find_rounds(facts);
    if (has_kind(facts, FW_ATOMIC_LOAD) || has_kind(facts, FW_ATOMIC_RMW))
        mark_synchronisation(facts);
    if (has_kind(facts, FW_SHARED_ACQUIRE) || has_kind(facts, FW_TRY_SHARED_ACQUIRE))
        mark_readers(facts);
}

void fw_facts_release(struct fw_facts *facts)
{
    free(facts->first);
    free(facts->next);
    free(facts->fork_of);
    free(facts->answer);
    free(facts->marks);
    free(facts->round_size);
    free(facts->round_before);
    memset(facts, 0, sizeof *facts);
}
