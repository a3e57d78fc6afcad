/*
 * gather.h - the units of default mode.
 *
 * In default mode a predictor goes through the variables one by one and
 * collects candidates under a key, which is what makes findings equal (sites,
 * or the variable where a site is missing).  Each key becomes a unit.  A unit
 * keeps at most `cap` candidates: first one for each variable, then the second
 * ones, and so on; within a round those that span the fewest events of the
 * trace, which are the cheapest to prove.  The others are counted.
 *
 *     bin = fw_gather_bin(gather, &key);
 *     fw_gather_add(gather, bin, events);          for each candidate
 *     fw_gather_count(gather, bin, all, open);     how many there are
 *     fw_gather_close(gather, variable);           done with the variable
 *     while (fw_gather_next(gather, unit, false))  units that are complete: full, or nothing
 *         ...                                      but this variable can belong to them
 *     ...
 *     while (fw_gather_next(gather, unit, true))   at the end: all others, in the order of
 *         ...                                      their first candidate
 *
 * What is kept depends on what was added alone, not on its order within a
 * variable.  Memory: a unit takes room for at most twice its cap, and there are
 * at most FW_GATHER_BINS of them at a time.
 */
#ifndef FW_PREDICT_GATHER_H
#define FW_PREDICT_GATHER_H

#include "predict/suspect.h"

struct fw_gather;

struct fw_gather *fw_gather_create(const struct fw_trace *trace, uint32_t cap);
void fw_gather_destroy(struct fw_gather *gather);

/* What candidates of a unit share. */
struct fw_gather_key {
    enum fw_claim claim;
    const char *label;     /* static, or NULL */
    const uint32_t *parts; /* sites and so on: equal keys have equal parts */
    uint32_t part_count;
    uint32_t width;   /* events of a candidate */
    bool of_variable; /* one of the parts is the variable */
};

#define FW_GATHER_NONE UINT32_MAX
#define FW_GATHER_BINS 65536u /* units that are open at once */

/* FW_GATHER_NONE: it would be one unit too many; what belongs to it must be skipped. */
uint32_t fw_gather_bin(struct fw_gather *gather, const struct fw_gather_key *key);

/* The same with the sites of these events as parts; the variable too if one has no site.
 * any_order: the first two sites are an unordered pair. */
uint32_t fw_gather_bin_of_sites(struct fw_gather *gather, const struct fw_gather_key *key,
                                const uint32_t *sites, uint32_t count, bool any_order,
                                uint32_t variable);

/* Has the unit as many variables as it may have candidates?  Then more would be for nothing. */
bool fw_gather_full(const struct fw_gather *gather, uint32_t bin);

void fw_gather_add(struct fw_gather *gather, uint32_t bin, const uint32_t *events);

/* There are `all` pairs, of which `open` passed the filters, the added ones included. */
void fw_gather_count(struct fw_gather *gather, uint32_t bin, uint64_t all, uint64_t open);

/* So many candidates were not even looked at. */
void fw_gather_skip(struct fw_gather *gather, uint64_t count);

void fw_gather_close(struct fw_gather *gather, uint32_t variable);

/* Fills in the next unit and forgets it; false: no more.  After `rest` nothing may be added. */
bool fw_gather_next(struct fw_gather *gather, struct fw_unit *unit, bool rest);

/* A suspect with these events at the end of the unit. */
void fw_unit_add(struct fw_unit *unit, const struct fw_suspect *suspect, const uint32_t *events);
void fw_unit_clear(struct fw_unit *unit);

/* Counters stop at their largest value. */
static inline uint64_t fw_saturating_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
