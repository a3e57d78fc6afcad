/*
 * budget.h - how long threads have waited lately, so that the guard knows when it costs too much.
 *
 * Time is kept in slices of a second, and the latest of them count.  A program that has begun just
 * now is judged as if it had run for all of them: what it waits for while it starts is not held
 * against what it has run so far, and one that has run for a day cannot wait for an hour.
 *
 * Thread-safety: anybody, any time.  Nothing waits.
 */
#ifndef FW_GUARD_BUDGET_H
#define FW_GUARD_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FW_BUDGET_SECONDS 10u

struct fw_budget {
    _Atomic uint64_t slices[FW_BUDGET_SECONDS]; /* the second << 40 | microseconds */
};

/* A thread has waited for so long, until now; all in ns. */
void fw_budget_add(struct fw_budget *budget, uint64_t now, uint64_t waited);
/* Have they waited for more than so many percent of the time that so many threads have had? */
bool fw_budget_is_spent(const struct fw_budget *budget, uint64_t now, uint32_t percent,
                        uint32_t threads);

#endif
