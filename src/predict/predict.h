/*
 * predict.h - has the suspects of a predictor checked, on all cores.
 *
 *     predictor ─► units of suspects ─► solver ─► minimise ─► verifier ─► predictions
 *                  one worker a unit
 *
 * A team has one solver, one minimiser and one verifier for each worker, made
 * once for a trace and used for one predictor after the other.  Every feasible
 * suspect's witness is judged by the verifier before it counts.  A witness that
 * is rejected is a mistake of ours; it is kept as a rejection, for the caller to
 * make a noise about.
 *
 *     team = fw_team_create(&setup);
 *     predictions = fw_predictions_create();
 *     fw_team_run(team, &fw_predictor_race, predictions);
 *     count = fw_predictions_get(predictions, &list, &counts);
 *
 * The result is the same for any number of workers, unless `stop` is raised.
 *
 * Which witnesses are kept.  Suspects of a unit with the same label and sites
 * become one finding, which shows its earliest occurrence: only that one's
 * witness is kept and minimised.  With pairs_all, and where sites are missing,
 * all are.
 *
 * Thread-safety: fw_team_run is called by one thread at a time; any thread may
 * call fw_predictions_get meanwhile.
 */
#ifndef FW_PREDICT_PREDICT_H
#define FW_PREDICT_PREDICT_H

#include "predict/schedule.h"
#include "predict/suspect.h"

struct fw_team;

/* All borrowed, and outlive the team. */
struct fw_team_setup {
    const struct fw_core *core;
    const struct fw_predict_options *options;
    struct fw_budget budget; /* of each question */
    uint32_t jobs;           /* workers, the caller's thread included; at least 1 */
};

struct fw_team *fw_team_create(const struct fw_team_setup *setup);
void fw_team_destroy(struct fw_team *team);

/* A suspect that was proved.  Immutable. */
struct fw_prediction {
    uint64_t unit; /* this and `suspect` are numbers, and the order of the result */
    uint32_t suspect;
    enum fw_claim claim;
    uint32_t variable; /* FW_NO_EVENT: none */
    const char *label; /* static or NULL */
    uint32_t *events;  /* positions */
    uint32_t event_count;
    struct fw_schedule witness; /* no steps: an equal, earlier prediction's is kept instead */
};

/* A witness that the verifier did not accept. */
struct fw_rejection {
    uint64_t unit;
    uint32_t suspect;
    enum fw_claim claim;
    uint32_t *events, *order;
    uint32_t event_count, order_count;
    char reason[384];
};

struct fw_predict_counts {
    uint64_t units;      /* looked at */
    uint64_t asked;      /* suspects that the solver was asked about */
    uint64_t proved;     /* of these */
    uint64_t undecided;  /* of these: the budget was spent first, and no other proved it */
    uint64_t refuted;    /* suspects that a filter of the predictor's answered */
    uint64_t left;       /* suspects beyond the cap */
    bool cut;            /* the search for suspects came to its bound */
    uint64_t unreached;  /* suspects that were not asked about because `stop` was raised ... */
    bool more_unreached; /* ... and there are more, not counted */
    uint64_t steps;      /* of the witnesses that are kept */
    bool finished;
    struct fw_solver_stats solver; /* complete when finished */
};

struct fw_predictions;

struct fw_predictions *fw_predictions_create(void);
void fw_predictions_destroy(struct fw_predictions *predictions);

/* Runs to the predictor's end, or until the budget's `stop` is raised. */
void fw_team_run(struct fw_team *team, const struct fw_predictor *predictor,
                 struct fw_predictions *predictions);

/*
 * What there is so far, sorted; returns how many.  The list is the caller's to free, the
 * predictions in it are borrowed.  Either pointer may be NULL.
 */
size_t fw_predictions_get(struct fw_predictions *predictions, struct fw_prediction ***list,
                          struct fw_predict_counts *counts);

/* The earliest rejection, borrowed, or NULL; once finished. */
const struct fw_rejection *fw_predictions_rejection(const struct fw_predictions *predictions);

#endif
