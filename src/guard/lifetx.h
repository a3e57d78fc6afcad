/*
 * lifetx.h - keeping transactions apart (FW_GUARD_LIFETX): an access that is in the way of a
 * transaction that runs waits until that has ended (transactions.h).
 *
 * Transactions end at cutpoints, which are places of the code: hooks of accesses, of entries of
 * functions and of blocks, and calls of interceptors.  A call is seen at the entry of what it
 * calls, which is told where it will return to.
 *
 * An access that was always the last of its transaction ends it as well, as soon as it is made:
 * else whoever gets the mutex next would wait until the thread comes to its cutpoint.
 *
 * Starting a thread ends a transaction, too: what the new thread finds was written for it, and it
 * would wait for the next cutpoint of its maker.  So does waiting until files are ready
 * (epoll_wait, poll): what others do meanwhile may be what it waits for, and it may wait for ever.
 *
 * A thread that has waited in vain goes on, and what it waited for is not waited for any more at
 * this pair of places; where the other one was blocked, or had given something back, goes to the
 * log: its transaction may be split there.  One that waits with mutexes which it has taken in its
 * region, or is waited for itself, or has waited in vain, goes back over its region (region.h),
 * which ends its transaction, and waits there.
 */
#ifndef FW_GUARD_LIFETX_H
#define FW_GUARD_LIFETX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern bool fw_guard_tx; /* the mode is on */

/* region: region.h. */
void fw_guard_tx_access(uintptr_t address, size_t bytes, bool write, uint32_t site,
                        uintptr_t region);
/* The thread is at the place that returns there: a call, or a block's hook. */
void fw_guard_tx_place(uintptr_t pc);
/* It calls an interceptor (fw_calls_follow). */
void fw_guard_tx_call(const char *name, const void *object);
/* It has entered a function, from the call that returns there. */
void fw_guard_tx_entry(uintptr_t call, uintptr_t pc);
/* A thread has this number from now on, or has it no more. */
void fw_guard_tx_thread(uint32_t thread);

#endif
