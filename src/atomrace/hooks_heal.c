/*
 * hooks_heal.c - hooks_access.c for programs that are healed by locks and not watched: nothing is
 * looked for, so all that counts is whether a section begins here, and whether the word has a lock.
 *
 * The library that has these hooks is one of its own, since a hook that asks which kind it is costs
 * as much as what it does.
 */
#include "atomrace/heal_hold.h"
#include "atomrace/region.h"

static inline unsigned site_of(uintptr_t pc)
{
    /* relaxed: as fw_is_site */
    return atomic_load_explicit(&fw_region_sites[fw_site_cell(pc)], memory_order_relaxed);
}

static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    if (FW_LIKELY(--fw_hot.ticks >= 0)) {
        unsigned site = site_of(pc);

        if (FW_LIKELY(write ? !(site & FW_SITE) && !fw_is_healed(at, true) : !site))
            return;
        if (!write && site == FW_SITE_READS && !fw_is_healed(at, false))
            return;
    }
    fw_holds_hook(at, size, write, pc);
}

static inline void on_unaligned(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    if (FW_LIKELY(--fw_hot.ticks >= 0) && FW_LIKELY(!fw_is_site(pc)) &&
        FW_LIKELY(!fw_is_healed(at, write) && !fw_is_healed(at + size - 1, write)) &&
        FW_LIKELY(size < 16 || !fw_is_healed(at + 8, write)))
        return;
    fw_holds_hook(at, size, write, pc);
}

#include "atomrace/hooks.h"
