/*
 * hunted.h - the memo database of a campaign, and the profiles that one begins with which seeks
 * iRoots.
 */
#ifndef FW_CMD_HUNTED_H
#define FW_CMD_HUNTED_H

#include "base/json.h"
#include "base/options.h"
#include "base/output.h"
#include "cmd/entered.h"
#include "explore/campaign.h"
#include "explore/profiling.h"

#define FW_HUNTED_ATTEMPTS 2u /* by default */

enum fw_hunted_predictor {
    FW_HUNTED_BOTH,
    FW_HUNTED_GUESS,
    FW_HUNTED_PROOF,
};

extern const char *const fw_hunted_predictors[], *const fw_hunted_thin[];

/* As the command line has them. */
struct fw_hunted_options {
    const char *db; /* NULL: the default for iroot, else none */
    struct fw_words idioms;
    uint64_t attempts, quiet, window, delay;
    int predictor, thin;
    bool infeasible, own, foresee;
};

/* A failure of earlier campaigns with the same build and the same judge. */
struct fw_hunted_failure {
    char *way, *kind, *message, *input, *schedule;
    uint64_t runs;
    struct fw_memo_iroot sought;
};

struct fw_hunted {
    const struct fw_hunted_options *options;
    uint32_t idioms; /* bit i: idiom i; 0: all */
    struct fw_entered entered;
    struct fw_coverage *coverage;
    struct fw_hunt *hunt;
    struct fw_profiling *profiling;
    struct fw_profiling_setup profile; /* lives as long as the profiling */
    FW_VEC(struct fw_hunted_failure) failures; /* that were known when it began */
    bool quiet;
};

/* 0, or the exit status after printing what is wrong. */
int fw_hunted_check(struct fw_hunted *hunted, const struct fw_hunted_options *options, bool hunts);

/*
 * Opens the database and, for strategy iroot, makes the profiles; fills in what the setup of the
 * campaign has to know.  The folder is for traces.  0, or the exit status after printing the error.
 * Release it in either case, after the campaign.
 */
int fw_hunted_begin(struct fw_hunted *hunted, struct fw_campaign_setup *setup,
                    const char *strategy, const char *folder);
void fw_hunted_release(struct fw_hunted *hunted);

/* Is a failure known that the campaign has not shown again?  What it tells is that this build
 * fails, whatever the runs that were left to be made have shown. */
bool fw_hunted_knows_failures(const struct fw_hunted *hunted,
                              const struct fw_campaign_state *state);
void fw_hunted_failures_text(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                             struct fw_output *out);
void fw_hunted_failures_json(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                             struct fw_json *json);

/* What was predicted and what became of it; nothing for other strategies. */
void fw_hunted_text(const struct fw_hunted *hunted, const struct fw_campaign_state *state,
                    struct fw_output *out);

/* The same as fields of the object at hand. */
void fw_hunted_json(const struct fw_hunted *hunted, struct fw_json *json);

#endif
