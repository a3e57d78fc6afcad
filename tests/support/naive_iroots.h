/*
 * naive_iroots.h - the iRoots that a trace exposes, straight from the definitions of
 * src/iroot/iroot.h, for small traces: every dependency is looked for between every two accesses,
 * every instance among every two dependencies.
 */
#ifndef FW_TESTS_NAIVE_IROOTS_H
#define FW_TESTS_NAIVE_IROOTS_H

#include "iroot/iroot.h"
#include "trace/trace.h"

#include <stdint.h>

struct fw_naive_access {
    uint32_t thread, object, access;
    uint32_t own; /* the how-manieth of its thread */
    bool lock, writes, gives, takes;
};

/* The accesses of a trace, in its order; texts are added to the table.  The caller frees them. */
struct fw_naive_access *fw_naive_accesses(const struct fw_trace *trace, struct fw_strtab *accesses,
                                          uint32_t *count);

/* A => B, where both are places in the array. */
bool fw_naive_depends(const struct fw_naive_access *at, uint32_t a, uint32_t b);

void fw_naive_iroots(const struct fw_trace *trace, struct fw_strtab *accesses, uint32_t window,
                     struct fw_iroot_set *set);

#endif
