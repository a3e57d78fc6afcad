/*
 * annotate.h - what all dialects of annotations come down to.
 *
 * Each takes the return address of the annotation, enters and leaves by itself, and does nothing
 * when the program is not recorded.
 */
#ifndef FW_RUNTIME_ANNOTATE_H
#define FW_RUNTIME_ANNOTATE_H

#include "runtime/sync.h"

enum {
    FW_IGNORE_ACCESSES = FW_IGNORE_READS | FW_IGNORE_WRITES,
    FW_IGNORE_ALL = FW_IGNORE_ACCESSES | FW_IGNORE_SYNC,
};

/* Counts up (1) or down (-1); tell.c. */
void fw_annotate_ignore(unsigned what, int by);
/* BEFORE, AFTER, BARRIER_IN, BARRIER_OUT. */
void fw_annotate_sync(enum fw_wire_kind kind, const volatile void *object, uintptr_t pc);
void fw_annotate_expect(const volatile void *address, size_t bytes, uintptr_t pc);
void fw_annotate_access(const volatile void *address, size_t bytes, bool write, uintptr_t pc);
void fw_annotate_fresh(const volatile void *address, size_t bytes);
void fw_annotate_name(const char *name);

void fw_annotate_lock_gone(const volatile void *lock, uintptr_t pc);
/* kind as for fw_lock_got, or TRY_FAIL.  levels: how often at once; 0: the lock is not recursive.
 */
void fw_annotate_lock_got(const volatile void *lock, enum fw_wire_kind kind, unsigned levels,
                          uintptr_t pc);
/* One level of a recursive lock, or all; returns how many. */
unsigned fw_annotate_lock_released(const volatile void *lock, bool all, uintptr_t pc);

#endif
