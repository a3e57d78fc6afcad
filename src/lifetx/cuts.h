/*
 * cuts.h - cutpoints of one build, as texts: what learning takes in and gives out.
 *
 * A cutpoint is a kind (constraints.h) and the name of a place as the trace has it: the site of a
 * call or an access, a function, the header of a loop.  A set only ever grows; cutpoints are
 * numbered in the order they came.  Not thread-safe.
 */
#ifndef FW_LIFETX_CUTS_H
#define FW_LIFETX_CUTS_H

#include "learn/constraints.h"

struct fw_cuts;

struct fw_cut {
    enum fw_cut_kind kind;
    const char *place; /* owned by the set */
};

struct fw_cuts *fw_cuts_create(void);
void fw_cuts_destroy(struct fw_cuts *cuts);

/* True: it is new. */
bool fw_cuts_add(struct fw_cuts *cuts, enum fw_cut_kind kind, const char *place);
bool fw_cuts_has(struct fw_cuts *cuts, enum fw_cut_kind kind, const char *place);
uint32_t fw_cuts_count(const struct fw_cuts *cuts);
struct fw_cut fw_cuts_get(const struct fw_cuts *cuts, uint32_t i);

#endif
