/*
 * match.h - which accesses of a lane are open against a span.
 *
 * Against one span, a lane falls into three parts, in its order: points that
 * come too early in every reordering, then the open ones, then those that come
 * too late.  Where the parts begin is found by searching outwards from the
 * span's own place in the trace, because what is ordered against an event is
 * ordered the same way in the trace.
 *
 * Two uses: fw_walk_next gives every open pair of some spans and a set of
 * lanes, one by one; fw_match gives a few promising pairs of two lanes of any
 * length.  The latter looks at all spans of a short lane; of a long one at the
 * first, the last, some in equal steps and those nearest to a point of the
 * other lane.  If none of them has an open point, all are looked at.  A budget
 * shared by the lanes of a variable keeps the whole linear: once it is spent
 * only a few spans of each lane are looked at.
 */
#ifndef FW_PREDICT_MATCH_H
#define FW_PREDICT_MATCH_H

#include "predict/lanes.h"

/* The order of a point against a span, monotone along the points.  Only `first` of items need be
 * in order: `last` may say something else that the rules know about. */
typedef bool fw_match_rule(const void *context, struct fw_span point, struct fw_span span);

struct fw_match_rules {
    const void *context;
    fw_match_rule *early, *late;
    fw_match_rule *all_early, *all_late; /* the same or weaker, and monotone along the spans too */
};

struct fw_opening {
    uint32_t from, to; /* the open points of the lane: from <= i < to */
    uint32_t near;     /* the first point behind the span's first event; from <= near <= to */
};

/* `lane` holds `count` points, ascending. */
struct fw_opening fw_opening_find(const struct fw_match_rules *rules, const struct fw_span *lane,
                                uint32_t count, struct fw_span span);

struct fw_match_budget {
    uint64_t looks; /* spans that may still be looked at */
    uint64_t steps; /* items that may still be gone through for the nearest ones */
    uint64_t lanes; /* pairs of lanes that may still be matched */
};

/* Work after which a predictor returns to its caller, who may want to stop: some ten
 * milliseconds. */
#define FW_MATCH_SLICE 16384u

/* For a variable with so many accesses: enough to look at everything if they are few. */
static inline struct fw_match_budget fw_match_budget(uint32_t accesses)
{
    return (struct fw_match_budget) { (uint64_t)accesses / 4 + 1024,
                                      (uint64_t)accesses * 16 + 65536, 1u << 18 };
}

struct fw_match {
    const struct fw_match_rules *rules;
    const struct fw_span *spans, *points; /* ascending */
    uint32_t span_count, point_count;
    uint32_t all_below; /* with at most so many open pairs, all of them are handed out */
    struct fw_match_budget *budget;
    uint32_t *work; /* counts up: about one for each look */
    void (*pick)(void *context, struct fw_span span, uint32_t point);
    void *context;
};

/* Hands out pairs, each once; how many open ones there are (an estimate for long lanes). */
uint64_t fw_match(const struct fw_match *match);

/*
 * Every open pair of the spans and the lanes that fit.  Set up all but the last group of fields,
 * which starts at zero.
 */
struct fw_walk {
    const struct fw_match_rules *rules;
    const struct fw_span *spans;
    uint32_t span_count;
    const struct fw_lanes *lanes;
    bool (*fits)(const void *context, struct fw_span span, const struct fw_lane *lane);
    const void *context; /* of fits */
    bool later;          /* only points behind the span's first event */

    uint32_t span, lane; /* the next to look at, or where the window is */
    uint32_t at, to;     /* what is left of the window, in `lanes->items` */
    uint64_t refuted;    /* pairs of lanes that fit which are not open */
    uint32_t work;       /* windows looked at; the walk pauses at FW_MATCH_SLICE of them */
    struct fw_span present;
};

/* Fills in the next pair; false: no more, or (work is FW_MATCH_SLICE) a pause: set work to 0 and
 * call again. */
bool fw_walk_next(struct fw_walk *walk, struct fw_span *span, uint32_t *point);

#endif
