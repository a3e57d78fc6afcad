/*
 * hooks.h - internal to hooks_access.c and hooks_heal.c: the hooks of plain accesses, made of their
 * on_access and on_unaligned (runtime/hooks_plain.h).  Ranges are looked at alike.
 */
#ifndef FW_ATOMRACE_HOOKS_H
#define FW_ATOMRACE_HOOKS_H

#include "atomrace/overlap.h"

static inline void on_range(void *address, size_t bytes, bool write, uintptr_t pc)
{
    fw_overlap_range((uintptr_t)address, bytes, write, pc);
}

#include "runtime/hooks_plain.h"

#endif
