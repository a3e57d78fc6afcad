/*
 * heal_quick.c - see heal_hold.h: the quick way.
 *
 * A thread that is in one section at most, the one it was in before, or makes a single access, of a
 * lock that is its own or free: what fw_holds_settle and fw_holds_access would do, in a few steps.
 */
#include "atomrace/heal_hold_state.h"
#include "atomrace/heal_log.h"
#include "atomrace/region_state.h"

/* The seat is at the lock, and so what was left behind is let go. */
static inline bool take_quickly(struct fw_heal_lock *lock, struct fw_heal_lock *former)
{
    if (former && former != lock && !fw_heal_is_kept(former, fw_holds.id))
        fw_heal_release(former, fw_holds.me);
    /* relaxed: behind the barrier of the seat; nobody has had it in between */
    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == fw_holds.id ||
           fw_heal_try(lock, fw_holds.me);
}

static inline bool enter_quickly(uintptr_t word, uint32_t entry, uint16_t section, bool reads_wait)
{
    struct fw_heal_lock *lock = fw_heal_find(word);

    if (!lock || (reads_wait && !lock->reads_wait))
        return false;
    fw_heal_sit(&fw_holds.seats[0], lock, section, fw_hot.ticks);
    if (FW_UNLIKELY(!take_quickly(lock, fw_holds.at[0].lock))) {
        fw_holds.at[0].lock = NULL;
        fw_holds.count = fw_holds.end = 0;
        fw_heal_stand(&fw_holds.seats[0]);
        return false;
    }
    fw_hold_set(&fw_holds.at[0], lock, entry, 0);
    fw_holds.count = fw_holds.end = 1;
    fw_hot.regions |= FW_HOLDING;
    return true;
}

static bool enter_known(uintptr_t word)
{
    const struct fw_hold_known *known = &fw_holds.known;

    if (!enter_quickly(word, known->entry, known->section, known->reads_wait))
        return false;
    fw_heal_count(FW_HEAL_ENTERED, 1);
    return true;
}

/* One that is wanted is released at the next hook, which is not forced here. */
static bool write_quickly(uintptr_t word)
{
    struct fw_heal_lock *lock = fw_heal_find(word);

    if (!lock || fw_heal_is_wanted(lock) || !enter_quickly(word, FW_HOLD_PLAIN, UINT16_MAX, false))
        return false;
    fw_heal_sit_over(&fw_holds.seats[0], fw_hot.ticks);
    return true;
}

static bool end_quickly(uintptr_t word, uintptr_t pc)
{
    const struct fw_hold_known *known = &fw_holds.known;
    struct fw_hold *hold = &fw_holds.at[0];

    if (hold->lock->word != word || pc != known->end || hold->entry != known->entry ||
        hold->depth != fw_hold_depth() || !fw_hold_is_alive(hold) ||
        fw_heal_is_wanted(hold->lock) || fw_heal_owner(hold->lock) != fw_holds.id)
        return false;
    fw_heal_count(FW_HEAL_ENDED, 1);
    hold->over = true;
    fw_heal_sit_over(&fw_holds.seats[0], fw_hot.ticks);
    return true;
}

bool fw_holds_quickly(uintptr_t address, unsigned bytes, bool write, uintptr_t pc)
{
    uintptr_t word = address & ~(uintptr_t)7;

    if (!fw_holds.me || fw_holds.end > 1 || address + bytes > word + 8 || fw_hot.ticks < 0 ||
        fw_self->ignored ||
        /* relaxed: as fw_is_site; it need not be at once */
        fw_holds.known.turn != atomic_load_explicit(&fw_places_turn, memory_order_relaxed) ||
        atomic_load_explicit(&fw_heal_wire->off, memory_order_relaxed))
        return false;
    if (fw_holds.end && !fw_holds.at[0].over)
        return end_quickly(word, pc);
    if (pc == fw_holds.known.pc)
        return enter_known(word);
    return write && !fw_is_site(pc) && fw_is_healed(word, true) && write_quickly(word);
}
