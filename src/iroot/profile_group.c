/*
 * profile_group.c - at the end of a run: which couples are held against which.
 *
 * Couples are sorted by both of their objects; those of the same objects are a group.  Within it,
 * runs have the same first entry, so that one look decides about many of them.  What all groups may
 * cost is bounded (profile.h): locks within locks make groups of thousands, and looking at them is
 * quadratic.  The bound is a count, not a time, so that equal recordings give equal guesses.
 */
#include "iroot/profile_meet.h"

#include <stdlib.h>

#define CLOSER 4u /* looks that it costs to ask for instances */
#define LAVISH 2  /* times its share a group may use, since what it needs is not known exactly */

static int compare_numbers(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int compare_objects(const struct paired *at, uint64_t first, uint64_t second)
{
    int order = compare_numbers(at->object, first);

    return order ? order : compare_numbers(at->second_object, second);
}

/* Equal objects stay in the order in which they were met: entries of couples are numbered so. */
static int compare_paired(const void *a, const void *b)
{
    const struct paired *x = a, *y = b;
    int order = compare_objects(x, y->object, y->second_object);

    if (!order)
        order = compare_numbers(x->couple->first, y->couple->first);
    return order ? order : compare_numbers(x->couple->second, y->couple->second);
}

/* Where those of these objects begin, or would. */
static size_t find_group(const struct meetings *all, uint64_t first, uint64_t second)
{
    size_t low = 0, high = all->couples.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_objects(&all->couples.at[middle], first, second) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t group_end(const struct meetings *all, size_t begin)
{
    const struct paired *at = all->couples.at;
    size_t end = begin;

    while (end < all->couples.len &&
           !compare_objects(&at[end], at[begin].object, at[begin].second_object))
        end++;
    return end;
}

/* Counts those of the group that have the same first entry. */
static void count_runs(struct meetings *all, size_t begin, size_t end)
{
    struct paired *at = all->couples.at;
    size_t first = begin;

    for (size_t i = begin; i < end; i++) {
        if (at[i].couple->first != at[first].couple->first)
            first = i;
        at[first].run++;
    }
}

/* --- of the same objects ---------------------------------------------------------------------- */

/* False: there are no more looks left for these objects. */
static bool may_look(struct meetings *all, unsigned cost)
{
    if (all->looks < cost) {
        all->cut = true;
        all->looks = 0;
        return false;
    }
    all->looks -= cost;
    return true;
}

static void guess_between(struct meetings *all, size_t begin, size_t end)
{
    struct paired *at = all->couples.at;
    uint64_t object = at[begin].object;

    for (size_t i = all->g->begins[object]; i < all->g->begins[object + 1]; i++) {
        uint32_t b = all->g->ids[i];
        const struct kind *kind = fw_guess_kind(all->g, b);

        for (size_t p = begin; p < end; p += at[p].run) {
            if (!may_look(all, 1))
                return;
            if (!fw_guess_may_follow(at[p].kind, kind) ||
                !fw_guess_follows(all->g, at[p].couple->first, b))
                continue;
            for (size_t j = p; j < p + at[p].run && may_look(all, CLOSER); j++)
                fw_meet_between(all, &at[j], b);
        }
    }
}

/* Is there anything to be said of p and the couples of q's run?  C may be before D in all of them
 * or in none. */
static bool may_be_opposite(const struct meetings *all, const struct paired *p,
                            const struct paired *q)
{
    return p->thread != q->thread &&
           (p->couple->flags & PAIR_HELD ||
            fw_guess_follows(all->g, q->couple->first, p->couple->second));
}

static void guess_opposite(struct meetings *all, size_t begin, size_t end)
{
    struct paired *at = all->couples.at;
    size_t other = find_group(all, at[begin].second_object, at[begin].object), stop = other;

    if (other < all->couples.len &&
        !compare_objects(&at[other], at[begin].second_object, at[begin].object))
        stop = group_end(all, other);
    for (size_t p = begin; p < end; p++)
        for (size_t q = other; q < stop; q += at[q].run) {
            if (!may_look(all, 1))
                return;
            if (!may_be_opposite(all, &at[p], &at[q]))
                continue;
            for (size_t i = q; i < q + at[q].run && may_look(all, CLOSER); i++)
                fw_meet_opposite(all, &at[p], &at[i]);
        }
}

/* A may be before B in all of two runs or in none. */
static void guess_alike(struct meetings *all, size_t begin, size_t end, bool one)
{
    struct paired *at = all->couples.at;

    for (size_t p = begin; p < end; p += at[p].run)
        for (size_t q = begin; q < end; q += at[q].run) {
            if (!may_look(all, 1))
                return;
            if (!fw_guess_may_follow(at[p].kind, at[q].kind) ||
                !fw_guess_follows(all->g, at[p].couple->first, at[q].couple->first))
                continue;
            for (size_t i = p; i < p + at[p].run; i++)
                for (size_t j = q; j < q + at[q].run && may_look(all, CLOSER); j++)
                    fw_meet_alike(all, &at[i], &at[j], one);
        }
}

static void guess_group(struct meetings *all, size_t begin, size_t end)
{
    bool one = all->couples.at[begin].object == all->couples.at[begin].second_object;

    guess_alike(all, begin, end, one);
    if (one)
        guess_between(all, begin, end);
    if (all->couples.at[begin].object < all->couples.at[begin].second_object)
        guess_opposite(all, begin, end);
}

static void sort_couples(struct meetings *all)
{
    const struct fw_profiler *profiler = all->g->profiler;

    for (size_t i = 0; i < profiler->matches.len; i++) {
        const struct match *match = &profiler->matches.at[i];

        for (size_t j = 0; j < match->kept; j++) {
            struct couple *couple = &match->couples.at[match->ranks.at[j].place];

            fw_vec_push(&all->couples,
                        ((struct paired) {
                            .object = fw_guess_entry(all->g, couple->first)->object,
                            .second_object = fw_guess_entry(all->g, couple->second)->object,
                            .thread = fw_guess_kind(all->g, couple->first)->thread,
                            .kind = fw_guess_kind(all->g, couple->first),
                            .couple = couple }));
        }
    }
    if (all->couples.len)
        qsort(all->couples.at, all->couples.len, sizeof *all->couples.at, compare_paired);
}

/* What looking at all of the group is about, against that of other groups. */
static double weight_of(const struct meetings *all, size_t begin, size_t end)
{
    double runs = 0;

    for (size_t p = begin; p < end; p += all->couples.at[p].run)
        runs++;
    return runs * (runs + (double)(end - begin));
}

static uint64_t looks_of(const struct meetings *all)
{
    uint64_t wanted = all->g->profiler->options.looks;

    return wanted ? wanted
                  : FW_PROFILE_LOOKS + (uint64_t)FW_PROFILE_EACH * all->couples.len;
}

/* Looks go to the groups by their weight; what one does not use is there for the next ones. */
static void guess_groups(struct meetings *all)
{
    uint64_t left = looks_of(all);
    double weights = 0;

    for (size_t begin = 0, end; begin < all->couples.len; begin = end) {
        end = group_end(all, begin);
        count_runs(all, begin, end);
        weights += weight_of(all, begin, end);
    }
    for (size_t begin = 0, end; begin < all->couples.len; begin = end) {
        double weight;
        uint64_t share;

        end = group_end(all, begin);
        weight = weight_of(all, begin, end);
        share = weight * LAVISH < weights ? (uint64_t)((double)left * (weight * LAVISH / weights))
                                          : left;
        all->looks = share;
        if (fw_profiler_stopped(all->g->profiler)) {
            all->cut = true;
            return;
        }
        guess_group(all, begin, end);
        left -= share - all->looks;
        weights -= weight;
    }
}

bool fw_guess_meetings(const struct guess *g)
{
    struct meetings all = { .g = g };

    sort_couples(&all);
    guess_groups(&all);
    for (size_t i = 0; i < all.couples.len; i++)
        fw_vec_release(&all.couples.at[i].at);
    for (size_t i = 0; i < all.timelines.len; i++) {
        fw_vec_release(&all.timelines.at[i].firsts);
        fw_vec_release(&all.timelines.at[i].lasts);
    }
    fw_vec_release(&all.couples);
    fw_vec_release(&all.timelines);
    fw_idmap_release(&all.by_entry);
    return !all.cut;
}
