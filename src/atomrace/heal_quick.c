/*
 * heal_quick.c - see heal_hold.h: the quick way.
 *
 * A thread that is in one section at most, the one it was in before, or makes a single access, of a
 * lock that is its own or free: what fw_holds_settle and fw_holds_access would do, in a few steps.
 * A handler of the program between any two of them changes nothing that they look at, but may close
 * the quick way (heal_handler.c).
 */
#include "atomrace/heal_hold_state.h"
#include "atomrace/heal_log.h"
#include "atomrace/overlap.h"
#include "atomrace/region_state.h"

#define INLINE static inline __attribute__((always_inline))

/* The seat was left, or is at another lock: need the former one not be released? */
static inline bool is_left(struct fw_heal_lock *former, const struct fw_heal_lock *lock)
{
    return !fw_holds.end || former == lock || fw_heal_is_kept(former, fw_holds.id) ||
           fw_heal_is_mutexs(former);
}

/* relaxed: behind the barrier of the seat; nobody has had it in between */
static inline bool is_owned(struct fw_heal_lock *lock)
{
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == fw_holds.id;
}

INLINE void note(struct fw_heal_lock *lock, uint32_t entry)
{
    fw_hold_set(&fw_holds.at[0], lock, entry, 0);
    fw_holds.count = fw_holds.end = 1;
    fw_hot.regions |= FW_HOLDING;
}

static void forget(void)
{
    fw_holds.at[0].lock = NULL;
    fw_holds.count = fw_holds.end = 0;
    fw_hot.regions &= ~FW_HOLDING;
    fw_heal_stand(&fw_holds.seats[0]);
}

/* --- with nothing to be released, and nothing to be taken ------------------------------------ */

INLINE bool sit_under(struct fw_heal_lock *lock, uint64_t state)
{
    return fw_heal_sit_under(&fw_holds.seats[0], lock, state, fw_holds.mutexes);
}

INLINE bool sit_at_own(struct fw_heal_lock *lock, uint32_t entry, uint64_t state)
{
    if (!is_owned(lock)) {
        if (!sit_under(lock, state))
            return false;
    } else {
        fw_heal_sit(&fw_holds.seats[0], lock, state);
        if (FW_UNLIKELY(!is_owned(lock)))
            return false;
    }
    if (FW_UNLIKELY(!is_left(fw_holds.at[0].lock, lock)))
        return false;
    note(lock, entry);
    return true;
}

/* --- else ------------------------------------------------------------------------------------ */

static __attribute__((noinline)) bool sit_at(struct fw_heal_lock *lock, uint32_t entry,
                                             uint64_t state)
{
    struct fw_heal_lock *former = fw_holds.at[0].lock;
    bool under = sit_under(lock, state);

    if (!under)
        fw_heal_sit(&fw_holds.seats[0], lock, state);
    if (!is_left(former, lock))
        fw_heal_release(former, fw_holds.me);
    if (!under && !fw_heal_try(lock, fw_holds.me)) {
        forget();
        return false;
    }
    note(lock, entry);
    return true;
}

/* Its place is the first one, as that of most; NULL: it may be elsewhere. */
INLINE struct fw_heal_lock *find_at_once(uintptr_t word)
{
    struct fw_heal_lock *lock = fw_heal_place(word, 0);

    /* relaxed: as fw_heal_find */
    return atomic_load_explicit(&lock->word, memory_order_relaxed) == word ? lock : NULL;
}

bool fw_holds_go_quickly(void)
{
    struct fw_heal_lock *former = fw_holds.at[0].lock;

    if (fw_holds.end != 1 || !fw_holds.at[0].over || FW_UNLIKELY(fw_holds.handlers))
        return false;
    forget();
    if (!fw_heal_is_mutexs(former))
        fw_heal_release(former, fw_holds.me);
    return true;
}

/* --- what comes ------------------------------------------------------------------------------ */

/* What is over goes. */
INLINE bool settle(bool own)
{
    return !fw_holds.end || (!own && fw_holds_go_quickly());
}

INLINE bool enter_known(uintptr_t word, bool own)
{
    const struct fw_hold_known *known = &fw_holds.known;
    struct fw_heal_lock *lock = own ? find_at_once(word) : fw_heal_find(word);
    uint64_t state = fw_heal_seat_state(known->section, fw_hot.ticks, false);

    if (FW_UNLIKELY(!lock || (known->reads_wait && !lock->reads_wait)) ||
        FW_UNLIKELY(!(own ? sit_at_own(lock, known->entry, state)
                          : sit_at(lock, known->entry, state))))
        return false;
    fw_holds.word = word;
    fw_holds.ends_at = fw_heal_is_wanted(lock) ? 0 : known->end;
    fw_heal_count(FW_HEAL_ENTERED, 1);
    return true;
}

/* Its hold is over from the beginning.  One that is wanted is released at the next hook, which is
 * not forced here. */
INLINE bool pass_plainly(uintptr_t word, bool write, uintptr_t pc, bool own)
{
    struct fw_heal_lock *lock = own ? find_at_once(word) : fw_heal_find(word);
    uint64_t state = fw_heal_seat_state(UINT16_MAX, fw_hot.ticks, true);

    if (own && !lock)
        return false;
    if (!lock || (!write && !lock->reads_wait))
        return settle(own);
    if (fw_heal_is_wanted(lock) || !(own ? sit_at_own(lock, FW_HOLD_PLAIN, state)
                                         : sit_at(lock, FW_HOLD_PLAIN, state)))
        return false;
    fw_holds.at[0].wrote = write ? pc : 0;
    return true;
}

/* Whose function is the one of the entry: if that had been left its exit, or the next entry of one,
 * would have been followed. */
INLINE bool end(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    struct fw_hold *hold = &fw_holds.at[0];
    uintptr_t word = address & ~(uintptr_t)7;

    if (FW_UNLIKELY(word != fw_holds.word || (address & 7) + bytes > 8 ||
                    hold->top != fw_hot.top ||
                    !(is_owned(hold->lock) || (fw_heal_sits_under(&fw_holds.seats[0]) &&
                                               fw_heal_is_mutexs(hold->lock)))))
        return false;
    fw_holds.ends_at = 0;
    hold->over = true;
    hold->wrote = write ? pc : 0;
    fw_heal_sit_over(&fw_holds.seats[0], fw_holds.known.section, fw_hot.ticks);
    fw_heal_count(FW_HEAL_ENDED, 1);
    return true;
}

INLINE bool is_open(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    /* relaxed: as fw_is_site; it need not be at once */
    return fw_holds.turn == atomic_load_explicit(&fw_places_turn, memory_order_relaxed) + 1 &&
           (fw_holds.end == 0 || (fw_holds.end == 1 && fw_holds.at[0].over &&
                                  !fw_hold_is_copied_to(&fw_holds.at[0], write, pc))) &&
           (address & 7) + bytes <= 8 &&
           !atomic_load_explicit(&fw_heal_wire->off, memory_order_relaxed);
}

/* --- in steps that end with a call each, so that little has to be saved before --------------- */

#define STEP static __attribute__((noinline)) void

STEP begin_otherwise(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    uintptr_t word = address & ~(uintptr_t)7;

    if (fw_hot.ticks < 0 || !is_open(address, bytes, write, pc) ||
        !(pc == fw_holds.known.pc ? enter_known(word, false)
                                  : !fw_is_site(pc) && pass_plainly(word, write, pc, false)))
        fw_overlap_hook(address, bytes, write, pc);
}

STEP enter_own(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    if (FW_UNLIKELY(!is_open(address, bytes, write, pc) ||
                    !enter_known(address & ~(uintptr_t)7, true)))
        begin_otherwise(address, bytes, write, pc);
}

STEP pass_own(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    if (FW_UNLIKELY(!is_open(address, bytes, write, pc) || fw_is_site(pc) ||
                    !pass_plainly(address & ~(uintptr_t)7, write, pc, true)))
        begin_otherwise(address, bytes, write, pc);
}

void fw_holds_hook(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    __builtin_prefetch(fw_heal_place(address, 0)); /* a line that is seldom in the first cache */
    if (FW_UNLIKELY(fw_hot.ticks < 0))
        begin_otherwise(address, bytes, write, pc);
    else if (pc == fw_holds.ends_at && FW_LIKELY(end(address, bytes, write, pc)))
        return;
    else if (pc == fw_holds.known.pc)
        enter_own(address, bytes, write, pc);
    else
        pass_own(address, bytes, write, pc);
}

/* --- mutexes --------------------------------------------------------------------------------- */

/* The one that was locked last. */
static __attribute__((noinline)) void forget_mutex(struct fw_heal_mutexes *mutexes,
                                                   const void *mutex)
{
    unsigned i = mutexes->count;

    while (i > 0 && mutexes->at[i - 1] != mutex)
        i--;
    if (i == 0)
        return;
    for (mutexes->count--; i <= mutexes->count; i++)
        mutexes->at[i - 1] = mutexes->at[i];
}

/* What there is no room for is not known to be held, nor what a handler locks. */
void fw_holds_follow_mutex(const void *mutex, bool locked)
{
    struct fw_heal_mutexes *mutexes = fw_holds.mutexes;

    if (!mutexes || (FW_UNLIKELY(fw_holds.handlers) && fw_holds_are_frozen()))
        return;
    if (!locked && mutexes->count && mutexes->at[mutexes->count - 1] == mutex)
        mutexes->count--;
    else if (!locked)
        forget_mutex(mutexes, mutex);
    else if (mutexes->count < FW_HEAL_MUTEXES)
        mutexes->at[mutexes->count++] = mutex;
}
