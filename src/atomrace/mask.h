/*
 * mask.h - keeps the program's signal handlers out.
 *
 * Wherever a thread holds something that others may wait for (an open section, somebody else's
 * section, a lock) no handler of the program runs on it: a handler may take long, and one that
 * jumps away would never give it back.  So is asynchronous cancellation, which is a signal.
 */
#ifndef FW_ATOMRACE_MASK_H
#define FW_ATOMRACE_MASK_H

#include "runtime/futex.h"

#include <signal.h>

#define FW_MASK_BIT(number) (1ull << ((number)-1))
/* Not those that a thread's own mistakes bring: blocked, they would end the program. */
#define FW_MASK_ALL                                                                                \
    (~(FW_MASK_BIT(SIGSEGV) | FW_MASK_BIT(SIGBUS) | FW_MASK_BIT(SIGFPE) | FW_MASK_BIT(SIGILL) |    \
       FW_MASK_BIT(SIGTRAP) | FW_MASK_BIT(SIGSYS)))

/* Returns what the mask was. */
static inline uint64_t fw_mask_set(uint64_t mask)
{
    uint64_t before = 0;

    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof mask);
    return before;
}

#endif
