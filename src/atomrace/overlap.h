/*
 * overlap.h - the way of an access through this library.
 *
 * The library is the serial runtime (src/runtime) with other hooks: its threads run in parallel and
 * there is no token, so that interceptors, which ask for one, just call the real functions.  Those
 * that only tell of memory (fw_tell) tell it here, and what is to be said to the recorder apart
 * from the order of events (fw_say) is said, by one thread at a time.
 *
 * Nothing is "inside" here: what must not be interrupted blocks signals (mask.h), and everything
 * else may be interrupted, entered again, and never come back.
 */
#ifndef FW_ATOMRACE_OVERLAP_H
#define FW_ATOMRACE_OVERLAP_H

#include "atomrace/sections.h"
#include "runtime/sync.h"

/* The long way of a hook. */
void fw_overlap_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc);
/* Any number of bytes. */
void fw_overlap_range(uintptr_t address, size_t bytes, bool write, uintptr_t pc);

/* --- threads (threads.c) --------------------------------------------------------------------- */

/* The first thread; NULL: no memory. */
struct fw_thread *fw_overlap_adopt_main(void);
/* In a fork child: the caller is the only thread, number 0. */
void fw_overlap_adopt_child(struct fw_thread *t);
/* Creates a thread of the program's (fw_create_otherwise). */
int fw_overlap_create(const struct fw_creation *creation, uintptr_t pc);
/* The calling thread, also if it was not started by pthread_create or thrd_create of the program;
 * NULL: it cannot be known, or has ended. */
struct fw_thread *fw_overlap_self(void);
/* The first thread, for what nobody else can say. */
struct fw_thread *fw_overlap_nobody(void);

extern bool fw_overlap_on;

#endif
