/*
 * hooks_plain.h - internal to the hooks of the kinds of the library in which threads run in
 * parallel: the calls that the compiler puts before every plain access, made of three functions of
 * theirs:
 *
 *     static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc);
 *     static inline void on_unaligned(void *address, unsigned size, bool write, uintptr_t pc);
 *     static inline void on_range(void *address, size_t bytes, bool write, uintptr_t pc);
 *
 * The second may lie in two words.  Included once, after them.
 */
#ifndef FW_RUNTIME_HOOKS_PLAIN_H
#define FW_RUNTIME_HOOKS_PLAIN_H

#include "runtime/rt.h"

/* What the compilers call; no header declares it. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The short way of each lies in one line of the cache. */
#define HOOK(name, on, size, write)                                                                \
    FW_HOOK __attribute__((aligned(64))) void __tsan_##name(void *address)                         \
    {                                                                                              \
        on(address, size, write, FW_PC);                                                           \
    }                                                                                              \
    FW_HOOK void __tsan_##name##_pc(void *address, void *pc)                                       \
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

#include "runtime/hooks_range.h"

#endif
