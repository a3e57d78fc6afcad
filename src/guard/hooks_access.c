/*
 * hooks_access.c - the calls that the compiler puts before every plain access, where threads are
 * guarded (src/runtime/hooks_access.c is the serial kind).
 *
 * Only those at sites that are watched are still called: all others have become nothing.
 */
#include "guard/guard.h"
#include "guard/hot.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "runtime/rt.h"

/* What the compilers call; no header declares it. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The same access of the same word comes again and again: it is known at once. */
static inline bool is_quick(_Atomic uint64_t *at, uint32_t site, uint32_t who, bool write)
{
    uint64_t cell = atomic_load_explicit(at, memory_order_relaxed); /* words.h */

    if (FW_LIKELY(fw_word_repeats(cell, who, write)))
        return true;
    /* Its own thread's, where that is known to be allowed, or what it reads was read. */
    if (!fw_word_is_own(cell, who) || fw_guard->every ||
        ((write || !(cell >> 32)) && !(fw_guard_sites(fw_guard)[site] & FW_GUARD_SELF)))
        return false;
    atomic_store_explicit(at, fw_word_own(cell, who, write), memory_order_relaxed);
    return true;
}

static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;
    uint32_t site = fw_guard_site(pc), who;
    _Atomic uint64_t *cell;

    if (FW_UNLIKELY(!site))
        return;
    if (FW_UNLIKELY(fw_guard_tx)) {
        fw_guard_tx_access(at, size, write, site);
        return;
    }
    if (FW_UNLIKELY(--fw_guard_passes < 0))
        fw_guard_hot_count(site);
    who = fw_word_who(site, fw_guard_self);
    cell = fw_word_cell(at);
    if (FW_LIKELY(is_quick(cell, site, who, write)) &&
        (size <= 4 || is_quick(cell + 1, site, who, write))) {
        fw_guard_locks_pass();
        return;
    }
    fw_guard_access(at, size, write, site);
}

static inline void on_range(void *address, size_t bytes, bool write, uintptr_t pc)
{
    uint32_t site = fw_guard_site(pc);

    if (site && bytes && FW_UNLIKELY(fw_guard_tx))
        fw_guard_tx_access((uintptr_t)address, bytes, write, site);
    else if (site && bytes)
        fw_guard_access((uintptr_t)address, bytes, write, site);
}

#define HOOK(name, on, size, write)                                                                \
    FW_EXPORT __attribute__((aligned(64))) void __tsan_##name(void *address)                       \
    {                                                                                              \
        on(address, size, write, FW_PC);                                                           \
    }                                                                                              \
    FW_EXPORT void __tsan_##name##_pc(void *address, void *pc)                                     \
    {                                                                                              \
        on(address, size, write, (uintptr_t)pc);                                                   \
    }

/* A read and a write of the same bytes: what conflicts with either conflicts with the write. */
#define HOOKS(prefix, on, size)                                                                    \
    HOOK(prefix##read##size, on, size, false)                                                      \
    HOOK(prefix##write##size, on, size, true)                                                      \
    HOOK(prefix##read_write##size, on, size, true)

HOOKS(, on_access, 1)
HOOKS(, on_access, 2)
HOOKS(, on_access, 4)
HOOKS(, on_access, 8)
HOOKS(, on_range, 16)
HOOKS(unaligned_, on_range, 2)
HOOKS(unaligned_, on_range, 4)
HOOKS(unaligned_, on_range, 8)
HOOKS(unaligned_, on_range, 16)
HOOKS(volatile_, on_access, 1)
HOOKS(volatile_, on_access, 2)
HOOKS(volatile_, on_access, 4)
HOOKS(volatile_, on_access, 8)
HOOKS(volatile_, on_range, 16)
HOOKS(unaligned_volatile_, on_range, 2)
HOOKS(unaligned_volatile_, on_range, 4)
HOOKS(unaligned_volatile_, on_range, 8)
HOOKS(unaligned_volatile_, on_range, 16)

/* --- ranges -------------------------------------------------------------------------------- */

FW_EXPORT void __tsan_read_range(void *address, size_t bytes)
{
    on_range(address, bytes, false, FW_PC);
}

FW_EXPORT void __tsan_write_range(void *address, size_t bytes)
{
    on_range(address, bytes, true, FW_PC);
}

FW_EXPORT void __tsan_read_range_pc(void *address, size_t bytes, void *pc)
{
    on_range(address, bytes, false, (uintptr_t)pc);
}

FW_EXPORT void __tsan_write_range_pc(void *address, size_t bytes, void *pc)
{
    on_range(address, bytes, true, (uintptr_t)pc);
}

/* --- virtual tables ------------------------------------------------------------------------ */

/* Constructors and destructors store the pointer anew on every level; the same value is no news. */
FW_EXPORT void __tsan_vptr_update(void **pointer, void *value)
{
    if (*pointer != value)
        on_access(pointer, 8, true, FW_PC);
}

FW_EXPORT void __tsan_vptr_read(void **pointer)
{
    on_access(pointer, 8, false, FW_PC);
}
