/*
 * patch.h - calls of hooks that become nothing.
 *
 * A call takes two to seven bytes; they become instructions that do nothing, and a jump to a hook
 * at the end of a function becomes its return.  It is done when a module is loaded, before anybody
 * runs in it.  Pages are writable only while that is done, and not executable then; but for those
 * of calls that become nothing while the program runs (hot.h; runtime/patch.h), which stay
 * executable.
 */
#ifndef FW_GUARD_PATCH_H
#define FW_GUARD_PATCH_H

#include "guard/guard_wire.h"

#include <stdbool.h>
#include <stdint.h>

/* Those of the hooks that have no site.  Counts what it did. */
void fw_guard_patch(struct fw_guard_head *head, const struct fw_guard_module *module,
                    uintptr_t base);

/* The call of one hook becomes nothing; threads may be running there.  Nothing is done where one
 * store cannot do it, or the system does not allow it. */
void fw_guard_patch_live(const struct fw_guard_hook *hook, uintptr_t base);

/* Processors that have fetched the old bytes let go of them. */
void fw_guard_patched(void);

/* Calls are changed by one thread at a time, or not at all: false.  Any thread, also in a
 * handler; no handler comes meanwhile, since it may never return.  mask: signals, as they were. */
bool fw_guard_patch_enter(uint64_t *mask);
void fw_guard_patch_leave(uint64_t mask);
/* In the child of a fork: who was about to is not there. */
void fw_guard_patch_forked(void);

#endif
