/*
 * guards.h - one lock of each object that says all that the others held with it say.
 *
 * What of an access matters to others of its object is which locks are held, and of which of these
 * sections it is the first and the last access of the object (profile.h).  A *guard* of an object
 * is a lock that every access of it holds in exclusive mode, unless it holds none at all.  Besides,
 * no thread may access the object, take a lock and access it again without giving back all locks:
 * so the locks that are held at two accesses of it in one go are held from the one to the other.
 * Then an access that is not the first (the last) of the section of any lock is not the first (the
 * last) of the guard's either, and two accesses that hold any lock have the guard in common: it
 * alone decides which of them may follow which.
 *
 * Learnt from a whole run, before it is looked at.  Of the locks of an object's first access with
 * some GUARD_CHOICES are looked at; if it has a guard among the others only, it counts as none.
 *
 * Not thread-safe.
 */
#ifndef FW_IROOT_GUARDS_H
#define FW_IROOT_GUARDS_H

#include <stdbool.h>
#include <stdint.h>

#define FW_GUARD_CHOICES 3u
#define FW_GUARD_NONE    UINT32_MAX

struct fw_guards;

struct fw_guards *fw_guards_create(void);
void fw_guards_destroy(struct fw_guards *guards);

/* The run's events, in order.  Every access of a variable counts, whatever it is taken for. */
void fw_guards_lock(struct fw_guards *guards, uint32_t thread, uint32_t lock, bool shared);
void fw_guards_unlock(struct fw_guards *guards, uint32_t thread, uint32_t lock);
void fw_guards_access(struct fw_guards *guards, uint32_t thread, uint32_t variable);

/* The run is over; nothing can be asked before. */
void fw_guards_finish(struct fw_guards *guards);
/* How many variables have one. */
uint32_t fw_guards_guarded(const struct fw_guards *guards);
/* Locks have smaller numbers than this; is it a guard? */
uint32_t fw_guards_locks(const struct fw_guards *guards);
bool fw_guards_is(const struct fw_guards *guards, uint32_t lock);
/* FW_GUARD_NONE: it has none, or all of its accesses are without locks. */
uint32_t fw_guards_of(const struct fw_guards *guards, uint32_t variable);

#endif
