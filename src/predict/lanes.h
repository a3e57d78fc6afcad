/*
 * lanes.h - what happens to one variable, sorted into lanes.
 *
 * A lane holds the accesses of one thread that are alike (site, kind, locks),
 * in program order.  Filters that look only at what is alike are asked once
 * for a lane, and along a lane the must-order is monotone, so that what is
 * ordered against an event is found by a search (match.h).  An item is a span:
 * one access, or two consecutive ones of a thread (atomicity).
 *
 *     fw_lanes_clear(&lanes);
 *     fw_lanes_add(&lanes, &key, span);       for all accesses, in the order of the trace
 *     fw_lanes_finish(&lanes);
 *     lanes.at[i], fw_lane_items(&lanes, &lanes.at[i])
 *
 * The same object is used for one variable after the other; it keeps memory
 * for the largest.  Lanes are numbered by their first item.
 */
#ifndef FW_PREDICT_LANES_H
#define FW_PREDICT_LANES_H

#include "base/vec.h"
#include "trace/index.h"

struct fw_span {
    uint32_t first, last; /* the same for a single access */
};

struct fw_lane_key {
    uint32_t thread;
    uint32_t locks;    /* id of a lock set of the index, held all along the span */
    uint32_t sites[2]; /* of first and last */
    uint32_t kinds;    /* kind of first, kind of last times 256 */
};

struct fw_lane {
    struct fw_lane_key key;
    uint32_t start, count; /* in `items` */
};

struct fw_lanes {
    struct fw_lane *at;
    uint32_t len, cap;
    struct fw_span *items; /* by lane, after fw_lanes_finish */

    struct lanes_staged {
        struct fw_span span;
        uint32_t lane;
    } * staged;
    size_t staged_len, staged_cap, items_cap;
    uint32_t *slots; /* open addressing over lanes: number + 1; at most half full */
    uint32_t slot_count;
};

/* All zero is empty. */
void fw_lanes_release(struct fw_lanes *lanes);
void fw_lanes_clear(struct fw_lanes *lanes);
void fw_lanes_add(struct fw_lanes *lanes, const struct fw_lane_key *key, struct fw_span span);
void fw_lanes_finish(struct fw_lanes *lanes);

static inline const struct fw_span *fw_lane_items(const struct fw_lanes *lanes,
                                                  const struct fw_lane *lane)
{
    return lanes->items + lane->start;
}

/* Locks that a thread holds: ids times 2, plus 1 if shared, ascending. */
struct fw_lock_list {
    const uint32_t *at;
    uint32_t len;
};

static inline struct fw_lock_list fw_lock_list(const struct fw_index *index, uint32_t set)
{
    return (struct fw_lock_list) { fw_row(&index->lock_sets, set),
                                   fw_row_count(&index->lock_sets, set) };
}

/* May two threads hold these at once?  Not if a lock is in both, once exclusively. */
bool fw_lock_lists_compatible(struct fw_lock_list a, struct fw_lock_list b);

static inline bool fw_lock_sets_compatible(const struct fw_index *index, uint32_t a, uint32_t b)
{
    return a == 0 || b == 0 ||
           fw_lock_lists_compatible(fw_lock_list(index, a), fw_lock_list(index, b));
}

#endif
