/*
 * heal_lock.h - the locks that healing puts around sections, and who waits for whom.
 *
 * A lock belongs to a word of memory.  It is made when a section over the word is entered first,
 * and stays.  From then on the word is watched (sections.h), so that every access to it comes by.
 *
 * A thread takes a *seat* at a lock, where others see it, then the lock.  A lock that is free is
 * taken, and one that nobody waits for is released, with one instruction.  One that the same thread
 * has taken many times running is *kept* for it: it stays the owner without a seat, and takes and
 * leaves it by plain stores and loads.  Who else wants it says so in `owner`, makes all threads of
 * the process run through a barrier (membarrier), and looks at the owner's seats then: a seat that
 * was taken before is seen; who takes one later sees that the lock is wanted, and queues.  A lock
 * that was kept in vain some times is not kept any more.
 *
 * A lock that was released some times running under the same mutex of the program becomes the
 * *mutex's*: whoever holds that takes and leaves it by plain stores and loads, in the same way,
 * with a seat that says so.  All that do are kept apart by the mutex, which nobody unlocks before
 * it has left (heal_hold.h).  Who does not hold it finds out, behind the barrier, which thread is
 * there, and makes it the owner.
 *
 * The owner leaves its seat when it is seen next.  Where hooks count down without a break (`ticks`
 * of a healer), who waits sees for itself whether the owner has passed two hooks since its
 * section's end, or very many within the section: then it is done.  Hooks of a handler of the
 * program are not the owner's: meanwhile it is not.
 *
 * All that is not one instruction happens under one lock of ours, the gate, with handlers kept out.
 *
 * Nobody waits for ever:
 *   - who has waited for one owner for as long as the bound says takes the lock from it.  (The
 *     queue is fair: of those before it each has its time.)  Time is counted in naps, so that time
 *     in which the whole process was stopped does not count: the owner had none of it either.  An
 *     owner that lacks nothing but a processor has ten times as much, and a hundred times more as
 *     long as others have all processors, so that it does not execute;
 *   - whoever would close a circle of threads that wait for each other takes the lock at once. A
 *     thread waits for one thing at a time, a lock of ours or a mutex of the program, and each has
 *     one owner, so that a circle is found by following one chain.  Whoever begins to wait says so
 *     first and looks then: of those that close a circle together the last one sees it;
 *   - when healing is switched off all go on at once.
 * The former owner goes on, without the lock; it finds out when it looks.  Waiting is fair: who
 * releases a lock hands it to who waits for longest.
 *
 * A fork child starts with all locks free.
 */
#ifndef FW_ATOMRACE_HEAL_LOCK_H
#define FW_ATOMRACE_HEAL_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one word.  Those of neighbours are neighbours. */
struct fw_heal_lock {
    _Atomic uintptr_t word;  /* its address; 0: free */
    _Atomic uint32_t owner;  /* a healer's number, and whether somebody waits; 0: free */
    _Atomic uint16_t habit;  /* who released it last, how often running (fw_heal_habit); a hint */
    _Atomic uint8_t past;    /* how often it was kept in vain, and wanted; under the gate */
    _Atomic uint8_t reads_wait; /* some section of the word does not allow reads */
    const void *_Atomic mutex;  /* if it is the mutex's; under the gate, while nobody has it */
    _Atomic uint64_t hint;      /* under which it was released last << 8 | how often running */
};

/* A thread that takes part. */
struct fw_healer;

#define FW_HEAL_SEATS   16u /* of a healer */
#define FW_HEAL_MUTEXES 4u  /* of those that its thread holds, which are known */

/* Its thread's to write. */
struct fw_heal_seat {
    struct fw_heal_lock *_Atomic lock; /* NULL: free */
    _Atomic uint64_t state; /* the three below, in one word */
};

/* In `state`: */
#define FW_HEAL_OVER  (1ull << 48) /* the last access is about to be made, or was */
#define FW_HEAL_UNDER (1ull << 49) /* the lock is its mutex's, which the thread holds */

/* ticks: of the hook that it was taken in, or ended in; the section is for people. */
static inline uint64_t fw_heal_seat_state(uint16_t section, int32_t ticks, bool over)
{
    return (over ? FW_HEAL_OVER : 0) | (uint64_t)section << 32 | (uint32_t)ticks;
}

enum fw_heal_got {
    FW_HEAL_GOT,
    FW_HEAL_GOT_LATE,   /* the bound has passed: it was taken from its owner ... */
    FW_HEAL_GOT_CIRCLE, /* ... as a circle would have been closed */
    FW_HEAL_NOT,        /* healing was switched off meanwhile */
};

/* How long threads wait; how many hooks an owner may pass in a section; and where to look whether
 * to go on waiting (0: yes). */
void fw_heal_patience(uint64_t bound, uint32_t longest, const _Atomic uint32_t *off);

/* ticks: where the thread's hooks count down, by one each; NULL: they do not.  NULL: there is no
 * room. */
struct fw_healer *fw_healer_take(uint32_t number, int32_t tid, uint64_t now, const int32_t *ticks);
/* It owns nothing. */
void fw_healer_give(struct fw_healer *healer, uint64_t now);
/* A handler of the program begins on its thread, not within another one; it has ended. */
void fw_healer_interrupted(struct fw_healer *me);
void fw_healer_resumed(struct fw_healer *me);
/* The thread's number; UINT32_MAX: none. */
uint32_t fw_healer_number(uint32_t owner);
/* ns that all healers have lived. */
uint64_t fw_healers_time(uint64_t now);
/* FW_HEAL_SEATS of them. */
struct fw_heal_seat *fw_healer_seats(struct fw_healer *healer);
/* Its counters, which its next thread goes on with. */
struct fw_heal_counts *fw_healer_counts(struct fw_healer *healer);
/* That of the thread with the number; NULL: it does not take part. */
const struct fw_healer *fw_healer_with(uint32_t number);
/* ns that it has dwelt up to now (NULL: 0); a hint if it stops just then. */
uint64_t fw_healer_dwelt_by(const struct fw_healer *healer);
/* The thread dwells because of noise, while others may wait for it; it has dwelt. */
void fw_healer_dwells(struct fw_healer *me, uint64_t now);
void fw_healer_dwelt(struct fw_healer *me, uint64_t now);
/* Of the time that it has waited last, ns in which the lock's owners dwelt. */
uint64_t fw_healer_excused(const struct fw_healer *me);
/* The section that the lock's owner is in; UINT16_MAX: none. */
uint16_t fw_heal_section(struct fw_heal_lock *lock);

#define FW_HEAL_LOCKS 16384u /* a power of two */
#define FW_HEAL_STEP  65u /* between the places of a word: odd, so that it comes to all of them */

extern struct fw_heal_lock fw_heal_locks[FW_HEAL_LOCKS];

/* Where the word's lock is, or was not to be put: an array's locks lie together. */
static inline struct fw_heal_lock *fw_heal_place(uintptr_t word, unsigned probe)
{
    uintptr_t place = word >> 3;

    return &fw_heal_locks[((place ^ place >> 14) + FW_HEAL_STEP * probe) % FW_HEAL_LOCKS];
}

/* NULL: the word has none. */
static inline struct fw_heal_lock *fw_heal_find(uintptr_t word)
{
    for (unsigned probe = 0;; probe++) { /* half of them are free */
        struct fw_heal_lock *lock = fw_heal_place(word, probe);
        /* relaxed: all of it that counts is changed by atomic operations of its own */
        uintptr_t is = atomic_load_explicit(&lock->word, memory_order_relaxed);

        if (is == word)
            return lock;
        if (!is)
            return NULL;
    }
}

/* NULL: there is no room. */
struct fw_heal_lock *fw_heal_make(uintptr_t word);

#define FW_HEAL_MUTEXS  0x40000000u /* as `owner`: it is its mutex's */
#define FW_HEAL_QUEUED  0x80000000u /* in `owner`: somebody waits; it changes under the gate only */
#define FW_HEAL_KEEP    16u /* times running, after which a lock is kept */
#define FW_HEAL_UNDERS  4u  /* times running, after which a lock is its mutex's */
#define FW_HEAL_IN_VAIN 4u  /* times, after which it is not any more: the lower half of `past` */
#define FW_HEAL_WANTED  4u  /* times, after which it is released soon: the upper half */

/* The number of its owner, as fw_healer_number wants it; 0: none, or a mutex.  A hint. */
static inline uint32_t fw_heal_owner(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) &
           ~(FW_HEAL_QUEUED | FW_HEAL_MUTEXS);
}

bool fw_heal_is_waited_for(struct fw_heal_lock *lock);
/* Is it the caller's, or its mutex's and the caller there? */
bool fw_heal_owns(struct fw_heal_lock *lock, const struct fw_healer *me);
uint32_t fw_healer_id(const struct fw_healer *me);

/* Is it wanted by several threads at a time?  Then it is better released soon.  A hint. */
static inline bool fw_heal_is_wanted(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->past, memory_order_relaxed) >> 4 >= FW_HEAL_WANTED;
}

#define FW_HEAL_ID_BITS 11u /* of a habit: as many healers can be told apart */

static inline uint16_t fw_heal_habit(uint32_t id, unsigned running)
{
    return (uint16_t)(running << FW_HEAL_ID_BITS | (id - 1));
}

/* Nobody wants it, and the caller, who has no seat at it, need not release it.  relaxed: looked at
 * behind the barrier of fw_heal_stand, or of another seat that was taken. */
static inline bool fw_heal_is_kept(struct fw_heal_lock *lock, uint32_t id)
{
    return atomic_load_explicit(&lock->habit, memory_order_relaxed) ==
               fw_heal_habit(id, FW_HEAL_KEEP) &&
           atomic_load_explicit(&lock->owner, memory_order_relaxed) == id;
}

/* A thread's own: mutexes that it holds, as far as they are known, the latest one last. */
struct fw_heal_mutexes {
    unsigned count;
    const void *at[FW_HEAL_MUTEXES];
};
struct fw_heal_mutexes *fw_healer_mutexes(struct fw_healer *healer);

static inline bool fw_heal_holds(const struct fw_heal_mutexes *mutexes, const void *mutex)
{
    for (unsigned i = 0; i < mutexes->count; i++)
        if (mutexes->at[i] == mutex)
            return true;
    return false;
}

/* acquire: pairs with give_to_mutex */
static inline bool fw_heal_is_mutexs(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_acquire) == FW_HEAL_MUTEXS;
}

extern bool fw_heal_asymmetric; /* who looks at others' seats pays for the barrier */

/* Who has made all threads run through a barrier sees it, or else what is loaded after it sees what
 * that one had stored before.  release: what was done in a section was done, for who finds nobody
 * there any more (is_done). */
static inline void fw_heal_seat_put(struct fw_heal_seat *seat, struct fw_heal_lock *lock)
{
    if (fw_heal_asymmetric) {
        atomic_store_explicit(&seat->lock, lock, memory_order_release);
        atomic_signal_fence(memory_order_seq_cst);
    } else {
        atomic_exchange(&seat->lock, lock);
    }
}

/* First the seat, at which the thread may have been elsewhere before.  A single access may say at
 * once that it is over: it is not before the thread's next hook. */
static inline void fw_heal_sit(struct fw_heal_seat *seat, struct fw_heal_lock *lock, uint64_t state)
{
    /* relaxed: written before the lock is, see is_done */
    atomic_store_explicit(&seat->state, state, memory_order_relaxed);
    fw_heal_seat_put(seat, lock); /* the lock's owner is looked at after this */
}

/* The same at a lock that is its mutex's, which the caller holds, so that it has the lock then.
 * False: it does not; what the seat says is to be said anew. */
static inline bool fw_heal_sit_under(struct fw_heal_seat *seat, struct fw_heal_lock *lock,
                                     uint64_t state, const struct fw_heal_mutexes *mutexes)
{
    /* relaxed: it is looked at again behind the seat, and behind the owner (is_mutexs) */
    const void *mutex = atomic_load_explicit(&lock->mutex, memory_order_relaxed);

    if (!fw_heal_is_mutexs(lock) || !fw_heal_holds(mutexes, mutex))
        return false;
    fw_heal_sit(seat, lock, state | FW_HEAL_UNDER);
    return fw_heal_is_mutexs(lock) &&
           atomic_load_explicit(&lock->mutex, memory_order_relaxed) == mutex;
}

static inline bool fw_heal_sits_under(const struct fw_heal_seat *seat)
{
    return atomic_load_explicit(&seat->state, memory_order_relaxed) & FW_HEAL_UNDER;
}

/* The access of its end is about to be made. */
static inline void fw_heal_sit_over(struct fw_heal_seat *seat, uint16_t section, int32_t ticks)
{
    uint64_t under = fw_heal_sits_under(seat) ? FW_HEAL_UNDER : 0;

    /* release: pairs with seat_is_done */
    atomic_store_explicit(&seat->state, fw_heal_seat_state(section, ticks, true) | under,
                          memory_order_release);
}

static inline void fw_heal_stand(struct fw_heal_seat *seat)
{
    fw_heal_seat_put(seat, NULL);
}

/* The lock is free, or kept for the caller, who has a seat at it: it has it then. */
bool fw_heal_try(struct fw_heal_lock *lock, struct fw_healer *me);
/* The same if its owner is done, as a caller is who has no other seat at it. */
bool fw_heal_claim(struct fw_heal_lock *lock, struct fw_healer *me);
enum fw_heal_got fw_heal_wait(struct fw_heal_lock *lock, struct fw_healer *me);
/* No seat is taken at it any more.  Without effect if it is another's by now. */
void fw_heal_release(struct fw_heal_lock *lock, struct fw_healer *me);

/* The thread is about to lock a mutex of the program; NULL: it is not any more.  The lock of ours
 * that had to be released for it, or NULL. */
struct fw_heal_lock *fw_heal_mutex(struct fw_healer *me, const void *mutex);

void fw_heal_locks_forked(void);

#endif
