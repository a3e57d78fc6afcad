/*
 * campaign_state.h - what a campaign keeps; for campaign*.c only.
 *
 *     campaign.c         workers, rounds, what becomes known
 *     campaign_trial.c   one run
 */
#ifndef FW_EXPLORE_CAMPAIGN_STATE_H
#define FW_EXPLORE_CAMPAIGN_STATE_H

#include "explore/campaign.h"
#include "explore/chess.h"
#include "explore/collect.h"
#include "explore/journal.h"
#include "explore/knowledge.h"
#include "explore/leftover.h"
#include "explore/named_points.h"
#include "explore/seeking.h"
#include "explore/watcher.h"

#include <pthread.h>

struct fw_worker {
    struct fw_campaign *campaign;
    struct fw_session *session;
    struct fw_watcher *watcher;
    struct fw_named_points points; /* if points are named */
    size_t told;             /* places that its session knows as shared */
    struct fw_steps steps;   /* of a prediction */
    struct fw_paths paths;
    struct fw_turns turns; /* of an earlier run */
    pthread_t thread;
    bool started;
};

/* A run whose failure has no schedule yet. */
struct fw_wanted_run {
    struct fw_capture *capture; /* NULL: it was too long */
    const char *failure;
};

struct fw_campaign {
    struct fw_campaign_setup setup;
    struct fw_knowledge knowledge;
    struct fw_chess *chess; /* NULL: another strategy */
    int journal;
    struct fw_trial_vec known; /* of the journal, by number */
    size_t known_at;
    size_t decisions; /* bytes that a run has told, at most */
    struct fw_worker *workers;
    double start;
    bool uncontrolled;
    struct fw_coverage *coverage;
    struct fw_seeking seeking;
    bool seeks; /* the round is for what the hunt says */
    struct fw_collector collector;
    struct fw_leftover leftover;
    FW_VEC(struct fw_wanted_run) captures; /* of the round, until they are collected */

    /* The round: fixed while workers are at it. */
    struct fw_trial *trials;
    uint64_t first; /* number of the first one */
    uint64_t length;
    uint64_t blocks; /* that a run enters */
    double away;     /* as in the state */
    bool ended; /* length is that of a run that came to an end */

    pthread_mutex_t lock;
    pthread_cond_t begin, over;
    /* guarded by lock */
    unsigned round;    /* grows */
    size_t next, most; /* slots to take: next one, and how many count */
    unsigned busy;     /* workers that are at the round */
    bool quit;
    struct fw_error error;
    bool failed;
};

/* Makes the run that the trial's number is for.  -1: the campaign cannot go on. */
int fw_worker_run(struct fw_worker *worker, struct fw_trial *trial, struct fw_error *err);

#endif
