/*
 * suspect.h - what a predictor wants to have checked.
 *
 * A predictor (race, deadlock, atomicity, nondet) goes through the trace with
 * cheap filters and hands out suspects in units.  A unit is what would become
 * one finding (a pair of sites; with --pairs=all just a few suspects), so that
 * units can be checked in any order and on any thread: the driver
 * (predict.h) asks the solver about the suspects of a unit in their order.
 *
 * By default a unit's suspects on a variable that has been proved are skipped,
 * and at most `cap` event pairs of a unit are handed out; `left` counts the
 * others (pairs that a cheap filter would still refute may be among them).  A
 * unit may hold no suspect, only counts or nothing at all: predictors return
 * often, so that the caller can stop.  Which units come, and what is in them,
 * depends on the trace and the options alone.
 */
#ifndef FW_PREDICT_SUSPECT_H
#define FW_PREDICT_SUSPECT_H

#include "base/vec.h"
#include "predict/solver.h"

struct fw_suspect {
    uint32_t first, count; /* its events: a slice of the unit's */
    uint32_t variable;     /* FW_NO_EVENT: none */
    enum fw_claim claim;   /* the question; nearly always the predictor's */
    const char *label;     /* static; a kind within the kind ("use after free") or NULL */
    uint64_t left;         /* others of this unit and variable that were not handed out; they do
                              not matter once the variable is proved.  On one suspect of each
                              variable. */
};

struct fw_unit {
    FW_VEC(uint32_t) events;
    FW_VEC(struct fw_suspect) suspects;
    uint64_t left;    /* suspects not handed out, on variables that have none here at all */
    uint64_t refuted; /* suspects that a filter refuted: answered without asking */
    bool cut;         /* the search for suspects was bounded, and ended here: there may be more */
    uint32_t number;  /* the predictor's own */
};

struct fw_iroot_source;
struct fw_prediction;

struct fw_predict_options {
    bool pairs_all;       /* every pair, no merging, no cap */
    uint32_t cap;         /* suspects of a unit by default; 0: FW_PREDICT_CAP */
    uint32_t window;      /* atomicity without blocks: own events between the two; iroot: own
                             accesses from one to the other; 0: 100 */
    uint32_t idioms;      /* iroot: bit i: idiom i; 0: all */
    const struct fw_iroot_source *iroots; /* iroot: see iroot.h; NULL: all from the trace */
    bool two_variables;   /* atomicity: also patterns over two variables of one scope */
    bool third_thread;    /* atomicity: also w-w-r whose read is a third thread's */
    bool final_reads;     /* nondet: also the implicit read of every variable at the end */
    bool values;
    const uint32_t *order; /* order: the events in question (positions), borrowed */
    uint32_t order_count;
};

#define FW_PREDICT_CAP 64u

struct fw_predictor {
    const char *name;
    enum fw_claim claim;
    void *(*create)(const struct fw_core *core, const struct fw_predict_options *options);
    /* Empties *unit and fills in the next one; false: there are no more.  One thread at a time. */
    bool (*next)(void *state, struct fw_unit *unit);
    /* The unit has been checked: one of its suspects was proved (it is borrowed), none can be, or
     * neither.  NULL: it does not want to know.  One thread at a time, and not while in `next`. */
    void (*answered)(void *state, const struct fw_unit *unit, enum fw_answer answer,
                     const struct fw_prediction *proved);
    void (*destroy)(void *state);
};

extern const struct fw_predictor fw_predictor_race;
extern const struct fw_predictor fw_predictor_deadlock;
extern const struct fw_predictor fw_predictor_atomicity;
extern const struct fw_predictor fw_predictor_nondet;
extern const struct fw_predictor fw_predictor_iroot;
extern const struct fw_predictor fw_predictor_order; /* just the one question of the options */

#endif
