/*
 * scopes.h - which accesses of a thread are meant to be atomic together.
 *
 * In a trace with blocks: those in the same outermost begin/end block.  In
 * others: those in the same innermost function activation and at most `window`
 * own events apart; or, with --pairs=all, any.  A ret closes the innermost open
 * call of its function; a ret without its call leaves for a function that was
 * called before the trace, which is a new activation.
 */
#ifndef FW_PREDICT_SCOPES_H
#define FW_PREDICT_SCOPES_H

#include "predict/suspect.h"

#define FW_SCOPE_WINDOW 100u

struct fw_scopes {
    const struct fw_index *index;
    bool has_blocks;
    bool any; /* every pair is in scope */
    uint32_t window;
    uint32_t *scope; /* event → its block, 0: none; or its activation.  NULL if any */
};

void fw_scopes_init(struct fw_scopes *scopes, const struct fw_index *index,
                    const struct fw_predict_options *options);
void fw_scopes_release(struct fw_scopes *scopes);

/* Are the two events of one thread, the earlier one first, meant to be atomic? */
bool fw_scopes_together(const struct fw_scopes *scopes, uint32_t first, uint32_t last);

#endif
