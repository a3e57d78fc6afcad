/*
 * calls.h - what syscall() (calls.c) needs of calls_known.c and calls_futex.c.
 */
#ifndef FW_RUNTIME_CALLS_H
#define FW_RUNTIME_CALLS_H

#include "runtime/rt.h"

/* Makes the call if there is a function for it: *result is what that returned, with errno. */
bool fw_call_known(long number, const long a[6], long *result);
/* A call for which there is none. */
void fw_call_unmodelled(struct fw_thread *t, long number);

/* Futexes of controlled runs (calls_futex.c). */
/* A wait, with the result that the kernel would give; false: the kernel's. */
bool fw_futex_waits(struct fw_thread *t, const long a[6], long *result);
/* One that a thread makes which we do not know. */
void fw_futex_unseen(void);
/* Before the call proper: how many threads it has woken. */
long fw_futex_wakes(const long a[6]);

#endif
