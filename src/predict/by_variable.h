/*
 * by_variable.h - variables one after the other, each in lanes that are matched a few at a time.
 *
 * What a predictor does whose candidates are all of one variable: it takes the next variable, sorts
 * its accesses into lanes, matches one lane after the other, and returns to its caller whenever a
 * slice of work is done (match.h) or a bin of candidates is full (gather.h).  The predictor says
 * how; which variable and lane is next, and what work may still be done, is kept here.
 *
 * Ownership: the predictor's, who fills in the first group of fields; the rest starts at zero.
 */
#ifndef FW_PREDICT_BY_VARIABLE_H
#define FW_PREDICT_BY_VARIABLE_H

#include "predict/gather.h"
#include "predict/match.h"
#include "trace/index.h"

struct fw_by_variable {
    const struct fw_rows *rows; /* accesses by variable */
    /* Sorts the accesses of a variable into lanes; false: it can have no candidate. */
    bool (*sort)(void *context, const uint32_t *row, uint32_t count);
    /* Matches a lane of the present variable; false: there is no such lane. */
    bool (*match)(void *context, uint32_t lane);
    void *context;

    struct fw_gather *gather;
    uint32_t cap;  /* candidates of a unit */
    uint32_t next; /* variable */
    uint32_t work; /* since the last return */
    struct fw_match_budget budget; /* for the present variable */
    bool open;                     /* there is a present variable ... */
    uint32_t lane;                 /* ... of which lanes from this one on are to be matched */
};

static inline uint32_t fw_by_variable_present(const struct fw_by_variable *by)
{
    return by->next - 1;
}

static inline bool fw_by_variable_has_more(const struct fw_by_variable *by)
{
    return by->next < by->rows->rows;
}

/* Makes the gatherer, which is to be destroyed by its user; cap 0: the usual one. */
void fw_by_variable_gather(struct fw_by_variable *by, const struct fw_trace *trace, uint32_t cap);

/* Goes on to the next one, which there must be; what `sort` says of it. */
bool fw_by_variable_take(struct fw_by_variable *by);
/* Time to return, with whatever there is?  If so, a new slice begins. */
bool fw_by_variable_is_tired(struct fw_by_variable *by);
/* Fills in candidates, or none if a slice is over; false: all variables were matched, and what is
 * left is to be had from the gatherer. */
bool fw_by_variable_next(struct fw_by_variable *by, struct fw_unit *unit);
/* From `match`: the bin of candidates with these sites, key->width of them, of the present variable
 * (gather.h); none if enough lanes were matched. */
uint32_t fw_by_variable_bin(struct fw_by_variable *by, const struct fw_gather_key *key,
                            const uint32_t *sites, bool any_order);
/* Two lanes against each other, into this bin (FW_GATHER_NONE: they are counted only).  The pair
 * says what its lanes are and what is done with what is picked.  `known` counts those picked that
 * are no candidates; NULL: all are. */
void fw_by_variable_pair(struct fw_by_variable *by, uint32_t bin, struct fw_match *pair,
                         const uint64_t *known);

#endif
