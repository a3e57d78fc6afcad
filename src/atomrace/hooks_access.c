/*
 * hooks_access.c - the calls that the compiler puts before every plain access, where threads run
 * in parallel (src/runtime/hooks_access.c is the serial kind).
 *
 * The short way: is there an open section or region that may concern this word, does a region begin
 * here, or is it time for a section?
 */
#include "atomrace/heal_hold.h"
#include "atomrace/overlap.h"
#include "atomrace/region.h"

#define HEALED (FW_WATCH_HEALED | FW_WATCH_READ_HEALED)

/* Not if its cells only say that sections begin somewhere and words are healed somewhere, and it is
 * not here.  Where there are no sections nothing has to be looked at for that. */
static inline bool is_wanted(unsigned watched, uintptr_t at, bool write, uintptr_t pc)
{
    return watched & ~(FW_WATCH_SITED | HEALED) || fw_is_site(pc) ||
           (watched & (write ? FW_WATCH_HEALED : FW_WATCH_READ_HEALED) && fw_is_healed(at, write));
}

/* Reads have ticks of their own: one counter of all hooks would be a chain of loads and stores,
 * each of which waits for the one before, longer than what else hooks do. */
static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    if (FW_LIKELY(--*(write ? &fw_hot.ticks : &fw_hot.read_ticks) >= 0)) {
        unsigned watched = fw_watched(at);

        if (FW_LIKELY(!watched))
            return;
        /* Nothing of what follows is prepared before: in loops of hooks that takes a tenth more. */
        __asm__ volatile("" : "+r"(pc), "+r"(at)::"memory");
        if (!is_wanted(watched, at, write, pc))
            return;
    }
    fw_overlap_hook(at, size, write, pc);
}

/* May lie in two words. */
static inline void on_unaligned(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;
    unsigned watched = fw_watched(at) | fw_watched(at + size - 1) |
                       (size == 16 ? fw_watched(at + 8) : 0);

    if (FW_UNLIKELY(--fw_hot.ticks < 0 ||
                    (watched && (watched & HEALED || is_wanted(watched, at, write, pc)))))
        fw_overlap_hook(at, size, write, pc);
}

#include "atomrace/hooks.h"
