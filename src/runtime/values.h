/*
 * values.h - was memory written by code that we do not see?  (values=yes: record --values)
 *
 * Proofs rest on seeing every write.  A table remembers what words held when they were last known:
 * at the end of the segment that accessed them, when they were read since, or when they came to be
 * (blocks of the heap, data of modules).  A read that is
 * recorded finds out whether that is still so.  If not, and another thread has run in between,
 * FW_WIRE_UNSEEN says so behind the read's own record, and `check` does not call a finding certain
 * whose witness reads the variable in other circumstances than the run did.
 *
 * What a thread wrote unseen itself, in the same turn, is its own affair; so are its stack and its
 * thread-local memory, which code without hooks uses all the time.  Forgetting a word only means
 * that it is not checked: words that share a place in the table, segments of very many words,
 * memory that was freed.
 *
 * Words are looked at by process_vm_readv at the end of a segment (they may be gone by then), and
 * directly where the program is about to read them.
 */
#ifndef FW_RUNTIME_VALUES_H
#define FW_RUNTIME_VALUES_H

#include "runtime/thread.h"

extern bool fw_values_on;

/* Bit of `ignored` that ignores nothing: hooks take the long way, through fw_access. */
#define FW_IGNORE_NOTHING 8u

void fw_values_begin(void);
/* The holder reads (in code with hooks: libc's functions may tell late what they read) and the
 * record of it has been sent; it writes. */
void fw_values_read(struct fw_thread *t, uintptr_t address, size_t bytes, uintptr_t pc);
void fw_values_write(struct fw_thread *t, uintptr_t address, size_t bytes);
/* The segment of t ends. */
void fw_values_settle(struct fw_thread *t);
/* Fresh memory that can be read holds what it holds, as far as there is room to remember it. */
void fw_values_take(uintptr_t address, size_t bytes);
/* What the memory holds is not known from here on. */
void fw_values_forget(uintptr_t address, size_t bytes);

#endif
