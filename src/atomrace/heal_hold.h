/*
 * heal_hold.h - which sections the calling thread is in, and so which locks it holds (healing by
 * locks; heal.h).
 *
 * A hold is a section that was entered, or a single access of a word that has a lock.  The thread
 * has the lock of a word while it has a hold of it.  A hold is *over* when its access, or the one
 * at the section's end, is about to be made, and goes when the thread is seen next.  A section is
 * left as well when control comes to one of its exits, when its function is left, when it is
 * entered anew, and when it does not end for very long.
 */
#ifndef FW_ATOMRACE_HEAL_HOLD_H
#define FW_ATOMRACE_HEAL_HOLD_H

#include "atomrace/sections.h"

/* The thread was seen, in the hook of an access or elsewhere: what is over goes. */
void fw_holds_settle(bool by_access);
/* In the hook of an access, when the thread is about to make it: takes what locks it needs. */
void fw_holds_access(const struct fw_overlap_access *access);
/* All of them go. */
void fw_holds_drop(void);
/* The same, told: the thread is about to synchronise. */
void fw_holds_let_go(const struct fw_thread *t);

/* The thread is about to lock a mutex (NULL: not any more), holding what it holds.  What would
 * close a circle is let go. */
void fw_holds_mutex(const struct fw_thread *t, const void *mutex);

/* The word has a lock from now on. */
void fw_holds_prepare(uintptr_t word, bool reads_wait);

/* The thread ends; it is a fork child. */
void fw_holds_ended(void);
void fw_holds_forked(void);

#endif
