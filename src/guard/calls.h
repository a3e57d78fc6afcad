/*
 * calls.h - while the guard is off, calls of watched hooks are nothing too; when it is switched on
 * again, they become calls again.
 *
 * A thread that comes to an intercepted function, or to a watched hook, sees that the switch is not
 * as the calls are, and changes them all (runtime/patch.h); a program that does neither is as it
 * was.  Between the first and the last of them what others do is seen in part, and who has passed a
 * call that was nothing may make its access when all are calls again.  Hence
 *
 *   - hooks do nothing as long as fw_guard_changes is odd: from before the first call becomes
 *     nothing until the last is a call;
 *   - a region that began with another number is never gone back over: what it has written may not
 *     have been seen (region.h);
 *   - nothing that was written is taken back from then on (fw_regions_blind), and who is doing that
 *     is waited for before the first becomes nothing;
 *   - what words said before is forgotten, as whenever the guard is switched on (guard.c).
 *
 * Modules that were there when the program began never go: only their calls are changed.  Not with
 * transactions, whose ends are calls as well, nor while learning.
 *
 * Thread-safety: any thread, also in handlers of signals; one at a time does it, others go on.
 */
#ifndef FW_GUARD_CALLS_H
#define FW_GUARD_CALLS_H

#include "guard/guard.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Counts both ways; odd: the calls are nothing, or about to change. */
extern _Atomic uint32_t fw_guard_changes;

static inline bool fw_guard_is_asleep(void)
{
    return atomic_load_explicit(&fw_guard_changes, memory_order_relaxed) & 1;
}

/* All modules that the program begins with are known. */
void fw_guard_calls_begin(void);
/* May the calls of this table be changed? */
bool fw_guard_calls_last(const struct fw_guard_table *table);

/* If it can be done now. */
void fw_guard_calls_change(void);

/* Is the switch other than the calls are?  There is a guard. */
static inline bool fw_guard_calls_differ(void)
{
    /* relaxed: a switch, seen sooner or later */
    return !atomic_load_explicit(&fw_guard->off, memory_order_relaxed) == fw_guard_is_asleep();
}

static inline void fw_guard_calls_look(void)
{
    if (fw_guard && __builtin_expect(fw_guard_calls_differ(), 0))
        fw_guard_calls_change();
}

#endif
