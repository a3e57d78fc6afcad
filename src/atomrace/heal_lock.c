/*
 * heal_lock.c - see heal_lock.h.
 */
#include "atomrace/heal_state.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>

#define WORDS   8192u  /* that have one: chains are short */
#define SPINS   200u
#define SLICE   1000000u /* ns that who waits sleeps before it looks around */
#define AGAIN   10u      /* times the bound, for who only lacks a processor, ... */
#define STARVED 100u     /* ... and for who has not got one at all meanwhile */

struct fw_heal_lock fw_heal_locks[FW_HEAL_LOCKS];
static _Atomic unsigned word_count; /* at least so many have a word */
static uint64_t arrivals;  /* under the gate */
_Atomic uint32_t fw_heal_waiting;

static uint64_t bound;
static uint32_t longest;
static const _Atomic uint32_t *switched_off;
bool fw_heal_asymmetric;

static void find_barrier(void)
{
    fw_heal_asymmetric =
        fw_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0) == 0;
}

void fw_heal_patience(uint64_t most, uint32_t hooks, const _Atomic uint32_t *off)
{
    bound = most;
    longest = hooks;
    switched_off = off;
    find_barrier();
}

/* --- words ----------------------------------------------------------------------------------- */

struct fw_heal_lock *fw_heal_make(uintptr_t word)
{
    /* relaxed: when it is full, it stays full */
    if (atomic_load_explicit(&word_count, memory_order_relaxed) >= WORDS ||
        atomic_fetch_add(&word_count, 1) >= WORDS)
        return NULL;
    for (unsigned probe = 0;; probe++) {
        struct fw_heal_lock *lock = fw_heal_place(word, probe);
        uintptr_t is = 0;

        if (atomic_compare_exchange_strong(&lock->word, &is, word) || is == word)
            return lock;
    }
}

bool fw_heal_is_waited_for(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) & FW_HEAL_QUEUED; /* a hint */
}

bool fw_heal_owns(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    if (!fw_heal_is_mutexs(lock))
        return fw_heal_owner(lock) == fw_healer_id(me);
    for (unsigned i = 0; i < FW_HEAL_SEATS; i++)
        if (atomic_load_explicit(&me->seats[i].lock, memory_order_relaxed) == lock &&
            fw_heal_sits_under(&me->seats[i]))
            return true;
    return false;
}

/* --- seats ----------------------------------------------------------------------------------- */

/* Behind an exchange of the lock's owner. */
static void barrier_of_all(void)
{
    if (fw_heal_asymmetric)
        fw_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0);
}

bool fw_heal_try(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = atomic_load_explicit(&lock->owner, memory_order_relaxed);

    if (is == fw_healer_id(me))
        return true; /* nobody has had it in between */
    /* acquire: pairs with the release of its former owner */
    return !is && atomic_compare_exchange_strong_explicit(&lock->owner, &is, fw_healer_id(me),
                                                          memory_order_acquire,
                                                          memory_order_relaxed);
}

/* Under the gate. */
static bool seat_is_done(const struct fw_healer *healer, const struct fw_heal_seat *seat)
{
    /* acquire: see fw_heal_sit_over */
    uint64_t state = atomic_load_explicit(&seat->state, memory_order_acquire);
    int32_t then = (int32_t)(uint32_t)state, now;
    const int32_t *ticks = healer->ticks;
    uint32_t handlers = atomic_load(&healer->handlers);

    if (!ticks || handlers & 1)
        return false;
    /* acquire: it comes behind the access that was made before the hook */
    now = __atomic_load_n(ticks, __ATOMIC_ACQUIRE);
    if (atomic_load(&healer->handlers) != handlers)
        return false;
    /* The first hook behind the end may be that of a copy (heal_hold_state.h). */
    return now >= 0 &&
           ((uint32_t)(then - now) & INT32_MAX) > (state & FW_HEAL_OVER ? 1 : longest);
}

/* Has the lock's owner left it, though it did not say so?  Under the gate, behind barrier_of_all
 * since the lock is waited for. */
static bool is_done(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = fw_healer_of(atomic_load(&lock->owner));

    for (unsigned i = 0; owner && i < FW_HEAL_SEATS; i++)
        /* acquire: pairs with fw_heal_sit and fw_heal_stand */
        if (atomic_load_explicit(&owner->seats[i].lock, memory_order_acquire) == lock &&
            !seat_is_done(owner, &owner->seats[i]))
            return false;
    return owner != NULL;
}

/* A hint: is it of no use to ask whether the owner is done? */
static bool is_busy(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = fw_healer_of(atomic_load(&lock->owner));
    bool ticks = owner && owner->ticks;

    for (unsigned i = 0; owner && i < FW_HEAL_SEATS; i++)
        if (atomic_load_explicit(&owner->seats[i].lock, memory_order_relaxed) == lock &&
            !(ticks && atomic_load_explicit(&owner->seats[i].state, memory_order_relaxed) &
                           FW_HEAL_OVER))
            return true;
    return false;
}

uint16_t fw_heal_section(struct fw_heal_lock *lock)
{
    const struct fw_healer *owner = fw_healer_of(atomic_load(&lock->owner));

    for (unsigned i = 0; owner && i < FW_HEAL_SEATS; i++)
        if (atomic_load_explicit(&owner->seats[i].lock, memory_order_relaxed) == lock)
            return (uint16_t)(atomic_load_explicit(&owner->seats[i].state, memory_order_relaxed) >>
                              32);
    return UINT16_MAX;
}

/* --- handing over (all under the gate) ------------------------------------------------------- */

static struct fw_healer *first_waiter(const struct fw_heal_lock *lock, unsigned *count)
{
    struct fw_healer *first = NULL;

    *count = 0;
    for (unsigned i = 0; i < fw_healer_room; i++) {
        struct fw_healer *healer = &fw_healers[i];

        if (!healer->taken || healer->waits != lock)
            continue;
        ++*count;
        if (!first || healer->arrived < first->arrived)
            first = healer;
    }
    return first;
}

/* Who waits for it is to have another owner before it. */
static void excuse_all(struct fw_heal_lock *lock, const struct fw_healer *next)
{
    uint64_t dwelt = fw_healer_dwelt_by(fw_healer_of(atomic_load(&lock->owner)));

    for (unsigned i = 0; i < fw_healer_room; i++) {
        struct fw_healer *healer = &fw_healers[i];

        if (!healer->taken || healer->waits != lock)
            continue;
        healer->excused += dwelt - healer->mark;
        healer->mark = fw_healer_dwelt_by(next);
        atomic_fetch_add(&healer->passed, 1);
    }
}

/* It does not wait any more.  Whoever owns the lock, the others still wait. */
static void stop_waiting(struct fw_heal_lock *lock, struct fw_healer *healer)
{
    unsigned others;

    healer->waits = NULL;
    atomic_fetch_sub(&fw_heal_waiting, 1);
    first_waiter(lock, &others);
    if (!others)
        atomic_fetch_and(&lock->owner, ~FW_HEAL_QUEUED);
}

/* The lock is this waiter's now. */
static void give_to(struct fw_heal_lock *lock, struct fw_healer *healer)
{
    excuse_all(lock, healer);
    /* seq_cst, as what is said before looking for circles */
    atomic_store(&lock->owner, fw_healer_id(healer) | FW_HEAL_QUEUED);
    stop_waiting(lock, healer);
    atomic_store(&healer->go, 1);
    fw_futex_wake(&healer->go, 0);
}

/* Somebody waits for it. */
void fw_heal_hand_over(struct fw_heal_lock *lock)
{
    unsigned count;
    struct fw_healer *next = first_waiter(lock, &count);

    if (next)
        give_to(lock, next);
    else
        atomic_store(&lock->owner, 0);
}

/* relaxed: hints, here and below */
static bool may_be_kept(struct fw_heal_lock *lock)
{
    return (atomic_load_explicit(&lock->past, memory_order_relaxed) & 15) < FW_HEAL_IN_VAIN &&
           !fw_heal_is_wanted(lock);
}

/* Once more. */
static void note_habit(struct fw_heal_lock *lock, uint32_t id)
{
    uint16_t habit = atomic_load_explicit(&lock->habit, memory_order_relaxed);
    unsigned before = habit >> FW_HEAL_ID_BITS;
    unsigned running = habit == fw_heal_habit(id, before) ? before + 1 : 0;

    if (running < FW_HEAL_KEEP || (running == FW_HEAL_KEEP && may_be_kept(lock)))
        atomic_store_explicit(&lock->habit, fw_heal_habit(id, running), memory_order_relaxed);
}

/* It is released: under which mutex was it often enough, running?  Of several the first is tried,
 * until it is the wrong one.  relaxed: a hint, which another thread may overwrite. */
static const void *mutex_of(struct fw_heal_lock *lock, const struct fw_heal_mutexes *mutexes)
{
    uint64_t hint = atomic_load_explicit(&lock->hint, memory_order_relaxed);
    const void *mutex = (const void *)(uintptr_t)(hint >> 8);
    unsigned under = hint & 255;

    if (!fw_heal_holds(mutexes, mutex)) {
        mutex = mutexes->count ? mutexes->at[0] : NULL;
        under = 0;
    }
    under = mutex ? (under + 1) % FW_HEAL_UNDERS : 0;
    atomic_store_explicit(&lock->hint, (uint64_t)(uintptr_t)mutex << 8 | under,
                          memory_order_relaxed);
    return mutex && !under && may_be_kept(lock) ? mutex : NULL;
}

/* False: the lock is not the caller's any more, or somebody waits for it. */
static bool give_to_mutex(struct fw_heal_lock *lock, const struct fw_healer *me, const void *mutex)
{
    uint32_t is = fw_healer_id(me);
    bool given;

    fw_heal_gate_enter();
    given = atomic_compare_exchange_strong(&lock->owner, &is, FW_HEAL_MUTEXS | FW_HEAL_QUEUED);
    if (given) {
        atomic_store_explicit(&lock->mutex, mutex, memory_order_relaxed); /* before the owner is */
        atomic_store(&lock->owner, FW_HEAL_MUTEXS); /* pairs with fw_heal_is_mutexs */
    }
    fw_heal_gate_leave();
    return given;
}

/* The caller was there while it was its mutex's, perhaps, or its owner. */
static void release_under_gate(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    fw_heal_gate_enter();
    if (fw_healer_of(atomic_load(&lock->owner)) == me)
        fw_heal_hand_over(lock);
    fw_heal_gate_leave();
}

void fw_heal_release(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = atomic_load_explicit(&lock->owner, memory_order_relaxed);
    const void *mutex;

    if (is == (FW_HEAL_MUTEXS | FW_HEAL_QUEUED)) { /* somebody looks who is there */
        release_under_gate(lock, me);
        return;
    }
    if (fw_healer_of(is) != me || fw_heal_is_kept(lock, fw_healer_id(me)))
        return;
    is = fw_healer_id(me);
    note_habit(lock, is);
    mutex = mutex_of(lock, &me->mutexes);
    /* release: pairs with who takes it next (fw_heal_try) */
    if (!(mutex && give_to_mutex(lock, me, mutex)) &&
        !atomic_compare_exchange_strong_explicit(&lock->owner, &is, 0, memory_order_release,
                                                 memory_order_relaxed))
        release_under_gate(lock, me);
}

/* Its owner was there, or it was only kept for it.  Under the gate. */
static void note_past(struct fw_heal_lock *lock, bool wanted)
{
    if (wanted && !fw_heal_is_wanted(lock))
        atomic_fetch_add(&lock->past, 16);
    else if (!wanted && may_be_kept(lock))
        atomic_fetch_add(&lock->past, 1);
}

static bool has_seat(const struct fw_healer *healer, const struct fw_heal_lock *lock)
{
    for (unsigned i = 0; healer && i < FW_HEAL_SEATS; i++)
        if (atomic_load_explicit(&healer->seats[i].lock, memory_order_relaxed) == lock)
            return true;
    return false;
}

/* Who is there under the lock's mutex?  Behind barrier_of_all. */
static const struct fw_healer *who_is_under(const struct fw_heal_lock *lock,
                                            const struct fw_healer *but)
{
    for (unsigned i = 0; i < fw_healer_room; i++)
        for (unsigned k = 0; k < FW_HEAL_SEATS && &fw_healers[i] != but; k++) {
            const struct fw_heal_seat *seat = &fw_healers[i].seats[k];

            /* acquire: as in is_done */
            if (atomic_load_explicit(&seat->lock, memory_order_acquire) == lock &&
                fw_heal_sits_under(seat) && !seat_is_done(&fw_healers[i], seat))
                return &fw_healers[i];
        }
    return NULL;
}

/* If the lock is its mutex's it becomes a thread's: that of who is there, or else the caller's;
 * true: that.  Under the gate. */
static bool take_from_mutex(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    uint32_t is = FW_HEAL_MUTEXS;
    const struct fw_healer *there;

    if (!atomic_compare_exchange_strong(&lock->owner, &is, FW_HEAL_MUTEXS | FW_HEAL_QUEUED))
        return false;
    barrier_of_all();
    there = who_is_under(lock, me);
    note_past(lock, there != NULL);
    atomic_store(&lock->owner, fw_healer_id(there ? there : me));
    return !there;
}

static bool claim_from_mutex(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    bool taken;

    fw_heal_gate_enter();
    taken = take_from_mutex(lock, me);
    fw_heal_gate_leave();
    return taken;
}

bool fw_heal_claim(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = atomic_load(&lock->owner);
    bool done = false, seated;

    if (is == FW_HEAL_MUTEXS)
        return claim_from_mutex(lock, me);

    if (fw_healer_of(is) == me) { /* it was kept, and is wanted now */
        fw_heal_release(lock, me);
        return fw_heal_try(lock, me);
    }
    if (!is || is & FW_HEAL_QUEUED || is_busy(lock))
        return false;
    fw_heal_gate_enter();
    seated = has_seat(fw_healer_of(is), lock);
    if (atomic_compare_exchange_strong(&lock->owner, &is, is | FW_HEAL_QUEUED)) {
        barrier_of_all();
        done = is_done(lock);
        /* Nobody waits: who does has set it before, under the gate. */
        atomic_store(&lock->owner, done ? fw_healer_id(me) : is);
    }
    if (done) {
        atomic_store(&lock->habit, fw_heal_habit(fw_healer_id(me), 0));
        note_past(lock, seated);
    }
    fw_heal_gate_leave();
    return done;
}

/* --- waiting --------------------------------------------------------------------------------- */

static bool spin(struct fw_heal_lock *lock, struct fw_healer *me)
{
    for (unsigned i = 0; i < SPINS; i++) {
        uint32_t is = atomic_load_explicit(&lock->owner, memory_order_relaxed);

        if (is & FW_HEAL_QUEUED)
            return false;
        if (!is && fw_heal_try(lock, me))
            return true;
        __builtin_ia32_pause();
    }
    return false;
}

/* False: it is free, and taken, or the caller's, whom its mutex was taken from meanwhile. */
static bool begin_to_wait(struct fw_heal_lock *lock, struct fw_healer *me)
{
    uint32_t is = 0;

    atomic_store(&me->go, 0);
    do {
        if (take_from_mutex(lock, me))
            return false;
        is = atomic_load(&lock->owner);
        if (fw_healer_of(is) == me)
            return false;
    } while (is == FW_HEAL_MUTEXS ||
             !atomic_compare_exchange_weak(&lock->owner, &is,
                                           is ? is | FW_HEAL_QUEUED : fw_healer_id(me)));
    if (!is)
        return false;
    me->mark = fw_healer_dwelt_by(fw_healer_of(is));
    me->waits = lock;
    me->arrived = ++arrivals;
    atomic_fetch_add(&fw_heal_waiting, 1);
    return true;
}

/* With the one owner of a lock. */
struct patience {
    uint64_t left, again, starved; /* naps; bounds that may follow */
    uint64_t executed;             /* by the owner, at the end of the last bound; 0: not known */
};

static struct patience fresh_patience(void)
{
    return (struct patience) { bound / SLICE, AGAIN, STARVED, 0 };
}

/* At the end of a bound: is there another one? */
static bool go_on_waiting(struct fw_heal_lock *lock, struct patience *p)
{
    uint64_t before = p->executed;

    if (!fw_heal_owner_can_run(lock))
        return false;
    p->executed = fw_heal_owner_executed(lock);
    if (before && p->executed >= before && p->executed - before < bound / 2 && p->starved)
        p->starved--;
    else if (--p->again == 0)
        return false;
    p->left = bound / SLICE;
    return true;
}

/* Its owner may be done without saying so. */
static void take_if_done(struct fw_heal_lock *lock, const struct fw_healer *me)
{
    fw_heal_gate_enter();
    if (me->waits && is_done(lock))
        fw_heal_hand_over(lock);
    fw_heal_gate_leave();
}

/* Handlers are kept out. */
static enum fw_heal_got sit(struct fw_heal_lock *lock, struct fw_healer *me)
{
    struct patience p = fresh_patience();
    uint32_t passed = atomic_load(&me->passed), now;
    enum fw_heal_got got = FW_HEAL_GOT;

    /* acquire: pairs with give_to; what the former owner did is seen */
    while (!atomic_load_explicit(&me->go, memory_order_acquire)) {
        if (!p.left || atomic_load(switched_off)) {
            got = p.left ? FW_HEAL_NOT : FW_HEAL_GOT_LATE;
            break;
        }
        if (fw_futex_wait(&me->go, 0, SLICE, 0) != -ETIMEDOUT)
            continue;
        take_if_done(lock, me);
        now = atomic_load(&me->passed);
        if (now != passed) { /* another owner, another patience */
            passed = now;
            p = fresh_patience();
            p.left++;
        }
        if (--p.left == 0)
            go_on_waiting(lock, &p);
    }
    fw_heal_gate_enter();
    if (!me->waits)
        got = FW_HEAL_GOT; /* it was given at the last moment */
    else if (got == FW_HEAL_GOT_LATE)
        give_to(lock, me);
    else
        stop_waiting(lock, me);
    fw_heal_gate_leave();
    return got;
}

enum fw_heal_got fw_heal_wait(struct fw_heal_lock *lock, struct fw_healer *me)
{
    bool waits, circle;
    enum fw_heal_got got = FW_HEAL_GOT;
    uint64_t mask;

    me->excused = 0; /* its own, unless it waits */
    if (spin(lock, me))
        return FW_HEAL_GOT;
    mask = fw_mask_set(FW_MASK_ALL);
    fw_heal_gate_enter();
    atomic_store(&me->mutex, NULL); /* it has it, or did not get it */
    waits = begin_to_wait(lock, me);
    if (waits) {
        barrier_of_all(); /* for is_done, from now on */
        note_past(lock, true);
    }
    circle = waits && fw_heal_circle_of(me);
    if (circle)
        give_to(lock, me);
    fw_heal_gate_leave();
    if (circle)
        got = FW_HEAL_GOT_CIRCLE;
    else if (waits)
        got = sit(lock, me);
    fw_mask_set(mask);
    return got;
}

void fw_heal_locks_forked(void)
{
    for (unsigned i = 0; i < FW_HEAL_LOCKS; i++)
        atomic_store(&fw_heal_locks[i].owner, 0);
    fw_healers_forked();
    atomic_store(&fw_heal_waiting, 0);
    find_barrier();
}
