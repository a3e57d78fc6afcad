/* match.c - see match.h. */
#include "predict/match.h"

#define SAMPLES 64u /* spans of a lane that are looked at: half in equal steps, half nearest */
#define FEW     4u  /* the same once the budget is spent */

static uint32_t first_behind(const struct fw_span *lane, uint32_t count, uint32_t event)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (lane[middle].first < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first point that is not early, at or before `near`: doubling steps back, then halving. */
static uint32_t find_from(const struct fw_match_rules *rules, const struct fw_span *lane,
                          uint32_t near, struct fw_span span)
{
    uint32_t high = near, low, step = 1; /* high is not early, or near itself */

    for (;;) {
        if (high == 0)
            return 0;
        low = high > step ? high - step : 0;
        if (rules->early(rules->context, lane[low], span))
            break;
        high = low;
        step *= 2;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (rules->early(rules->context, lane[middle], span))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The first point from `near` on that is late. */
static uint32_t find_to(const struct fw_match_rules *rules, const struct fw_span *lane,
                        uint32_t count, uint32_t near, struct fw_span span)
{
    uint32_t low = near, high, step = 1; /* everything before low is not late */

    for (;;) {
        if (low == count)
            return count;
        high = count - low > step ? low + step - 1 : count - 1;
        if (rules->late(rules->context, lane[high], span))
            break;
        low = high + 1;
        step *= 2;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (rules->late(rules->context, lane[middle], span))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct fw_opening fw_opening_find(const struct fw_match_rules *rules, const struct fw_span *lane,
                                uint32_t count, struct fw_span span)
{
    struct fw_opening window = { .near = first_behind(lane, count, span.first) };

    window.from = find_from(rules, lane, window.near, span);
    window.to = find_to(rules, lane, count, window.near, span);
    return window;
}

struct sample {
    uint32_t span;
    struct fw_opening window;
};

struct samples {
    struct sample at[SAMPLES + 2];
    uint32_t len;
    uint64_t open; /* pairs */
};

static void look(const struct fw_match *match, struct samples *samples, uint32_t span)
{
    struct fw_opening window =
        fw_opening_find(match->rules, match->points, match->point_count, match->spans[span]);

    match->budget->looks -= match->budget->looks > 0;
    ++*match->work;
    if (window.from == window.to)
        return;
    samples->open += window.to - window.from;
    if (samples->len < SAMPLES + 2)
        samples->at[samples->len++] = (struct sample) { span, window };
}

/* Of the spans from <= i < to, the one that comes nearest to a point; *point goes along. */
static uint32_t nearest(const struct fw_match *match, uint32_t from, uint32_t to, uint32_t *point)
{
    uint32_t best = from, best_distance = UINT32_MAX, p = *point;

    if (match->budget->steps == 0)
        return from + (to - from) / 2;
    for (uint32_t i = from; i < to; i++) {
        uint32_t event = match->spans[i].first, distance = UINT32_MAX;

        while (p < match->point_count && match->points[p].first < event)
            p++;
        if (p > 0)
            distance = event - match->points[p - 1].first;
        if (p < match->point_count && match->points[p].first - event < distance)
            distance = match->points[p].first - event;
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    *point = p;
    return best;
}

/* In each of some stretches of the lane: the first span and the nearest one; and the last.
 * Returns how many were looked at. */
static uint32_t look_at_some(const struct fw_match *match, struct samples *samples,
                             uint32_t stretches)
{
    uint32_t looked = 1, point = 0;

    for (uint32_t i = 0; i < stretches; i++) {
        uint32_t from = (uint32_t)((uint64_t)match->span_count * i / stretches);
        uint32_t to = (uint32_t)((uint64_t)match->span_count * (i + 1) / stretches);
        uint32_t best = nearest(match, from, to, &point);

        look(match, samples, from);
        if (best != from)
            look(match, samples, best);
        looked += 1 + (best != from);
        if (to == match->span_count && (best == to - 1 || from == to - 1))
            return looked - 1;
    }
    look(match, samples, match->span_count - 1);
    return looked;
}

/* Going through both lanes is worth it as long as the budget allows. */
static void charge_steps(const struct fw_match *match)
{
    uint64_t steps = (uint64_t)match->span_count + match->point_count;

    if (match->budget->steps > 0)
        *match->work += (uint32_t)(steps / 64);
    match->budget->steps = match->budget->steps > steps ? match->budget->steps - steps : 0;
}

/* The number of open pairs, estimated if not all spans are looked at. */
static uint64_t look_around(const struct fw_match *match, struct samples *samples)
{
    uint32_t count = match->span_count, some = match->budget->looks ? SAMPLES : FEW;

    if (count > some) {
        uint32_t looked;

        charge_steps(match);
        looked = look_at_some(match, samples, some / 2);
        if (samples->open || match->budget->looks < count)
            return (uint64_t)((double)samples->open / looked * count);
    }
    for (uint32_t i = 0; i < count; i++)
        look(match, samples, i);
    return samples->open;
}

static void pick_all(const struct fw_match *match, const struct sample *sample)
{
    for (uint32_t p = sample->window.from; p < sample->window.to; p++)
        match->pick(match->context, match->spans[sample->span], match->points[p].first);
}

/* The open points on both sides of the span, and those at both ends. */
static void pick_some(const struct fw_match *match, const struct sample *sample)
{
    struct fw_opening w = sample->window;
    uint32_t wanted[4] = { w.near ? w.near - 1 : w.near, w.near, w.from, w.to - 1 };

    for (uint32_t i = 0; i < 4; i++) {
        bool fresh = wanted[i] >= w.from && wanted[i] < w.to;

        for (uint32_t k = 0; k < i; k++)
            fresh = fresh && wanted[k] != wanted[i];
        if (fresh)
            match->pick(match->context, match->spans[sample->span], match->points[wanted[i]].first);
    }
}

uint64_t fw_match(const struct fw_match *match)
{
    const struct fw_match_rules *rules = match->rules;
    struct samples samples = { .len = 0 };
    uint64_t open;

    ++*match->work;
    if (rules->all_early(rules->context, match->points[match->point_count - 1], match->spans[0]) ||
        rules->all_late(rules->context, match->points[0], match->spans[match->span_count - 1]))
        return 0;
    open = look_around(match, &samples);
    for (uint32_t i = 0; i < samples.len; i++)
        if (open <= match->all_below)
            pick_all(match, &samples.at[i]);
        else
            pick_some(match, &samples.at[i]);
    return open;
}

/* Looks at one lane against the present span. */
static void open_window(struct fw_walk *walk, const struct fw_lane *lane)
{
    const struct fw_span *points = fw_lane_items(walk->lanes, lane);
    struct fw_opening window = fw_opening_find(walk->rules, points, lane->count, walk->present);
    uint32_t from = walk->later ? window.near : window.from;

    walk->refuted += lane->count - (walk->later ? window.near : 0) - (window.to - from);
    walk->at = lane->start + from;
    walk->to = lane->start + window.to;
}

bool fw_walk_next(struct fw_walk *walk, struct fw_span *span, uint32_t *point)
{
    while (walk->at == walk->to) {
        const struct fw_lane *lane;

        if (walk->span == walk->span_count || walk->work >= FW_MATCH_SLICE)
            return false;
        if (walk->lane == walk->lanes->len) {
            walk->lane = 0;
            walk->span++;
            continue;
        }
        walk->present = walk->spans[walk->span];
        lane = &walk->lanes->at[walk->lane++];
        walk->work++;
        if (walk->fits(walk->context, walk->present, lane))
            open_window(walk, lane);
    }
    *span = walk->present;
    *point = walk->lanes->items[walk->at++].first;
    return true;
}
