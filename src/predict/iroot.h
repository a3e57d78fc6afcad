/*
 * iroot.h - which iRoots that a trace does not expose could have been exposed.
 *
 * The sound predictor of iRoots (iroot/iroot.h).  From the accesses of a trace it puts together
 * what could be an instance of an idiom, sorts that by iRoot, leaves out what the trace exposes
 * itself, and asks the solver about the instances of each, nearest first, until one is feasible:
 *
 *     feasible     one instance has a witness, which the verifier has accepted
 *     infeasible   all instances were asked about, and none has
 *     undecided    neither: a budget was spent, or there are more instances than were asked about
 *
 * Both definite answers are exact, for this trace: infeasible says that no correct reordering of
 * it exposes the iRoot, not that no run does.  What is not in the list has no instance that a
 * simple filter does not refute, unless the list is cut.
 *
 *     struct fw_iroot_forecast *forecast = fw_iroot_forecast_create(&setup);
 *     for (i = 0; i < forecast->count; i++)
 *         use(forecast->at[i].iroot, forecast->at[i].answer, forecast->at[i].witness);
 *     fw_iroot_forecast_destroy(forecast);
 *
 * The result is the same for any number of jobs, unless `stop` is raised: then the list ends where
 * the work did, and `finished` is false.
 */
#ifndef FW_PREDICT_IROOT_H
#define FW_PREDICT_IROOT_H

#include "iroot/iroot.h"
#include "predict/predict.h"

#define FW_IROOT_CAP   16u     /* instances of an iRoot that are asked about, by default */
#define FW_IROOT_ROOTS 131072u /* iRoots that are looked at; beyond that the answer is cut */

/* Where the predictor takes its words from, and whom it tells. */
struct fw_iroot_source {
    struct fw_strtab *accesses; /* static accesses; those of the trace are added.  NULL: its own */
    const struct fw_iroot_set *known; /* not asked about.  NULL: what the trace exposes */
    /* Called for each iRoot, by one thread at a time, in any order; proved: an instance, borrowed,
     * or NULL.  NULL: nobody wants to know. */
    void (*answered)(void *context, const struct fw_iroot *iroot, enum fw_answer answer,
                     const struct fw_prediction *proved);
    /* Of idiom 1: is anybody interested whether the event b can come right behind a?  known: the
     * trace has it so, so that there is nothing to be asked.  NULL: always. */
    bool (*wanted)(void *context, const struct fw_trace *trace, uint32_t a, uint32_t b,
                   bool known);
    void *context;
};

/* All that is pointed at is borrowed, and outlives the forecast. */
struct fw_iroot_setup {
    const struct fw_index *index;
    struct fw_strtab *accesses;       /* as above */
    const struct fw_iroot_set *known; /* as above */
    uint32_t idioms;                  /* bit i: idiom i; 0: all */
    uint32_t window;                  /* 0: FW_IROOT_WINDOW */
    uint32_t cap;                     /* 0: FW_IROOT_CAP */
    struct fw_budget budget;          /* of each question; `stop` ends all of it */
    uint32_t jobs;                    /* at least 1 */
};

struct fw_iroot_prediction {
    struct fw_iroot iroot; /* normal (fw_iroot_normal) */
    enum fw_answer answer;
    /* If it is feasible: the instance, as positions, and its witness. */
    uint32_t events[FW_IROOT_MOST];
    struct fw_schedule witness;
};

struct fw_iroot_forecast {
    struct fw_iroot_prediction *at; /* sorted by iRoot */
    size_t count;
    bool finished;
    bool cut; /* there may be iRoots that are not in the list */
    struct fw_predict_counts counts;
    char rejected[384]; /* a mistake of ours: why the verifier did not accept a witness; or empty */
};

struct fw_iroot_forecast *fw_iroot_forecast_create(const struct fw_iroot_setup *setup);
/* What it says of the iRoot, in whichever form; NULL: it is not in the list. */
const struct fw_iroot_prediction *fw_iroot_forecast_find(const struct fw_iroot_forecast *forecast,
                                                         const struct fw_iroot *iroot);
void fw_iroot_forecast_destroy(struct fw_iroot_forecast *forecast);

/* The idiom that the label of a finding names; *waits: as a deadlock.  0: it is no such label. */
unsigned fw_iroot_label_idiom(const char *label, bool *waits);

#endif
