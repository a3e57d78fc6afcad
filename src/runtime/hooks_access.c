/*
 * hooks_access.c - the calls that the compiler puts before every plain access.
 *
 * A hook comes before its access, and the token cannot change hands between the two: a hook yields
 * first, if it must, then records, then returns into the access.
 *
 * The short way: has this thread done the same in this segment already?  One cell tells.
 *
 * Every hook takes a tick of the quantum, recorded or not: which accesses are elided depends on
 * where things lie in memory, and who runs when must not.
 */
#include "runtime/control.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"
#include "runtime/values.h"

/* What the compilers call; no header declares it. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* What a cell becomes by an access that was not made yet in the segment; 0: it is not that easy. */
static inline uint64_t marked(uintptr_t word, uint64_t bits)
{
    uint64_t cell = *fw_shadow_cell(word), key = fw_shadow_key(word);

    if ((cell ^ key) & fw_shadow_mask(0, false))
        return FW_UNLIKELY(cell & FW_SHADOW_AGAIN) ? 0 : key | bits;
    return (cell & bits) == bits ? 0 : cell | bits;
}

/* Notes an access that stays in a word, or fills two; false: it is not that easy. */
static inline bool note_usual(uintptr_t address, unsigned size, bool write)
{
    uintptr_t word = address & ~(uintptr_t)7;
    uint64_t first, second, bits = write ? 0xff00 : 0xff;

    if (size == 16) {
        first = marked(word, bits);
        second = marked(word + 8, bits);
        if (FW_UNLIKELY(!first || !second || word != address))
            return false;
        *fw_shadow_cell(word + 8) = second;
    } else {
        first = marked(word, fw_shadow_bits(address, size, write));
        if (FW_UNLIKELY(!first || address - word + size > 8))
            return false;
    }
    *fw_shadow_cell(word) = first;
    return true;
}

/* What record() does when nothing is to be sent before and there is room in the ring, in short.
 * False: something is not as usual, and nothing was done. */
static inline bool record_usual(const struct fw_thread *t, uintptr_t address, unsigned size,
                                bool write, uintptr_t pc)
{
    if (FW_UNLIKELY(t->lost || fw_hot.ticks < 0 || t->ignored || !fw_sink_is_ready(t) ||
                    fw_shadow_unused))
        return false;
    if (FW_UNLIKELY(!note_usual(address, size, write)))
        return false;
    fw_sink_put_ready(write ? FW_WIRE_WRITE : FW_WIRE_READ, address, size, pc);
    fw_hot.has_read |= !write;
    return true;
}

static __attribute__((noinline)) void record(uintptr_t address, unsigned size, bool write,
                                             uintptr_t pc)
{
    struct fw_thread *t = fw_self;

    if (!t || t->inside)
        return;
    t->inside = 1;
    if (FW_UNLIKELY(!record_usual(t, address, size, write, pc))) {
        fw_token_regain(t);
        fw_point(t);
        fw_access(t, (const void *)address, size, write, pc);
        if (fw_values_on && !write)
            fw_values_read(t, address, size, pc);
    }
    t->inside = 0;
    if (FW_UNLIKELY(fw_signals_waiting))
        fw_signals_deliver(t);
}

/* Neither is inlined: who only passes by here saves no registers. */
static __attribute__((noinline)) void on_news(uintptr_t address, unsigned size, bool write,
                                              uintptr_t pc)
{
    if (FW_UNLIKELY(fw_control_on && !fw_sink.on))
        fw_control_hook(address, size, write, pc);
    else
        record(address, size, write, pc); /* under control as well: fw_access has the point */
}

static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address;

    if (FW_LIKELY(--fw_hot.ticks >= 0 && fw_shadow_repeats(at, size, write)))
        return;
    on_news(at, size, write, pc);
}

static inline void on_pair(void *address, bool write, uintptr_t pc) /* 16 bytes */
{
    if (FW_UNLIKELY(--fw_hot.ticks < 0 || !fw_shadow_pair_repeats((uintptr_t)address, write)))
        on_news((uintptr_t)address, 16, write, pc);
}

#define HOOK(name, size, write)                                                                    \
    FW_HOOK void __tsan_##name(void *address)                                                      \
    {                                                                                              \
        on_access(address, size, write, FW_PC);                                                    \
    }                                                                                              \
    FW_HOOK void __tsan_##name##_pc(void *address, void *pc)                                       \
    {                                                                                              \
        on_access(address, size, write, (uintptr_t)pc);                                            \
    }

#define HOOKS(prefix, size)                                                                        \
    HOOK(prefix##read##size, size, false)                                                          \
    HOOK(prefix##write##size, size, true)                                                          \
    FW_HOOK void __tsan_##prefix##read_write##size(void *address)                                  \
    {                                                                                              \
        on_access(address, size, false, FW_PC);                                                    \
        on_access(address, size, true, FW_PC);                                                     \
    }

#define PAIR_HOOKS(prefix)                                                                         \
    FW_HOOK void __tsan_##prefix##read16(void *address)                                            \
    {                                                                                              \
        on_pair(address, false, FW_PC);                                                            \
    }                                                                                              \
    FW_HOOK void __tsan_##prefix##write16(void *address)                                           \
    {                                                                                              \
        on_pair(address, true, FW_PC);                                                             \
    }                                                                                              \
    FW_HOOK void __tsan_##prefix##read16_pc(void *address, void *pc)                               \
    {                                                                                              \
        on_pair(address, false, (uintptr_t)pc);                                                    \
    }                                                                                              \
    FW_HOOK void __tsan_##prefix##write16_pc(void *address, void *pc)                              \
    {                                                                                              \
        on_pair(address, true, (uintptr_t)pc);                                                     \
    }                                                                                              \
    FW_HOOK void __tsan_##prefix##read_write16(void *address)                                      \
    {                                                                                              \
        on_pair(address, false, FW_PC);                                                            \
        on_pair(address, true, FW_PC);                                                             \
    }

HOOKS(, 1)
HOOKS(, 2)
HOOKS(, 4)
HOOKS(, 8)
PAIR_HOOKS()
HOOKS(unaligned_, 2)
HOOKS(unaligned_, 4)
HOOKS(unaligned_, 8)
PAIR_HOOKS(unaligned_)
HOOKS(volatile_, 1)
HOOKS(volatile_, 2)
HOOKS(volatile_, 4)
HOOKS(volatile_, 8)
PAIR_HOOKS(volatile_)
HOOKS(unaligned_volatile_, 2)
HOOKS(unaligned_volatile_, 4)
HOOKS(unaligned_volatile_, 8)
PAIR_HOOKS(unaligned_volatile_)

/* --- ranges -------------------------------------------------------------------------------- */

static void on_range(void *address, size_t bytes, bool write, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    if (!t)
        return;
    t->hot->ticks--;
    fw_point(t);
    fw_access(t, address, bytes, write, pc);
    fw_leave(t);
}

#include "runtime/hooks_range.h"
