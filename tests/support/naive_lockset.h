/*
 * naive_lockset.h - Eraser's state machine by its definition, for small traces:
 * the locks held are looked for in the whole trace at every access.
 */
#ifndef FW_TESTS_NAIVE_LOCKSET_H
#define FW_TESTS_NAIVE_LOCKSET_H

#include "trace/trace.h"

/* For each variable the access that is reported, or FW_NO_EVENT; the caller frees it. */
uint32_t *fw_naive_lockset(const struct fw_trace *trace);

#endif
