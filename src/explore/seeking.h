/*
 * seeking.h - the rounds of a campaign that seeks iRoots: which are attempts, which are runs of
 * other strategies, and when a profile is made (arms.h decides, hunt.h and profiling.h do it).
 *
 * Without a budget all are attempts, and the campaign ends with them.  Not thread-safe.
 */
#ifndef FW_EXPLORE_SEEKING_H
#define FW_EXPLORE_SEEKING_H

#include "explore/arms.h"
#include "explore/corpus.h"
#include "explore/hunt.h"
#include "explore/ledger.h"
#include "explore/profiling.h"

struct fw_seeking {
    struct fw_hunt *hunt;           /* NULL: the campaign seeks nothing */
    struct fw_profiling *profiling; /* NULL: none */
    struct fw_ledger *ledger; /* what is planned depends on what it has written */
    bool budgeted;
    double began; /* by fw_session_now */
    double late; /* ... profiles do not wait any longer; 0: they do, time is not limited */

    /* Its own, all 0 at the beginning. */
    struct fw_arms arms;
    struct fw_corpus corpus;
    bool attempts;   /* the present round is of attempts */
    double profiled; /* seconds that profiles have taken */
    bool pays;       /* what the latest one has witnesses for has brought something new */
};

/* The next round has `*count` runs, at most `most`; 0: nothing is left.  Makes profiles that are
 * due.  -1: err. */
int fw_seeking_plan(struct fw_seeking *seeking, size_t most, size_t *count, struct fw_error *err);

/* The order of a run that is no attempt, whose steps are put into `turns`.  By any thread. */
void fw_seeking_order(const struct fw_seeking *seeking, uint64_t number,
                      struct fw_session *session, struct fw_turns *turns,
                      struct fw_run_order *order);
/* Shall the session remember its latest run, which has exposed these?  By any thread. */
bool fw_seeking_wants(const struct fw_seeking *seeking, const struct fw_iroot_set *known,
                      const struct fw_iroot_vec *exposed);
/* The run has brought so many new iRoots; its capture may be taken over. */
void fw_seeking_take(struct fw_seeking *seeking, struct fw_trial *trial, uint64_t fresh);

/* The round has had so many runs, and brought so many new iRoots. */
void fw_seeking_learn(struct fw_seeking *seeking, size_t runs, uint64_t fresh);
void fw_seeking_release(struct fw_seeking *seeking);

#endif
