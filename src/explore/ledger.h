/*
 * ledger.h - what a campaign writes into the memo database: its runs, and what they have exposed.
 *
 * Profiles and attempts are written, and of all other runs those that have shown something new or
 * failed, since thousands of runs a second would be too many.  Not thread-safe.
 */
#ifndef FW_EXPLORE_LEDGER_H
#define FW_EXPLORE_LEDGER_H

#include "explore/coverage.h"
#include "explore/trial.h"

struct fw_ledger {
    struct fw_memo *memo; /* entered, borrowed; NULL: nothing is written */
    struct fw_coverage *coverage;
    const char *strategy;
};

struct fw_failure; /* campaign.h */

struct fw_ledger_entry {
    const struct fw_trial *trial;
    uint32_t fresh; /* iRoots that the campaign had not seen */
    bool drawn; /* it sought nothing */
    const struct fw_memo_claim *claim; /* what it tried to expose; NULL: nothing */
    const char *schedule; /* of its failure, or NULL */
};

int fw_ledger_add(const struct fw_ledger *ledger, const struct fw_ledger_entry *entry,
                  struct fw_error *err);
/* The failure has a schedule now: so have the runs that have failed like that. */
int fw_ledger_keep(const struct fw_ledger *ledger, const struct fw_failure *failure,
                   struct fw_error *err);

#endif
