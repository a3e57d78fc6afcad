/*
 * fwt_reuse.h - variables that share a name, one after the other.
 *
 * Memory that is allocated again is a new variable under the name of the old
 * one.  From its first event on, the name means the new one: a file in which
 * the old one goes on is malformed, and could not be told apart in text.
 */
#ifndef FW_TRACE_FWT_REUSE_H
#define FW_TRACE_FWT_REUSE_H

#include "base/vec.h"
#include "trace/symbols.h"

/* Empty (all zero) until a name is repeated. */
struct fw_fwt_reuse {
    FW_VEC(uint8_t) state;  /* by variable */
    FW_VEC(uint32_t) older; /* variable → the one before it with its name, plus 1; 0: none */
};

void fw_fwt_reuse_release(struct fw_fwt_reuse *reuse);

/* The variable has the name of an older one. */
void fw_fwt_reuse_note(struct fw_fwt_reuse *reuse, uint32_t variable, uint32_t older);

/* Returns the place of the first event on a variable that is over, or count. */
uint32_t fw_fwt_reuse_check(struct fw_fwt_reuse *reuse, const struct fw_event *events,
                            uint32_t count);

#endif
