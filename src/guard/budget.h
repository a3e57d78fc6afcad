/*
 * budget.h - how long threads have waited lately, so that the guard knows when it costs too much.
 *
 * Time is kept in slices of a second, and the latest of them count.  A program that has begun just
 * now is judged as if it had run for all of them: what it waits for while it starts is not held
 * against what it has run so far, and one that has run for a day cannot wait for an hour.
 *
 * Of many threads one that waits is little, but all others may be waiting for it: so it is also
 * known for how long some thread has waited, however many did.  Of a wait that lies within another
 * one that ends later some may be missing there.
 *
 * Thread-safety: anybody, any time.  Nothing waits.
 */
#ifndef FW_GUARD_BUDGET_H
#define FW_GUARD_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FW_BUDGET_SECONDS 10u

#define FW_BUDGET_HELD_UP 50u /* percent of the time: who is held up longer is held up too long */

struct fw_budget {
    _Atomic uint64_t slices[FW_BUDGET_SECONDS]; /* the second << 40 | microseconds */
    _Atomic uint64_t some[FW_BUDGET_SECONDS];   /* the same, while any waited */
    _Atomic uint64_t told; /* waits until then are in it; ns */
};

/* A thread has waited for so long, until now; all in ns. */
void fw_budget_add(struct fw_budget *budget, uint64_t now, uint64_t waited);
/* Have they waited for more than so many percent of the time that so many threads have had, or some
 * thread for more than FW_BUDGET_HELD_UP percent of it (or so many, if that is more)? */
bool fw_budget_is_spent(const struct fw_budget *budget, uint64_t now, uint32_t percent,
                        uint32_t threads);

#endif
