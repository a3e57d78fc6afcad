/*
 * violation.h - what is done about an access that should not come now.
 */
#ifndef FW_GUARD_VIOLATION_H
#define FW_GUARD_VIOLATION_H

#include "guard/guard_wire.h"
#include "guard/words.h"

#include <stdbool.h>
#include <stdint.h>

/* What speaks against an access. */
struct fw_guard_objection {
    uint32_t before; /* the access that it would depend on, ... */
    unsigned also;   /* ... or, where that is 0, one of FW_WORD_* */
};

/* guard.c: may the access not be made now?  (Not in learning.) */
bool fw_guard_objects(uint32_t site, const struct fw_word_seen *seen,
                      struct fw_guard_objection *why);

/* A process begins, or a fork's child does. */
void fw_guard_violations_begin(void);

/* `who` is about to access the word, and should not.  Returns when it may, or when nothing
 * can be done about it any more, and it is logged in either case; or the thread goes back over its
 * region (region.h; 0: there is none), and it is logged when it is known what that has come to. */
void fw_guard_violated(uintptr_t word, uint32_t who, bool write,
                       const struct fw_guard_objection *why, uintptr_t region);

/* --- for other kinds of violations (lifetx.c) ------------------------------------------------ */

uint64_t fw_guard_clock(void); /* ns, monotonic */

/* So many rounds keep the processor.  Whoever gives it away may get it back late: from then on the
 * time is to be looked at in every round. */
#define FW_GUARD_SPINS 200u
void fw_guard_pause(unsigned round);
/* Notes where the thread is. */
void fw_guard_violation_frames(struct fw_guard_entry *entry);
/* It is over: counts and logs it, and looks after the budget. */
void fw_guard_violation_done(struct fw_guard_entry *entry, uint64_t started);

#endif
