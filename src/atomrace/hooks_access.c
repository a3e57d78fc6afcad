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

/* What the compilers call; no header declares it. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define HEALED (FW_WATCH_HEALED | FW_WATCH_READ_HEALED)

/* Not if its cells only say that sections begin somewhere and words are healed somewhere, and it is
 * not here.  Where there are no sections nothing has to be looked at for that. */
static inline bool is_wanted(unsigned watched, uintptr_t at, bool write, uintptr_t pc)
{
    return watched & ~(FW_WATCH_SITED | HEALED) || fw_is_site(pc) ||
           (watched & (write ? FW_WATCH_HEALED : FW_WATCH_READ_HEALED) && fw_is_healed(at, write));
}

static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    if (FW_LIKELY(--fw_hot.ticks >= 0)) {
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

/* The short way of each lies in one line of the cache. */
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
HOOKS(, on_unaligned, 16)
HOOKS(unaligned_, on_unaligned, 2)
HOOKS(unaligned_, on_unaligned, 4)
HOOKS(unaligned_, on_unaligned, 8)
HOOKS(unaligned_, on_unaligned, 16)
HOOKS(volatile_, on_access, 1)
HOOKS(volatile_, on_access, 2)
HOOKS(volatile_, on_access, 4)
HOOKS(volatile_, on_access, 8)
HOOKS(volatile_, on_unaligned, 16)
HOOKS(unaligned_volatile_, on_unaligned, 2)
HOOKS(unaligned_volatile_, on_unaligned, 4)
HOOKS(unaligned_volatile_, on_unaligned, 8)
HOOKS(unaligned_volatile_, on_unaligned, 16)

/* --- ranges -------------------------------------------------------------------------------- */

FW_EXPORT void __tsan_read_range(void *address, size_t bytes)
{
    fw_overlap_range((uintptr_t)address, bytes, false, FW_PC);
}

FW_EXPORT void __tsan_write_range(void *address, size_t bytes)
{
    fw_overlap_range((uintptr_t)address, bytes, true, FW_PC);
}

FW_EXPORT void __tsan_read_range_pc(void *address, size_t bytes, void *pc)
{
    fw_overlap_range((uintptr_t)address, bytes, false, (uintptr_t)pc);
}

FW_EXPORT void __tsan_write_range_pc(void *address, size_t bytes, void *pc)
{
    fw_overlap_range((uintptr_t)address, bytes, true, (uintptr_t)pc);
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
