/*
 * hooks_access.c - the calls that the compiler puts before every plain access, where threads are
 * guarded (src/runtime/hooks_access.c is the serial kind).
 *
 * Only those at sites that are watched are still called: all others have become nothing.
 */
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/hot.h"
#include "guard/learning.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "runtime/rt.h"

/* The same access of the same word comes again and again: it is known at once. */
static inline bool is_quick(_Atomic uint64_t *at, uint32_t site, uint32_t who, bool write)
{
    uint64_t cell = atomic_load_explicit(at, memory_order_relaxed); /* words.h */

    if (FW_LIKELY(fw_word_repeats(cell, who, write)))
        return true;
    /* Its own thread's, where that is known to be allowed, or what it reads was read. */
    if (!fw_word_is_own(cell, who) || fw_guard->every ||
        (FW_UNLIKELY(fw_guard->mode == FW_GUARD_LEARN) &&
         (fw_word_is_shared(cell, who) || fw_guard_has_unseen(cell, site, who, write))) ||
        ((write || !(cell >> 32)) && !(fw_guard_sites(fw_guard)[site] & FW_GUARD_SELF)))
        return false;
    /* Another's access must not be forgotten where that keeps a write from being taken back. */
    if (FW_UNLIKELY(fw_flights_are_on()))
        return atomic_compare_exchange_strong(at, &cell, fw_word_own(cell, who, write));
    atomic_store_explicit(at, fw_word_own(cell, who, write), memory_order_relaxed);
    return true;
}

/* The stack pointer before the call of the hook that this is a part of. */
#define FW_STACK ((uintptr_t)__builtin_dwarf_cfa())

/* Sites outside of regions end what region there is: a handler may have come between. */
static inline uintptr_t region_of(uint32_t place, uintptr_t pc, uintptr_t stack)
{
    if (FW_LIKELY(!(place & FW_GUARD_REGION))) {
        fw_region_end();
        return 0;
    }
    return fw_region_pass(pc, stack);
}

static inline __attribute__((always_inline)) void on_access(void *address, unsigned size,
                                                            bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address, region;
    uint32_t place = fw_guard_place(pc), site = place & ~FW_GUARD_REGION, who;
    _Atomic uint64_t *cell;

    if (FW_UNLIKELY(!place))
        return;
    fw_flight_show(at, size);
    region = region_of(place, pc, FW_STACK);
    if (FW_UNLIKELY(fw_guard_tx)) {
        fw_guard_tx_access(at, size, write, site, region);
        return;
    }
    if (FW_UNLIKELY(--fw_guard_passes < 0))
        fw_guard_hot_count(site);
    who = fw_word_who(site, fw_guard_self);
    cell = fw_word_cell(at);
    /* What may have to be taken back is noted on the long way. */
    if (FW_LIKELY(!(region && write) && !fw_region_pending) &&
        FW_LIKELY(is_quick(cell, site, who, write)) &&
        (size <= 4 || is_quick(cell + 1, site, who, write))) {
        return;
    }
    fw_guard_access(at, size, write, site, region);
}

static inline __attribute__((always_inline)) void on_range(void *address, size_t bytes, bool write,
                                                           uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address, region;
    uint32_t place = fw_guard_place(pc), site = place & ~FW_GUARD_REGION;

    if (!site || !bytes)
        return;
    fw_flight_show(at, bytes);
    region = region_of(place, pc, FW_STACK);
    if (FW_UNLIKELY(fw_guard_tx)) {
        fw_guard_tx_access(at, bytes, write, site, region);
        return;
    }
    if (FW_UNLIKELY(--fw_guard_passes < 0))
        fw_guard_hot_count(site);
    fw_guard_access(at, bytes, write, site, region);
}

static inline __attribute__((always_inline)) void on_unaligned(void *address, unsigned size,
                                                               bool write, uintptr_t pc)
{
    on_range(address, size, write, pc);
}

#include "runtime/hooks_plain.h"
