/*
 * profile_meet.c - at the end of a run: idioms of two dependencies.
 *
 * Couples are sorted by both of their objects.  That an instance of one couple goes with one of
 * another is two conditions on versions, each of which gets easier in one direction.  Instances are
 * sorted by the first version, then the second; and if one begins later than another, then it does
 * not end earlier than that could: what lies in the window of an access lies in those of later ones
 * before it, too.  So one search finds the one that decides.
 *
 * Most couples are never asked for their instances; those in two versions, which may be many, are
 * found from the occurrences of their entries when they are.
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"

#include <stdlib.h>

FW_VEC_TYPE(occurrences, struct occurrence);

/* When an entry occurred: the first and the last one in each of its versions, ascending. */
struct timeline {
    uint32_t entry;
    struct occurrences firsts, lasts;
};

/* A couple, and what it is sorted by. */
struct paired {
    uint64_t object, second_object;
    uint32_t thread;
    uint32_t run; /* of the first one with its first entry: how many there are */
    const struct kind *kind; /* of the first entry */
    struct couple *couple;
    bool known; /* its instances */
    struct instances at;
};

struct meetings {
    const struct guess *g;
    FW_VEC(struct paired) couples;
    FW_VEC(struct timeline) timelines;
    struct fw_idmap by_entry;
};

static bool allows(const struct meetings *all, uint32_t a, uint32_t va, uint32_t b, uint32_t vb)
{
    return fw_profiler_allows(all->g->profiler, a, va, b, vb);
}

/* --- occurrences ------------------------------------------------------------------------------ */

struct sought {
    const struct meetings *all;
    uint32_t entry;
};

static bool is_timeline(const void *key, uint32_t id)
{
    const struct sought *sought = key;

    return sought->all->timelines.at[id].entry == sought->entry;
}

static void turn_around(struct occurrences *list)
{
    for (size_t i = 0, j = list->len; i + 1 < j; i++) {
        struct occurrence moved = list->at[--j];

        list->at[j] = list->at[i];
        list->at[i] = moved;
    }
}

/* From the latest one back. */
static struct timeline make_timeline(const struct guess *g, uint32_t entry)
{
    const struct profiled *thread = &g->profiler->threads.at[fw_guess_kind(g, entry)->thread];
    struct timeline made = { .entry = entry };
    uint32_t next = fw_guess_entry(g, entry)->occurrence;

    while (next) {
        const struct occurrence *at = &thread->occurrences.at[next - 1];
        const struct occurrence *first = at;

        if (at->earlier && thread->occurrences.at[at->earlier - 1].version == at->version)
            first = &thread->occurrences.at[at->earlier - 1];
        fw_vec_push(&made.lasts, *at);
        fw_vec_push(&made.firsts, *first);
        next = first->earlier;
    }
    turn_around(&made.firsts);
    turn_around(&made.lasts);
    return made;
}

static size_t timeline_of(struct meetings *all, uint32_t entry)
{
    struct sought sought = { all, entry };
    uint32_t hash = (uint32_t)fw_profiler_mix(0, entry);
    uint32_t id = fw_idmap_find(&all->by_entry, hash, is_timeline, &sought);

    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)all->timelines.len;
    fw_vec_push(&all->timelines, make_timeline(all->g, entry));
    fw_idmap_add(&all->by_entry, hash, id);
    return id;
}

/* --- instances -------------------------------------------------------------------------------- */

static bool holds(const struct guess *g, uint32_t entry, uint64_t lock)
{
    const struct marks *marks =
        &g->profiler->lock_sets.at[fw_guess_kind(g, entry)->locks];

    for (size_t i = 0; i < marks->len; i++)
        if (marks->at[i] >> HELD_LOCK_BITS == lock)
            return true;
    return false;
}

/* Does the second hold the lock that the first takes, if nothing happens to it in between? */
static bool may_hold(const struct guess *g, const struct couple *couple)
{
    return fw_guess_kind(g, couple->first)->flags & ENTRY_LOCKS &&
           holds(g, couple->second, fw_guess_entry(g, couple->first)->object >> 1);
}

/* Those of one version come before those that begin with it. */
static void add_same(struct paired *p, size_t *next, uint32_t version)
{
    const struct couple *couple = p->couple;

    for (; *next < couple->same.len && couple->same.at[*next].version <= version; ++*next) {
        const struct at_once *same = &couple->same.at[*next];

        fw_vec_push(&p->at, ((struct instance) { same->version, same->version, same->flags }));
    }
    if (*next != couple->same.len || !couple->now || couple->version > version)
        return;
    fw_vec_push(&p->at, ((struct instance) { couple->version, couple->version, couple->now }));
    ++*next;
}

static void add_apart(struct paired *p, const struct occurrence *a, const struct occurrence *b,
                      bool held)
{
    bool clean = a->next >= b->at && b->before <= a->at;

    fw_vec_push(&p->at,
                ((struct instance) { a->version, b->version,
                                     (clean ? PAIR_CLEAN : 0u) | (held ? PAIR_HELD : 0u) }));
}

/*
 * Of those that begin with the same access the first and the last decide, unless the lock is held:
 * all the tests get easier in one direction.  None but the first is clean, since it is of the
 * object of those behind it.
 */
static void find_apart(struct meetings *all, struct paired *p, size_t *next)
{
    size_t first = timeline_of(all, p->couple->first), second = timeline_of(all, p->couple->second);
    const struct occurrences *lasts = &all->timelines.at[first].lasts;
    const struct occurrences *firsts = &all->timelines.at[second].firsts;
    bool may = may_hold(all->g, p->couple);
    size_t from = 0, to = 0;

    for (size_t i = 0; i < lasts->len; i++) {
        const struct occurrence *a = &lasts->at[i];

        add_same(p, next, a->version);
        while (from < firsts->len && firsts->at[from].version <= a->version)
            from++;
        to = to < from ? from : to;
        while (to < firsts->len && firsts->at[to].at - a->at <= all->g->profiler->window)
            to++;
        for (size_t j = from; j < to; j++) {
            bool held = may && firsts->at[j].at < a->next;

            if (held || j == from || j + 1 == to)
                add_apart(p, a, &firsts->at[j], held);
            else
                j = to - 2;
        }
    }
}

static const struct instances *instances_of(struct meetings *all, struct paired *p)
{
    size_t next = 0;

    if (p->known)
        return &p->at;
    p->known = true;
    if (p->couple->apart)
        find_apart(all, p, &next);
    add_same(p, &next, UINT32_MAX);
    return &p->at;
}

/* --- which instances go together -------------------------------------------------------------- */

/* Two couples, and whose they are. */
struct meeting {
    struct meetings *all;
    struct paired *p, *q;
    uint32_t s, t;
    const struct instances *of_q;
};

/* The first instance of q whose first access may follow at version v of s, or their number. */
static size_t first_allowed(const struct meeting *m, uint32_t v)
{
    size_t low = 0, high = m->of_q->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (allows(m->all, m->s, v, m->t, m->of_q->at[middle].first))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many instances of q have a first access that version v of s may follow. */
static size_t count_before(const struct meeting *m, uint32_t v)
{
    size_t low = 0, high = m->of_q->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (allows(m->all, m->t, m->of_q->at[middle].first, m->s, v))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* s: A D, t: B C.  A is before B, C before D: idioms 3 and 4. */
static bool goes_around(const struct meeting *m, const struct instance *i)
{
    size_t j;

    if (!(i->flags & PAIR_CLEAN))
        return false;
    j = first_allowed(m, i->first);
    return j < m->of_q->len && allows(m->all, m->t, m->of_q->at[j].second, m->s, i->second);
}

/* s: A D, t: C B.  A is before B, C before D: idiom 5. */
static bool crosses(const struct meeting *m, const struct instance *i)
{
    size_t count = count_before(m, i->second);

    return count && allows(m->all, m->s, i->first, m->t, m->of_q->at[count - 1].second);
}

/* s: A C, t: B D.  A is before B, C before D: idiom 6. */
static bool goes_along(const struct meeting *m, const struct instance *i)
{
    size_t j = first_allowed(m, i->first);

    return j < m->of_q->len && allows(m->all, m->s, i->second, m->t, fw_vec_last(m->of_q).second);
}

/* s: A D, t: C B.  D and B may wait at the same time. */
static bool gets_stuck(const struct meeting *m, const struct instance *i)
{
    for (size_t j = 0; i->flags & PAIR_HELD && j < m->of_q->len; j++)
        if (m->of_q->at[j].flags & PAIR_HELD &&
            allows(m->all, m->s, i->second, m->t, m->of_q->at[j].second) &&
            allows(m->all, m->t, m->of_q->at[j].second, m->s, i->second))
            return true;
    return false;
}

static bool any(struct meeting *m,
                bool (*test)(const struct meeting *m, const struct instance *i))
{
    const struct instances *of_p = instances_of(m->all, m->p);

    m->of_q = instances_of(m->all, m->q);
    for (size_t i = 0; i < of_p->len; i++)
        if (test(m, &of_p->at[i]))
            return true;
    return false;
}

/* --- idioms ----------------------------------------------------------------------------------- */

static void try_idiom(struct meeting *m, unsigned idiom, const uint32_t *entries,
                      bool (*test)(const struct meeting *m, const struct instance *i))
{
    const struct guess *g = m->all->g;
    struct fw_candidate candidate;

    if (!fw_guess_follows(g, entries[0], entries[1]) ||
        !fw_guess_follows(g, entries[2], entries[3]))
        return;
    candidate = fw_guess_make(g, idiom, false, entries);
    if (fw_guess_is_news(g, &candidate) && any(m, test))
        fw_guess_add(g, &candidate);
}

static struct meeting meet(struct meetings *all, struct paired *p, struct paired *q)
{
    return (struct meeting) { .all = all,
                              .p = p,
                              .q = q,
                              .s = p->thread,
                              .t = q->thread };
}

/* Both couples are of the same objects in the same order. */
static void try_alike(struct meetings *all, struct paired *p, struct paired *q, bool one_object)
{
    struct meeting m = meet(all, p, q);
    uint32_t a = p->couple->first, d = p->couple->second;
    uint32_t b = q->couple->first, c = q->couple->second;

    if (p->couple->flags & PAIR_CLEAN)
        try_idiom(&m, one_object ? 3 : 4, (uint32_t[]) { a, b, c, d }, goes_around);
    if (!one_object)
        try_idiom(&m, 6, (uint32_t[]) { a, b, d, c }, goes_along);
}

static bool may_deadlock(const struct meeting *m)
{
    const struct guess *g = m->all->g;
    const struct couple *p = m->p->couple, *q = m->q->couple;
    const struct kind *a = fw_guess_kind(g, p->first), *d = fw_guess_kind(g, p->second);
    const struct kind *c = fw_guess_kind(g, q->first), *b = fw_guess_kind(g, q->second);
    unsigned first = a->flags & c->flags, second = b->flags & d->flags;

    return p->flags & q->flags & PAIR_HELD && first & second & ENTRY_LOCKS &&
           second & ENTRY_BLOCKS && fw_guess_conflict(a, b) && fw_guess_conflict(c, d) &&
           fw_guess_sections(g, b, d, true);
}

/* Both couples are of the same objects, in opposite orders. */
static void try_opposite(struct meetings *all, struct paired *p, struct paired *q)
{
    struct meeting m = meet(all, p, q);
    uint32_t entries[] = { p->couple->first, q->couple->second, q->couple->first,
                           p->couple->second };
    struct fw_candidate stuck;

    try_idiom(&m, 5, entries, crosses);
    if (!may_deadlock(&m))
        return;
    stuck = fw_guess_make(all->g, 5, true, entries);
    if (fw_guess_is_news(all->g, &stuck) && any(&m, gets_stuck))
        fw_guess_add(all->g, &stuck);
}

/* b between both of the couple: idiom 2.  Its versions are those of its occurrences. */
static bool comes_between(struct meetings *all, struct paired *p, uint32_t b)
{
    const struct instances *of_p = instances_of(all, p);
    size_t timeline = timeline_of(all, b); /* may move the others */
    const struct occurrences *times = &all->timelines.at[timeline].firsts;
    uint32_t s = p->thread, t = fw_guess_kind(all->g, b)->thread;

    for (size_t i = 0; i < of_p->len; i++) {
        size_t low = 0, high = times->len;

        if (!(of_p->at[i].flags & PAIR_CLEAN))
            continue;
        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (allows(all, s, of_p->at[i].first, t, times->at[middle].version))
                high = middle;
            else
                low = middle + 1;
        }
        if (low < times->len &&
            allows(all, t, times->at[low].version, s, of_p->at[i].second))
            return true;
    }
    return false;
}

static void try_between(struct meetings *all, struct paired *p, uint32_t b)
{
    const struct guess *g = all->g;
    uint32_t entries[] = { p->couple->first, b, p->couple->second };
    struct fw_candidate candidate;

    if (!(p->couple->flags & PAIR_CLEAN) || !fw_guess_follows(g, entries[0], b) ||
        !fw_guess_follows(g, b, entries[2]))
        return;
    candidate = fw_guess_make(g, 2, false, entries);
    if (fw_guess_is_news(g, &candidate) && comes_between(all, p, b))
        fw_guess_add(g, &candidate);
}

/* --- by objects ------------------------------------------------------------------------------- */

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

static void guess_between(struct meetings *all, size_t begin, size_t end)
{
    struct paired *at = all->couples.at;
    uint64_t object = at[begin].object;

    for (size_t i = all->g->begins[object]; i < all->g->begins[object + 1]; i++) {
        uint32_t b = all->g->ids[i];
        const struct kind *kind = fw_guess_kind(all->g, b);

        for (size_t p = begin; p < end; p += at[p].run) {
            if (!fw_guess_may_follow(at[p].kind, kind) ||
                !fw_guess_follows(all->g, at[p].couple->first, b))
                continue;
            for (size_t j = p; j < p + at[p].run; j++)
                try_between(all, &at[j], b);
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
    if (stop > other && !at[other].run)
        count_runs(all, other, stop);
    for (size_t p = begin; p < end; p++)
        for (size_t q = other; q < stop; q += at[q].run) {
            if (!may_be_opposite(all, &at[p], &at[q]))
                continue;
            for (size_t i = q; i < q + at[q].run; i++)
                try_opposite(all, &at[p], &at[i]);
        }
}

/* A may be before B in all of two runs or in none. */
static void guess_alike(struct meetings *all, size_t begin, size_t end, bool one)
{
    struct paired *at = all->couples.at;

    for (size_t p = begin; p < end; p += at[p].run)
        for (size_t q = begin; q < end; q += at[q].run) {
            if (!fw_guess_may_follow(at[p].kind, at[q].kind) ||
                !fw_guess_follows(all->g, at[p].couple->first, at[q].couple->first))
                continue;
            for (size_t i = p; i < p + at[p].run; i++)
                for (size_t j = q; j < q + at[q].run; j++)
                    try_alike(all, &at[i], &at[j], one);
        }
}

static void guess_group(struct meetings *all, size_t begin, size_t end)
{
    bool one = all->couples.at[begin].object == all->couples.at[begin].second_object;

    if (!all->couples.at[begin].run)
        count_runs(all, begin, end);
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

void fw_guess_meetings(const struct guess *g)
{
    struct meetings all = { .g = g };

    sort_couples(&all);
    for (size_t begin = 0, end; begin < all.couples.len; begin = end) {
        end = group_end(&all, begin);
        guess_group(&all, begin, end);
    }
    for (size_t i = 0; i < all.couples.len; i++)
        fw_vec_release(&all.couples.at[i].at);
    for (size_t i = 0; i < all.timelines.len; i++) {
        fw_vec_release(&all.timelines.at[i].firsts);
        fw_vec_release(&all.timelines.at[i].lasts);
    }
    fw_vec_release(&all.couples);
    fw_vec_release(&all.timelines);
    fw_idmap_release(&all.by_entry);
}
