/*
 * ledger.h - what a campaign writes into the memo database: its runs, and what they have exposed.
 *
 * Profiles and attempts have rows there, and of all other runs those that have shown something new
 * or failed; the rest is counted.  A transaction costs as much as a run, so all of it is written by
 * the second or by a thousand runs at a time, less often where it takes more than a twentieth of
 * the time, after a failure that has no schedule yet, and when it is asked for: before something is
 * claimed.  Whoever is killed loses what has come since then, and nothing by half: a failure is
 * written with its schedule, if one can be made, so that who is killed before that has found
 * nothing, and its attempt is made again.
 * Not thread-safe.
 */
#ifndef FW_EXPLORE_LEDGER_H
#define FW_EXPLORE_LEDGER_H

#include "explore/coverage.h"
#include "explore/trial.h"

struct fw_ledger {
    struct fw_memo *memo; /* entered, borrowed; NULL: nothing is written */
    struct fw_coverage *coverage;
    const char *strategy;

    /* The ledger's own, all 0 at the beginning. */
    struct fw_iroot_set *known; /* that runs of this campaign have exposed */
    FW_VEC(uint64_t) times;     /* by number there: in how many runs that are not written yet */
    FW_VEC(struct fw_ledger_row *) rows; /* not written yet */
    uint64_t plain;             /* runs without a row ... */
    uint64_t runs;              /* runs that are not written yet ... */
    double since;               /* ... as of this time ... */
    double took;                /* seconds, to write the latest ones */
    bool urgent;                /* ... with one that has failed */
};

struct fw_failure; /* campaign.h */

struct fw_ledger_entry {
    const struct fw_trial *trial;
    bool drawn; /* it sought nothing */
    const struct fw_memo_claim *claim; /* what it tried to expose; NULL: nothing */
    const char *schedule; /* of its failure, or NULL */
};

void fw_ledger_add(struct fw_ledger *ledger, const struct fw_ledger_entry *entry);
/* Writes it if it is time to.  Runs that have failed have got their schedules, if they can. */
int fw_ledger_settle(struct fw_ledger *ledger, struct fw_error *err);
/* Writes all that is not written yet. */
int fw_ledger_flush(struct fw_ledger *ledger, struct fw_error *err);
/* The failure has a schedule now: so have the runs that have failed like that. */
int fw_ledger_keep(struct fw_ledger *ledger, const struct fw_failure *failure,
                   struct fw_error *err);
void fw_ledger_release(struct fw_ledger *ledger);

#endif
