/*
 * heal.h - healing: threads are kept from coming between the accesses of another's atomic section.
 *
 * Source: Letko, Vojnar, Krena, "AtomRace: Data Race and Atomicity Violation Detector and Healer",
 * PADTAD 2008, section 5.  FOREWEAVE_OPTIONS says heal=PATH (heal_wire.h), beside sections=PATH.
 *
 * By scheduling: who is about to enter a section yields first, so that it has a whole slice of
 * time for it, or runs at a higher priority meanwhile; who meets a section that is open yields or
 * sleeps. That makes failures rarer.
 *
 * By locks: a word over which a section was entered once has a lock (heal_lock.h).  Whoever enters
 * a section of the word takes it, and so does any other access of it, unless it is a read and
 * reads are allowed.  An access is made after its hook, so the lock is held until the thread is
 * seen next: in a hook, in an interceptor, entering or leaving a function.  Who is in an
 * interceptor may be about to wait, so everything is let go there: nobody waits for anything of
 * the program's while it holds a lock, and so locks make no deadlock.  (With `unsafe` they are
 * kept there, and circles are looked for.)  What cannot be seen from here, a wait in code without
 * hooks and interceptors, ends others' patience: the bound.
 *
 * Words of global variables have their locks from the beginning.  Of others, an access that was on
 * its way from its hook when the first section of its word ever was entered is not kept out.
 *
 * Nothing here is needed for the program to go on: whatever is missing (memory, room, the file),
 * the program runs unhealed.
 */
#ifndef FW_ATOMRACE_HEAL_H
#define FW_ATOMRACE_HEAL_H

#include "atomrace/heal_hold.h"
#include "atomrace/region.h"

extern bool fw_heal_on;

/* Maps the file and switches healing on; false: it cannot be understood.  After
 * fw_regions_open. */
bool fw_heal_open(const char *path);
/* A module was loaded (fw_modules_follow). */
void fw_heal_module(const char *path, uintptr_t base);
void fw_heal_forked(void);
/* The calling thread ends. */
void fw_heal_ended(void);

/* In the hook of an access, after fw_regions_arrive: the access before it has been made. */
void fw_heal_arrive(const struct fw_overlap_access *access);
/* After the thread has dwelt, before fw_regions_look. */
void fw_heal_access(const struct fw_overlap_access *access);
/* The accesses may be made, all in one call that tells of them when it returns. */
void fw_heal_await(const struct fw_overlap_access *accesses, unsigned count);
/* All of a hook, if fw_heal_alone. */
void fw_heal_hook(const struct fw_overlap_access *access);

#endif
