/*
 * origins.h - where threads were created and variables allocated: what a report tells beside the
 * events of a finding.
 *
 * All creations of threads are remembered.  Of allocations the latest ones are, in memory that does
 * not grow with the trace; who looks at the trace a second time names the variables it wants.
 */
#ifndef FW_ANALYSIS_ORIGINS_H
#define FW_ANALYSIS_ORIGINS_H

#include "analysis/context.h"
#include "base/vec.h"

struct fw_origins {
    FW_VEC(struct fw_origin) threads; /* by id; `known` tells */
    struct fw_origin *recent;         /* by variable, the latest of each place; NULL: none yet */
    FW_VEC(uint32_t) wanted;          /* variables, ascending; then only these are remembered ... */
    FW_VEC(struct fw_origin) found;   /* ... in their order */
};

void fw_origins_release(struct fw_origins *origins);

/* A fork or an allocation has come by. */
void fw_origins_note(struct fw_origins *origins, const struct fw_batch *batch, uint32_t i,
                     struct fw_context context);

const struct fw_origin *fw_origins_variable(const struct fw_origins *origins, uint32_t variable);

#endif
