/*
 * region.h - a stretch of a thread's code that can be undone and run again from its start.
 *
 * Which stretches there are is found in the code beforehand (symbol/rerun.h): in one activation of
 * one function, from a place that begins one over places where it goes on, with nothing between
 * but what is seen here: writes at sites that are watched, mutexes that are taken.  At a place that
 * begins one the thread notes its registers and the frame of the function (if that may change in
 * the region), at every write what was there before.  Going back means:
 *
 *   1. every word that was written is claimed: it must still be the thread's own, with nobody else
 *      having accessed it since, as far as accesses are watched or touch it (touch.h); else
 *      nothing is done at all.
 *      Who comes to a claimed word waits until it is given back, which needs nobody's help;
 *   2. what was there is written back, the latest first, so that whoever copies the process
 *      meanwhile finds a state that it was in;
 *   3. mutexes are given back in reverse order, and must be the thread's, once;
 *   4. the frame and the registers are restored: the hook, or the call of pthread_mutex_lock, that
 *      began the region goes on as if it had just been come to.
 *
 * A region is left in doubt rather than undone: when a signal's handler has run, an interceptor was
 * called, more was written than fits or where other processes see it (shared_maps.h), a site of its
 * function was retired.  It is run again so often as the head says, counted from its beginning, and
 * beyond that only as long as there is time (plan.limit), so a thread always gets on.
 *
 * Others that read a written word plainly at a place that is not watched, or by functions of libc
 * other than memcpy and its like, are not seen.  x86-64, without shadow stacks; else no region
 * begins.
 *
 * Thread-safety: everything is the calling thread's own.  A signal's handler ends the region of
 * what it interrupted, whatever that was doing here (handlers.c): a region is known by where its
 * function's frame ends, which no other activation shares while it lasts.
 */
#ifndef FW_GUARD_REGION_H
#define FW_GUARD_REGION_H

#include "guard/guard_wire.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fw_region;
extern __thread struct fw_region *fw_region_own; /* NULL: it has had none yet */
extern __thread uintptr_t fw_region_live; /* where the frame of its region ends; 0: there is none */
extern __thread bool fw_region_pending; /* it has gone back, and that is not logged yet */

/* After the file was mapped.  False: there are none. */
bool fw_regions_begin(void);
/* Where there are: a handler of the program ends the region of the thread that it interrupts,
 * whatever it does. */
void fw_regions_follow_handlers(void);
/* In the child of a fork. */
void fw_regions_forked(void);
/* The thread ends. */
void fw_region_release(void);

/* Not all accesses that others make are seen any more: what was written stays. */
void fw_regions_blind(void);
/* The thread is about to access any memory, and shows that (flight.h): what was written until now
 * stays.  Returns when nobody takes anything back. */
void fw_regions_disturb(void);
/* Then nobody has to show its accesses, once those who went back before have done so. */
void fw_regions_settle(void);
/* A site of the function is not called any more: it has no regions from now on. */
void fw_region_break(uint32_t function);
bool fw_region_is_broken(uint32_t function);

/* The thread is at a place that has one, in a hook that was called from `stack` (the stack pointer
 * before the call), before its access.  Returns the region, as the functions below want it;
 * 0: none. */
uintptr_t fw_region_pass(uintptr_t pc, uintptr_t stack);
/* It is about to write, and the words are noted to be its own; cells: as they were before, the
 * first FW_UNDO_WORDS. */
void fw_region_write(uintptr_t region, uintptr_t address, size_t bytes, const uint64_t *cells);
/* It is about to take the mutex, in a call from there (fw_mutex_enter). */
void fw_region_lock(void *mutex, uintptr_t pc, uintptr_t stack);

/* The access at the site is allowed. */
void fw_region_judged(uint32_t site);
/* Something was done that cannot be undone, or is not seen here. */
void fw_region_avoided(void);
static inline void fw_region_end(void)
{
    fw_region_live = 0;
    if (__builtin_expect(fw_region_pending, 0))
        fw_region_avoided();
}

/* --- going back ------------------------------------------------------------------------------ */

/* Is there something to go back over, and does the region still have a try, or time?  0: no. */
bool fw_region_can(uintptr_t region);
/* Mutexes that going back would give back. */
unsigned fw_region_locks(uintptr_t region);

/* What the thread does when it is back: calls wait(context), then goes on. */
struct fw_region_plan {
    struct fw_guard_entry entry; /* of the violation; site 0: there is none */
    uint64_t started;
    uint64_t limit; /* who goes back to let others come first may do so until then, however often;
                       of a region the first one counts; 0: so often as the head says */
    void (*wait)(const struct fw_region_plan *plan);
    uintptr_t word; /* for wait */
    uint32_t who, other;
    bool write;
    uint64_t until;
};

/* Does not return if it goes back; else nothing was done. */
void fw_region_back(uintptr_t region, const struct fw_region_plan *plan);
/* The violation at the site that the thread went back for before; NULL: there is none. */
const struct fw_region_plan *fw_region_plan_of(uint32_t site);
/* It is dealt with otherwise. */
void fw_region_forget(void);

/* --- claimed words --------------------------------------------------------------------------- */

/* Is somebody going back now?  Else a claimed word is one that a fork has left behind. */
bool fw_regions_busy(void);

#endif
