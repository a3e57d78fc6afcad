/*
 * sched.c - the token: who runs.
 *
 * One thread holds the token.  It gives it away when it blocks on an object (fw_block), when it
 * goes into the kernel (fw_outside_begin), when its quantum is used up (fw_point) and when it
 * ends.  Waiting threads stand in the ready queue; each waits at its own futex word, so that
 * giving the token away wakes just the one who gets it.
 *
 * Choices come from a generator that is seeded by an option: the same seed and the same program
 * without outside influences make the same run.
 *
 * All state here is under `lock`, which is held for some instructions only, never by a signal
 * handler (handlers of the program wait while a thread is inside the runtime).
 */
#include "runtime/control_quick.h"
#include "runtime/futex.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"

#include <errno.h>

#define BUCKETS     256u
#define CHOICE      4u                  /* the next one is among this many at the queue's front */
#define RETRY_FIRST (2 * 1000 * 1000ull)   /* ns after which a blocked thread looks itself ... */
#define RETRY_LAST  (256 * 1000 * 1000ull) /* ... if nobody runs; doubled up to this */
#define WATCH       (10 * 1000 * 1000ull)  /* ns after which waiting threads look at the holder */

bool fw_serial, fw_resting;

static struct {
    struct fw_lock lock;
    struct fw_thread *holder;
    struct fw_list ready;
    struct fw_list blocked[BUCKETS]; /* by object, longest waiting first */
    uint64_t random;
    uint32_t quantum;
    uint64_t turns;  /* times that the token has changed hands */
} sched;

static struct fw_list *bucket_of(const void *object)
{
    return &sched.blocked[((uintptr_t)object >> 3 ^ (uintptr_t)object >> 11) % BUCKETS];
}

/* --- life ---------------------------------------------------------------------------------- */

static uint32_t draw(void)
{
    /* splitmix64 */
    uint64_t z = sched.random += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

static void new_quantum(struct fw_thread *t)
{
    if (fw_control_on) {
        t->hot->ticks = FW_CONTROL_TICKS;
        return;
    }
    t->hot->ticks = (int32_t)(sched.quantum / 2 + draw() % sched.quantum);
}

static void clear_queues(void)
{
    fw_list_init(&sched.ready);
    for (unsigned i = 0; i < BUCKETS; i++)
        fw_list_init(&sched.blocked[i]);
}

void fw_sched_start(const struct fw_sched_options *options, struct fw_thread *first)
{
    clear_queues();
    sched.random = options->seed;
    sched.quantum = options->quantum ? options->quantum : 1;
    sched.holder = first;
    first->state = FW_STATE_RUNNING;
    new_quantum(first);
    fw_serial = true;
}

void fw_sched_forked(struct fw_thread *only)
{
    clear_queues();
    sched.lock.word = 0;
    fw_leaving = 0;
    sched.holder = only;
    only->state = FW_STATE_RUNNING;
    only->lost = 0;
}

void fw_sched_lock(void)
{
    fw_lock(&sched.lock);
}

void fw_sched_unlock(void)
{
    fw_unlock(&sched.lock);
}

bool fw_token_has(const struct fw_thread *t)
{
    return sched.holder == t;
}

uint64_t fw_sched_turns(void)
{
    return sched.turns;
}

/* --- giving and getting the token ---------------------------------------------------------- */

/* The token goes to t.  Locked. */
static void grant(struct fw_thread *t)
{
    sched.holder = t;
    sched.turns++;
    t->state = FW_STATE_RUNNING;
    /* release: pairs with the acquire in wait_for_go */
    atomic_store_explicit(&t->go, 1, memory_order_release);
}

/* The next holder, taken out of the ready queue; NULL: nobody.  Locked. */
static struct fw_thread *next_ready(void)
{
    struct fw_list *item = sched.ready.next;
    unsigned steps;

    if (fw_control_on) {
        struct fw_thread *next = fw_control_pick(NULL, &sched.ready);

        if (next)
            fw_list_remove(&next->link);
        return next;
    }
    if (item == &sched.ready)
        return NULL;
    for (steps = draw() % CHOICE; steps && item->next != &sched.ready; steps--)
        item = item->next;
    fw_list_remove(item);
    return FW_THREAD_OF(link, item);
}

/* The token is nobody's: gives it to who waits.  Locked; returns whom to wake after unlocking. */
static struct fw_thread *hand_over(void)
{
    struct fw_thread *next = next_ready();

    if (!next && fw_control_on && (next = fw_control_fly(&sched.ready)))
        fw_list_remove(&next->link);
    sched.holder = NULL;
    if (next)
        grant(next);
    else if (fw_control_on)
        fw_control_idle();
    return next;
}

static void wake_up(struct fw_thread *t)
{
    if (t)
        fw_futex_wake(&t->go, 0);
}

/* The token is nobody's although somebody may be ready: the strategy thinks again.  Locked. */
static struct fw_thread *kick(void)
{
    struct fw_thread *next = next_ready();

    if (next) {
        grant(next);
        wake_up(next);
    }
    return next;
}

void fw_rouse(void)
{
    struct fw_list *bucket = bucket_of(&fw_resting), *item = bucket->next;

    while (item != bucket && FW_THREAD_OF(link, item)->object != &fw_resting)
        item = item->next;
    fw_resting = item != bucket;
    if (fw_resting)
        fw_unblock(FW_THREAD_OF(link, item), FW_WOKEN); /* asks, and so rouses the next one */
}

/* t wants the token.  Locked; true: it has it. */
static bool ask(struct fw_thread *t)
{
    atomic_store_explicit(&t->go, 0, memory_order_relaxed); /* ours until granted, under the lock */
    if (!sched.holder && !fw_control_on) {
        grant(t);
        return true;
    }
    t->state = FW_STATE_READY;
    fw_list_append(&sched.ready, &t->link);
    if (fw_control_on)
        fw_control_came();
    if (fw_resting)
        fw_rouse();
    return !sched.holder && kick() == t;
}

/*
 * Takes the token from a holder that sits in the kernel, not through us: a call that we do not
 * know, or a library that makes system calls by itself; or that is somewhere far from all hooks.
 * Looked at twice, and once more after the holder was told, so that it cannot be on its way back
 * already: its next hook takes the long way.
 */
static void watch_holder(uint64_t *turns_seen)
{
    struct fw_thread *holder, *next = NULL;

    fw_sched_lock();
    holder = sched.holder;
    if (!holder && fw_control_on)
        kick();
    if (holder && sched.turns == *turns_seen && !holder->inside &&
        (fw_watchdog_sits(holder) || fw_watchdog_is_far(holder, sched.turns))) {
        holder->state = FW_STATE_OUTSIDE;
        next = hand_over();
    } else {
        *turns_seen = sched.turns;
    }
    fw_sched_unlock();
    wake_up(next);
}

static bool wait_for_go(struct fw_thread *t, uint64_t give_up)
{
    uint64_t turns = 0;

    /* acquire: pairs with the release in grant */
    while (!atomic_load_explicit(&t->go, memory_order_acquire)) {
        if (fw_futex_wait(&t->go, 0, WATCH, 0) != -ETIMEDOUT)
            continue;
        watch_holder(&turns);
        if (fw_signals_waiting)
            fw_signals_late();
        if (fw_now() >= give_up)
            return false;
    }
    fw_leaving_await();
    return true;
}

void fw_token_take(struct fw_thread *t)
{
    fw_sched_lock();
    ask(t);
    fw_sched_unlock();
    wait_for_go(t, UINT64_MAX);
}

void fw_thread_ready(struct fw_thread *t)
{
    struct fw_thread *granted;

    t->inside = 1; /* until fw_thread_begin has had the token */
    fw_sched_lock();
    granted = ask(t) ? t : NULL;
    fw_sched_unlock();
    wake_up(granted);
}

void fw_token_await(struct fw_thread *t)
{
    wait_for_go(t, UINT64_MAX);
}

bool fw_token_take_within(struct fw_thread *t, uint64_t ns)
{
    bool has;

    fw_sched_lock();
    ask(t);
    fw_sched_unlock();
    if (wait_for_go(t, fw_now() + ns))
        return true;
    fw_sched_lock();
    has = sched.holder == t;
    if (!has)
        fw_list_remove(&t->link);
    fw_sched_unlock();
    return has;
}

void fw_token_pass(struct fw_thread *t, enum fw_state state)
{
    struct fw_thread *next = NULL;

    fw_sched_lock();
    t->state = state;
    if (sched.holder == t && fw_control_on)
        fw_control_turn(t, state == FW_STATE_DEAD ? FW_TURN_FINISHED : FW_TURN_BLOCKED);
    if (sched.holder == t)
        next = hand_over();
    fw_sched_unlock();
    wake_up(next);
}

void fw_token_regain_lost(struct fw_thread *t)
{
    int inside = t->inside;

    t->inside = inside + 1;
    fw_sched_lock();
    t->lost = 0;
    if (sched.holder == t) { /* the watchdog has thought better of it */
        fw_sched_unlock();
    } else {
        ask(t);
        fw_sched_unlock();
        wait_for_go(t, UINT64_MAX);
    }
    new_quantum(t);
    if (!t->hot->segment)
        t->hot->segment = t->segment_lost;
    fw_segment_close(t);
    fw_segment_next(t);
    if (t->far)
        fw_unmodelled("code without hooks that runs for long while other threads wait");
    t->far = false;
    t->inside = inside;
}

/* t, the holder, makes way for another one, which is in no queue.  Locked. */
static void make_way(struct fw_thread *t, struct fw_thread *next, enum fw_turn_end end)
{
    if (fw_control_on)
        fw_control_turn(t, end);
    atomic_store_explicit(&t->go, 0, memory_order_relaxed); /* as in ask */
    t->state = FW_STATE_READY;
    fw_list_append(&sched.ready, &t->link);
    grant(next);
}

void fw_yield(struct fw_thread *t)
{
    struct fw_thread *next;

    fw_sched_lock();
    t->plan.yields = true;
    next = next_ready();
    if (next)
        make_way(t, next, FW_TURN_YIELDED);
    fw_sched_unlock();
    if (next) {
        wake_up(next);
        wait_for_go(t, UINT64_MAX);
    }
    new_quantum(t);
}

/* Has the holder nobody to give the token to?  relaxed: who comes just now may as well be late. */
static bool nobody_is_ready(void)
{
    return __atomic_load_n(&sched.ready.next, __ATOMIC_RELAXED) == &sched.ready;
}

void fw_sched_decide(struct fw_thread *t)
{
    struct fw_thread *next;

    if (FW_UNLIKELY(fw_control_asleep || fw_control_stirred))
        fw_control_await();
    if ((nobody_is_ready() && fw_control->strategy < FW_STRATEGY_CHOICES && !fw_control_expiring) ||
        fw_control_stays(t)) {
        fw_quick_begin(t);
        return;
    }
    fw_sched_lock();
    next = fw_control_pick(t, &sched.ready);
    if (next == t) {
        fw_sched_unlock();
        return;
    }
    if (next) {
        fw_list_remove(&next->link);
        make_way(t, next, FW_TURN_PREEMPTED);
    } else {
        fw_control_turn(t, FW_TURN_PREEMPTED); /* it waits for somebody who is on its way */
        atomic_store_explicit(&t->go, 0, memory_order_relaxed); /* as in ask */
        t->state = FW_STATE_READY;
        fw_list_append(&sched.ready, &t->link);
        sched.holder = NULL;
        fw_control_idle();
    }
    fw_sched_unlock();
    wake_up(next);
    wait_for_go(t, UINT64_MAX);
    new_quantum(t);
}

void fw_point(struct fw_thread *t)
{
    if (t->hot->ticks < 0)
        fw_yield(t);
}

/* --- blocking ------------------------------------------------------------------------------ */

void fw_unblock(struct fw_thread *t, enum fw_woken woken)
{
    if (t->state != FW_STATE_BLOCKED)
        return;
    fw_list_remove(&t->link);
    t->woken = woken;
    if (t->plan.expires)
        fw_expiry_end(t, woken == FW_TIMED_OUT);
    if (fw_control_on && woken == FW_RETRY)
        fw_control_retried(t);
    else if (fw_control_on)
        fw_control_progress();
    if (ask(t))
        wake_up(t);
}

static bool nobody_runs(void)
{
    return !sched.holder && sched.ready.next == &sched.ready;
}

/* Nobody can run: t may look for itself.  Locked. */
static bool is_idle(void)
{
    return nobody_runs() && !fw_resting;
}

static _Atomic uint32_t unseen; /* changes by threads that we do not know */

void fw_changed_unseen(void)
{
    if (fw_serial && !fw_self)
        atomic_fetch_add(&unseen, 1);
}

/* Has something changed since t was told so last?  Rather too often than too late. */
static bool has_changed_unseen(struct fw_thread *t)
{
    uint32_t now = atomic_load(&unseen);
    bool changed = t->unseen != now;

    t->unseen = now;
    return changed;
}

/* What a blocked thread does when its wait has ended without its having been given the token. */
static void look_around(struct fw_thread *t, uint64_t deadline)
{
    fw_sched_lock();
    if (t->cancelled && t->flags & FW_BLOCK_CANCEL)
        fw_unblock(t, FW_CANCELLED);
    else if (fw_signals_waiting)
        fw_unblock(t, FW_INTERRUPTED);
    else if (t->state == FW_STATE_BLOCKED && deadline != FW_NO_DEADLINE &&
             fw_now() >= deadline && fw_expiry_passes(t, nobody_runs())) {
        fw_unblock(t, FW_TIMED_OUT);
        fw_control_returned(fw_now() - t->plan.away_since);
    } else if (has_changed_unseen(t) || is_idle())
        fw_unblock(t, FW_RETRY);
    fw_sched_unlock();
}

static void wait_blocked(struct fw_thread *t, uint64_t deadline)
{
    uint64_t pause = RETRY_FIRST, turns = 0;

    /* acquire: pairs with the release in grant */
    while (!atomic_load_explicit(&t->go, memory_order_acquire)) {
        uint64_t left = fw_expiry_left(t, deadline);

        if (fw_signals_waiting || (t->cancelled && t->flags & FW_BLOCK_CANCEL))
            left = 0;
        if (left && fw_futex_wait(&t->go, 0, left < pause ? left : pause, 0) == 0)
            continue;
        look_around(t, deadline);
        if (t->state == FW_STATE_READY)
            watch_holder(&turns);
        if (pause < RETRY_LAST)
            pause *= 2;
    }
    fw_leaving_await();
}

void fw_sched_ending(struct fw_thread *t)
{
    if (sched.holder == t && nobody_is_ready())
        fw_stuck_nobody_ready(t, true);
}

enum fw_woken fw_block(struct fw_thread *t, const void *object, uint64_t deadline, unsigned flags)
{
    struct fw_thread *next;

    if (t->cancelled && flags & FW_BLOCK_CANCEL)
        return FW_CANCELLED; /* nobody would wake it: that was done when it did not wait yet */
    if (nobody_is_ready())
        fw_stuck_nobody_ready(t, false);
    fw_sched_lock();
    t->state = FW_STATE_BLOCKED;
    t->object = object;
    t->flags = flags;
    t->deadline = deadline;
    atomic_store_explicit(&t->go, 0, memory_order_relaxed); /* as in ask */
    fw_list_append(bucket_of(object), &t->link);
    if (flags & FW_BLOCK_RESTS)
        fw_resting = t->plan.yields = true;
    if (fw_control_on && flags & FW_BLOCK_TIMED && deadline != FW_NO_DEADLINE)
        fw_expiry_begin(t);
    if (fw_control_on)
        fw_control_turn(t, flags & FW_BLOCK_RESTS ? FW_TURN_YIELDED : FW_TURN_BLOCKED);
    next = hand_over();
    fw_sched_unlock();
    wake_up(next);
    wait_blocked(t, deadline);
    new_quantum(t);
    if (t->woken != FW_INTERRUPTED)
        return t->woken;
    fw_handlers_run(t);
    return flags & FW_BLOCK_SIGNALS && fw_signals_interrupt ? FW_INTERRUPTED : FW_RETRY;
}

/* Only the holder, which we are, puts threads in.  relaxed: who leaves by itself needs no wake. */
bool fw_nobody_waits(const void *object)
{
    return __atomic_load_n(&bucket_of(object)->next, __ATOMIC_RELAXED) == bucket_of(object);
}

unsigned fw_wake(const void *object, unsigned most, uint64_t word)
{
    struct fw_list *bucket = bucket_of(object), *item;
    unsigned woken = 0;

    if (fw_nobody_waits(object))
        return 0;
    fw_sched_lock();
    for (item = bucket->next; item != bucket && woken < most;) {
        struct fw_thread *t = FW_THREAD_OF(link, item);

        item = item->next;
        if (t->object != object)
            continue;
        t->wake_word = word;
        fw_unblock(t, FW_WOKEN);
        woken++;
    }
    fw_sched_unlock();
    return woken;
}

uint64_t fw_wake_word(const struct fw_thread *t)
{
    return t->wake_word;
}

unsigned fw_waiters(const void *object)
{
    struct fw_list *bucket = bucket_of(object), *item;
    unsigned count = 0;

    fw_sched_lock();
    for (item = bucket->next; item != bucket; item = item->next)
        count += FW_THREAD_OF(link, item)->object == object;
    fw_sched_unlock();
    return count;
}

/* --- outside ------------------------------------------------------------------------------- */

void fw_outside_begin(struct fw_thread *t)
{
    fw_token_pass(t, FW_STATE_OUTSIDE);
    t->outside = 1;
    if (FW_UNLIKELY(fw_signals_waiting)) {
        fw_outside_end(t);
        t->inside--;
        fw_signals_deliver(t);
        t->inside++;
        fw_outside_begin(t);
    }
}

void fw_outside_end(struct fw_thread *t)
{
    uint64_t away = fw_control_on ? fw_now() - t->plan.away_since : 0;
    int saved = errno;

    t->outside = 0;
    fw_token_take(t);
    fw_control_returned(away);
    fw_control_asleep -= t->asleep_until != 0;
    t->asleep_until = 0;
    new_quantum(t);
    errno = saved;
}
