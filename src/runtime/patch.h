/*
 * patch.h - the call of a hook becomes nothing while the program runs, and a call again.
 *
 * One byte is stored: the call becomes a comparison that is as long as it was.  So whoever comes by
 * executes one of the two, never half of either, and what the comparison leaves behind, the flags,
 * a call would have left undefined as well.  A jump to a hook at the end of a function stays.
 *
 * A page is writable as long as one thread stores there.  Who comes meanwhile changes nothing: it
 * would find the page closed again, and waiting is not for who may be a signal's handler.
 *
 * It is looked at where the call leads before anything is stored: what is not certainly the call of
 * a hook of accesses or branches (FW_HOOK) stays as it is.
 */
#ifndef FW_RUNTIME_PATCH_H
#define FW_RUNTIME_PATCH_H

#include <stdbool.h>
#include <stdint.h>

/* For mprotect; false: the system does not allow it. */
bool fw_patch_protect(uintptr_t begin, uintptr_t end, int how);

/* The call that returns there.  False: it stays. */
bool fw_patch_call(uintptr_t returns);
/* What was one is one again.  False: it stays. */
bool fw_patch_call_back(uintptr_t returns);

/* In the child of a fork: who was storing is not there. */
void fw_patch_forked(void);

#endif
