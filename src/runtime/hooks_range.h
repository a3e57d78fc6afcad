/*
 * hooks_range.h - internal to the hooks of all kinds of the library: the calls that the compiler
 * puts before accesses to ranges and to pointers of virtual tables, made of two functions:
 *
 *     static inline void on_access(void *address, unsigned size, bool write, uintptr_t pc);
 *     static inline void on_range(void *address, size_t bytes, bool write, uintptr_t pc);
 *
 * Included once, after them.
 */
#ifndef FW_RUNTIME_HOOKS_RANGE_H
#define FW_RUNTIME_HOOKS_RANGE_H

#include "runtime/rt.h"

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

#endif
