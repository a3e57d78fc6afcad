/*
 * verify_play.c - see verify_play.h: the rules of a correct reordering.
 *
 * Each rule is one short function that looks at the state, refuses the event
 * or lets it happen; the table `rules` says which rule judges which kind of
 * event.  docs/soundness.md states the rules in the same order.
 *
 * Taint.  What a program does depends on what it read.  A read that does not
 * see what it saw in the trace may have got another value: from then on its
 * thread is tainted, that is, what it computes is unknown.  It still does the
 * same events, up to its next branch: there it might turn elsewhere, so a
 * tainted thread takes no branch.  Taint goes wherever a value can go: into
 * the thread's writes and whoever reads them, into the threads it forks, and
 * into the threads that join it.
 *
 * Strict model.  If the trace has no branch events, a branch is implied right
 * after each read.  An untainted thread takes it at once, which changes
 * nothing; a tainted one stops in front of it for good (`stuck`).
 */
#include "trace/verify_play.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- state, untouched at the beginning of each play ---- */

struct fw_play_thread *fw_play_thread(struct fw_player *p, uint32_t id)
{
    struct fw_play_thread *thread = &p->threads[id];

    if (thread->since != p->begun)
        *thread = (struct fw_play_thread) { .since = p->begun,
                                            .next = p->facts.first[id],
                                            .release = FW_NO_EVENT,
                                            .taint = FW_NO_EVENT };
    return thread;
}

struct fw_play_lock *fw_play_lock(struct fw_player *p, uint32_t id)
{
    struct fw_play_lock *lock = &p->locks[id];

    if (lock->since != p->begun)
        *lock = (struct fw_play_lock) { .since = p->begun, .writer = FW_NO_EVENT };
    return lock;
}

static struct fw_play_variable *get_variable(struct fw_player *p, uint32_t id)
{
    struct fw_play_variable *variable = &p->variables[id];

    if (variable->since != p->begun)
        *variable = (struct fw_play_variable) { .since = p->begun, .last_write = FW_NO_EVENT };
    return variable;
}

static struct fw_play_round *get_round(struct fw_player *p, uint32_t id)
{
    struct fw_play_round *round = &p->rounds[id];

    if (round->since != p->begun)
        *round = (struct fw_play_round) { .since = p->begun };
    return round;
}

/* A thread that nobody forks is a root: it runs from the beginning. */
static bool started(const struct fw_player *p, uint32_t thread)
{
    uint32_t fork = p->facts.fork_of[thread];

    return fork == FW_NO_EVENT || fw_play_done(p, fork);
}

/* ---- messages ---- */

static const char *thread_name(const struct fw_player *p, uint32_t thread)
{
    return fw_thread_name(p->trace->symbols, thread);
}

struct fw_label fw_play_label(const struct fw_player *p, uint32_t e)
{
    struct fw_label label;
    char text[64];

    fw_event_text(p->trace->symbols, &p->trace->events[e], text, sizeof text);
    snprintf(label.text, sizeof label.text, "event %" PRIu64 ", '%s'", fw_trace_index(p->trace, e),
             text);
    return label;
}

/* "step 7: event 12, 'acq(L1)' by T2, but ..."; after the last step: "after step 9: ...". */
bool fw_play_refuse(struct fw_player *p, uint32_t e, const char *fmt, ...)
{
    struct fw_verdict *verdict = p->verdict;
    uint32_t steps = fw_play_steps(p);
    char why[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    snprintf(verdict->reason, sizeof verdict->reason, "%s %" PRIu32 ": %s by %.32s, but %s",
             p->playing ? "step" : "after step", p->playing ? steps + 1 : steps,
             fw_play_label(p, e).text, thread_name(p, p->trace->events[e].thread), why);
    if (p->playing)
        verdict->step = steps;
    return false;
}

/* ---- each thread: a prefix of its events, in program order, after its fork ---- */

bool fw_play_is_next(struct fw_player *p, uint32_t e)
{
    uint32_t t = p->trace->events[e].thread;
    const struct fw_play_thread *thread = fw_play_thread(p, t);
    const char *name = thread_name(p, t);

    if (fw_play_done(p, e))
        return fw_play_refuse(p, e, "it has already happened, at step %" PRIu64,
                              p->when[e] - p->begun);
    if (!started(p, t))
        return fw_play_refuse(p, e, "%.32s starts only after %s", name,
                              fw_play_label(p, p->facts.fork_of[t]).text);
    if (thread->stuck)
        return fw_play_refuse(p, e,
                              "%.32s cannot pass the branch implied after %s, which does not see "
                              "what it saw in the trace",
                              name, fw_play_label(p, thread->taint).text);
    if (thread->next != e)
        return fw_play_refuse(p, e, "%.32s comes to %s first", name,
                              fw_play_label(p, thread->next).text);
    return true;
}

/* ---- taint ---- */

/* The thread got, by event e, a value that may differ from the trace's. */
static void taint(struct fw_play_thread *thread, uint32_t e)
{
    if (thread->taint == FW_NO_EVENT)
        thread->taint = e;
}

static bool tainted(const struct fw_play_thread *thread)
{
    return thread->taint != FW_NO_EVENT;
}

/* A tainted thread takes no branch. */
static bool rule_branch(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    if (tainted(thread))
        return fw_play_refuse(p, e, "it may depend on %s, where the thread got a changed value",
                              fw_play_label(p, thread->taint).text);
    return true;
}

/* ---- memory ---- */

/* An atomic load that synchronised sees the store it saw. */
static bool refuse_load(struct fw_player *p, uint32_t e, uint32_t seen)
{
    struct fw_label saw = fw_play_label(p, p->facts.answer[e]);

    if (seen == FW_NO_EVENT)
        return fw_play_refuse(p, e, "it synchronised with %s and would see no write", saw.text);
    return fw_play_refuse(p, e, "it synchronised with %s and would see event %" PRIu64, saw.text,
                          fw_trace_index(p->trace, seen));
}

static bool has_value(const struct fw_player *p, uint32_t e, int64_t *value)
{
    const struct fw_attr *attr = &p->trace->attrs[p->trace->events[e].attr];

    *value = attr->value;
    return attr->has & FW_ATTR_VALUE;
}

/* The value that a read got in the trace.  The value recorded of an armw is what it left. */
static bool has_value_read(const struct fw_player *p, uint32_t e, int64_t *value)
{
    uint32_t saw = p->facts.answer[e];
    int64_t left;
    bool own = p->trace->events[e].kind != FW_ATOMIC_RMW && has_value(p, e, value);

    if (saw == FW_NO_EVENT || saw == e || !has_value(p, saw, &left))
        return own;
    if (own && *value != left)
        return false; /* the trace contradicts itself: nothing is known */
    *value = left;
    return true;
}

bool fw_play_is_same(const struct fw_player *p, uint32_t e, uint32_t seen)
{
    int64_t got, left;

    if (seen == p->facts.answer[e])
        return true;
    return p->values && seen != FW_NO_EVENT && has_value(p, seen, &left) &&
           has_value_read(p, e, &got) && got == left;
}

bool fw_play_leave_same(const struct fw_player *p, uint32_t a, uint32_t b)
{
    int64_t left_a, left_b;

    return p->values && has_value(p, a, &left_a) && has_value(p, b, &left_b) && left_a == left_b;
}

/*
 * A read sees the latest write.  It is changed if that is not the write it saw
 * in the trace (nor, with values, one of the same value), or if the write is
 * tainted, and taints its thread then.
 */
static bool rule_read(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    const struct fw_play_variable *variable = get_variable(p, p->trace->events[e].target);
    uint32_t seen = variable->last_write;

    if (p->facts.marks[e] & FW_FACT_SYNCHRONISED && seen != p->facts.answer[e])
        return refuse_load(p, e, seen);
    p->seen = seen;
    if (!fw_play_is_same(p, e, seen) || variable->tainted) {
        if (p->changed == FW_NO_EVENT)
            p->changed = e;
        taint(thread, e);
    }
    /* Strict model: the implied branch. */
    thread->stuck = !p->trace->has_branches && tainted(thread);
    return true;
}

/* The writes of a tainted thread are tainted. */
static bool rule_write(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    struct fw_play_variable *variable = get_variable(p, p->trace->events[e].target);

    variable->last_write = e;
    variable->tainted = tainted(thread);
    return true;
}

/* Reads, then writes; nothing comes between.  A changed one taints its own write. */
static bool rule_read_modify_write(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    return rule_read(p, e, thread) && rule_write(p, e, thread);
}

/* ---- locks ---- */

static const char *lock_name(const struct fw_player *p, uint32_t e)
{
    return fw_symbols_name(p->trace->symbols, FW_SPACE_LOCK, p->trace->events[e].target);
}

/* Number of threads other than e's own that hold e's lock in shared mode. */
static uint32_t other_readers(struct fw_player *p, uint32_t e)
{
    uint32_t own = p->facts.marks[e] & FW_FACT_READER ? 1 : 0;

    return fw_play_lock(p, p->trace->events[e].target)->readers - own;
}

static bool refuse_held(struct fw_player *p, uint32_t e, uint32_t writer)
{
    if (writer != FW_NO_EVENT)
        return fw_play_refuse(p, e, "%.32s holds %.64s", thread_name(p, writer), lock_name(p, e));
    return fw_play_refuse(p, e, "%.64s is held in shared mode by %" PRIu32 " other thread%s",
                          lock_name(p, e), other_readers(p, e),
                          other_readers(p, e) == 1 ? "" : "s");
}

/* Exclusive mode, blocking or tried: nobody holds the lock. */
static bool rule_acquire(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    struct fw_play_lock *lock = fw_play_lock(p, p->trace->events[e].target);

    (void)thread;
    if (lock->writer != FW_NO_EVENT || other_readers(p, e) > 0)
        return refuse_held(p, e, lock->writer);
    lock->writer = p->trace->events[e].thread;
    return true;
}

static bool rule_release(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    struct fw_play_lock *lock = fw_play_lock(p, p->trace->events[e].target);

    if (lock->writer != p->trace->events[e].thread)
        return fw_play_refuse(p, e, "it does not hold %.64s", lock_name(p, e));
    lock->writer = FW_NO_EVENT;
    thread->release = e;
    return true;
}

/* Shared mode, blocking or tried: nobody holds the lock in exclusive mode. */
static bool rule_shared_acquire(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    struct fw_play_lock *lock = fw_play_lock(p, p->trace->events[e].target);

    if (lock->writer != FW_NO_EVENT)
        return refuse_held(p, e, lock->writer);
    lock->readers++;
    if (thread->in_set)
        lock->set_readers++;
    return true;
}

static bool rule_shared_release(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    struct fw_play_lock *lock = fw_play_lock(p, p->trace->events[e].target);

    if (!(p->facts.marks[e] & FW_FACT_READER))
        return fw_play_refuse(p, e, "it does not hold %.64s", lock_name(p, e));
    lock->readers--;
    if (thread->in_set)
        lock->set_readers--;
    thread->release = e;
    return true;
}

/* A try failed because another thread held the lock: it must hold it here too. */
static bool rule_try_fail(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    const struct fw_play_lock *lock = fw_play_lock(p, p->trace->events[e].target);
    bool written = lock->writer != FW_NO_EVENT && lock->writer != p->trace->events[e].thread;

    (void)thread;
    if (!written && other_readers(p, e) == 0)
        return fw_play_refuse(p, e, "no other thread holds %.64s", lock_name(p, e));
    return true;
}

/* ---- conditions, semaphores, barriers ---- */

/* A wake comes after the notify it answers, which comes after the waiter's own release. */
static bool rule_wake(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    uint32_t notify = p->facts.answer[e];

    if (notify == FW_NO_EVENT)
        return true; /* nobody was needed to wake it */
    if (!fw_play_done(p, notify))
        return fw_play_refuse(p, e, "it answers %s, which has not happened",
                              fw_play_label(p, notify).text);
    if (thread->release != FW_NO_EVENT && p->when[notify] < p->when[thread->release])
        return fw_play_refuse(p, e, "it answers %s, which happened before it began to wait",
                              fw_play_label(p, notify).text);
    return true;
}

/* A pend comes after its post. */
static bool rule_pend(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    uint32_t post = p->facts.answer[e];

    (void)thread;
    if (post != FW_NO_EVENT && !fw_play_done(p, post))
        return fw_play_refuse(p, e, "it answers %s, which has not happened",
                              fw_play_label(p, post).text);
    return true;
}

static bool complete(struct fw_player *p, uint32_t round)
{
    return get_round(p, round)->arrived == p->facts.round_size[round];
}

static bool refuse_round(struct fw_player *p, uint32_t e, const char *which, uint32_t round)
{
    return fw_play_refuse(p, e, "%s round of the barrier has %" PRIu32 " of its %" PRIu32 " ins",
                          which, get_round(p, round)->arrived, p->facts.round_size[round]);
}

/* All ins of a round come before all ins of the barrier's next round. */
static bool rule_barrier_in(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    uint32_t round = p->facts.answer[e], before = p->facts.round_before[round];

    (void)thread;
    if (before != FW_NO_EVENT && !complete(p, before))
        return refuse_round(p, e, "the previous", before);
    get_round(p, round)->arrived++;
    return true;
}

/* A barout comes after all ins of its round. */
static bool rule_barrier_out(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    uint32_t round = p->facts.answer[e];

    (void)thread;
    if (round != FW_NO_EVENT && !complete(p, round))
        return refuse_round(p, e, "its", round);
    return true;
}

/* ---- threads ---- */

/* The child may start now; a fork by a tainted thread taints it. */
static bool rule_fork(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    if (tainted(thread))
        taint(fw_play_thread(p, p->trace->events[e].target), e);
    return true;
}

/*
 * A join comes after the last event that the trace has of the thread; that of
 * a thread without events, after its fork.  A thread in front of an implied
 * branch has not done its last event.  Joining a tainted thread taints.
 */
static bool rule_join(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    uint32_t child_id = p->trace->events[e].target;
    const struct fw_play_thread *child = fw_play_thread(p, child_id);
    const char *name = thread_name(p, child_id);

    if (!started(p, child_id))
        return fw_play_refuse(p, e, "%.32s has not been forked", name);
    if (child->next != FW_NO_EVENT)
        return fw_play_refuse(p, e, "%.32s has not ended: %s is still to come", name,
                              fw_play_label(p, child->next).text);
    if (child->stuck)
        return fw_play_refuse(p, e,
                              "%.32s cannot pass the branch implied after %s, which does not see "
                              "what it saw in the trace",
                              name, fw_play_label(p, child->taint).text);
    if (tainted(child))
        taint(thread, e);
    return true;
}

/* Nothing but program order holds it back, and nobody is affected. */
static bool rule_none(struct fw_player *p, uint32_t e, struct fw_play_thread *thread)
{
    (void)p;
    (void)e;
    (void)thread;
    return true;
}

/* ---- the play ---- */

typedef bool rule_function(struct fw_player *p, uint32_t e, struct fw_play_thread *thread);

static rule_function *const rules[FW_KIND_COUNT] = {
    [FW_READ] = rule_read,
    [FW_WRITE] = rule_write,
    [FW_ATOMIC_LOAD] = rule_read,
    [FW_ATOMIC_STORE] = rule_write,
    [FW_ATOMIC_RMW] = rule_read_modify_write,
    [FW_FENCE] = rule_none, /* its effect is that atomic loads synchronised */
    [FW_ACQUIRE] = rule_acquire,
    [FW_RELEASE] = rule_release,
    [FW_TRY_ACQUIRE] = rule_acquire,
    [FW_TRY_FAIL] = rule_try_fail,
    [FW_SHARED_ACQUIRE] = rule_shared_acquire,
    [FW_SHARED_RELEASE] = rule_shared_release,
    [FW_TRY_SHARED_ACQUIRE] = rule_shared_acquire,
    [FW_NOTIFY] = rule_none,     /* its wakes look whether it happened */
    [FW_NOTIFY_ALL] = rule_none, /* likewise */
    [FW_WAKE] = rule_wake,
    [FW_POST] = rule_none, /* its pend looks whether it happened */
    [FW_PEND] = rule_pend,
    [FW_BARRIER_IN] = rule_barrier_in,
    [FW_BARRIER_OUT] = rule_barrier_out,
    [FW_FORK] = rule_fork,
    [FW_JOIN] = rule_join,
    [FW_BRANCH] = rule_branch,
    [FW_BEGIN] = rule_none,
    [FW_END] = rule_none,
    [FW_CALL] = rule_none,
    [FW_RETURN] = rule_none,
    [FW_ALLOC] = rule_none,
    [FW_FREE] = rule_none, /* races like a write, but leaves no value to be seen */
    [FW_REQUEST] = rule_none, /* says that its thread waits from here on */
    [FW_SHARED_REQUEST] = rule_none,
    [FW_RELOCK] = rule_none,
};

static bool refuse_position(struct fw_player *p)
{
    struct fw_verdict *verdict = p->verdict;

    verdict->step = fw_play_steps(p);
    snprintf(verdict->reason, sizeof verdict->reason,
             "step %" PRIu32 ": no such event in the trace", verdict->step + 1);
    return false;
}

static bool play_step(struct fw_player *p, uint32_t e)
{
    const struct fw_event *event;
    struct fw_play_thread *thread;

    if (e >= p->trace->count)
        return refuse_position(p);
    event = &p->trace->events[e];
    thread = fw_play_thread(p, event->thread);
    if (event->kind >= FW_KIND_COUNT || !rules[event->kind])
        FW_BUG("no rule for events of kind %u", (unsigned)event->kind);
    if (!fw_play_is_next(p, e) || !rules[event->kind](p, e, thread))
        return false;
    thread->next = p->facts.next[e];
    p->when[e] = ++p->now;
    return true;
}

bool fw_play(struct fw_player *p, const uint32_t *order, uint32_t count)
{
    bool good = true;

    p->playing = true;
    for (uint32_t i = 0; good && i < count; i++)
        good = play_step(p, order[i]);
    p->playing = false;
    return good;
}

void fw_play_begin(struct fw_player *p, struct fw_verdict *verdict)
{
    p->begun = ++p->now;
    p->seen = p->changed = FW_NO_EVENT;
    p->verdict = verdict;
}

/* ---- life cycle ---- */

/* Zeroed state for each name of a space: stamps of 0 are older than any play. */
static void *state_array(const struct fw_trace *trace, enum fw_space space, size_t size)
{
    return fw_xcalloc((size_t)fw_symbols_count(trace->symbols, space) + 1, size);
}

void fw_player_init(struct fw_player *p, const struct fw_trace *trace)
{
    memset(p, 0, sizeof *p);
    p->trace = trace;
    fw_facts_init(&p->facts, trace);
    p->when = fw_xcalloc((size_t)trace->count + 1, sizeof *p->when);
    p->threads = state_array(trace, FW_SPACE_THREAD, sizeof *p->threads);
    p->locks = state_array(trace, FW_SPACE_LOCK, sizeof *p->locks);
    p->variables = state_array(trace, FW_SPACE_VARIABLE, sizeof *p->variables);
    p->rounds = fw_xcalloc((size_t)p->facts.round_count + 1, sizeof *p->rounds);
}

void fw_player_release(struct fw_player *p)
{
    fw_facts_release(&p->facts);
    free(p->when);
    free(p->threads);
    free(p->locks);
    free(p->variables);
    free(p->rounds);
}
