/*
 * calls.h - what syscall() (calls.c) needs of calls_known.c.
 */
#ifndef FW_RUNTIME_CALLS_H
#define FW_RUNTIME_CALLS_H

#include "runtime/rt.h"

/* Makes the call if there is a function for it: *result is what that returned, with errno. */
bool fw_call_known(long number, const long a[6], long *result);
/* A call for which there is none. */
void fw_call_unmodelled(struct fw_thread *t, long number);

#endif
