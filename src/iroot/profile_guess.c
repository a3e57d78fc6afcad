/*
 * profile_guess.c - at the end of a run: which entries may follow which, and the idioms.
 *
 * Entries are sorted by object, couples by both of theirs.  That an instance of one couple goes
 * with one of another is two conditions on versions, each of which gets easier in one direction.
 * Instances are sorted by the first version, then the second; and if one begins later than another,
 * then it does not end earlier than that could: what lies in the window of an access lies in those
 * of later ones before it, too.  So one search finds the one that decides.
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"

#include <stdlib.h>

/* An entry or a couple, and what it is sorted by. */
struct sorted {
    uint64_t object, second_object;
    uint32_t entry;
    struct couple *couple;
};

struct guess {
    const struct fw_profiler *profiler;
    struct fw_iroot_set *set, *outside;
    FW_VEC(struct sorted) entries;
    FW_VEC(struct sorted) couples;
};

static const struct entry *entry_at(const struct guess *g, uint32_t id)
{
    return &g->profiler->entries.at[id];
}

/* --- may follow ------------------------------------------------------------------------------- */

/* For each common lock, not shared by both: the last of its section, the first of its section? */
static bool sections_allow(const struct guess *g, const struct entry *a, const struct entry *b,
                           bool none)
{
    const struct marks *left = &g->profiler->lock_sets.at[a->kind.locks];
    const struct marks *right = &g->profiler->lock_sets.at[b->kind.locks];

    for (size_t i = 0, j = 0; i < left->len && j < right->len;) {
        uint64_t x = left->at[i] >> HELD_LOCK_BITS, y = right->at[j] >> HELD_LOCK_BITS;

        if (x != y) {
            i += x < y;
            j += x > y;
            continue;
        }
        if (!(left->at[i] & right->at[j] & HELD_SHARED) &&
            (none || !(left->at[i] & HELD_LAST) || !(right->at[j] & HELD_FIRST)))
            return false;
        i++;
        j++;
    }
    return true;
}

static bool conflict(const struct entry *a, const struct entry *b)
{
    return (a->kind.flags | b->kind.flags) & ENTRY_WRITES;
}

/* All that does not hang on clocks; both are of one object. */
static bool may_follow(const struct guess *g, const struct entry *a, const struct entry *b)
{
    if (a->kind.thread == b->kind.thread || !conflict(a, b))
        return false;
    if ((a->kind.flags | b->kind.flags) & (ENTRY_LOCKS | ENTRY_UNLOCKS) &&
        !(a->kind.flags & ENTRY_UNLOCKS && b->kind.flags & ENTRY_LOCKS))
        return false;
    return sections_allow(g, a, b, false);
}

static bool allows(const struct guess *g, uint32_t a, uint32_t va, uint32_t b, uint32_t vb)
{
    return fw_profiler_allows(g->profiler, a, va, b, vb);
}

/* The same, and clocks allow it in some instance. */
static bool follows(const struct guess *g, uint32_t a, uint32_t b)
{
    const struct entry *left = entry_at(g, a), *right = entry_at(g, b);

    return may_follow(g, left, right) &&
           allows(g, left->kind.thread, left->first, right->kind.thread, right->last);
}

/* --- what is found ---------------------------------------------------------------------------- */

struct candidate {
    struct fw_iroot iroot;
    bool outside;
};

static struct candidate make(const struct guess *g, unsigned idiom, bool waits,
                             const uint32_t *entries)
{
    struct candidate made = { .iroot = { .idiom = (uint8_t)idiom, .waits = waits } };

    for (unsigned i = 0; i < fw_idiom_accesses(idiom); i++) {
        made.iroot.access[i] = entry_at(g, entries[i])->kind.access;
        made.outside |= entry_at(g, entries[i])->kind.flags & ENTRY_OUTSIDE;
    }
    return made;
}

/* Would it be something new? */
static bool is_news(const struct guess *g, const struct candidate *candidate)
{
    return !fw_iroot_set_has(g->set, &candidate->iroot) ||
           (g->outside && candidate->outside && !fw_iroot_set_has(g->outside, &candidate->iroot));
}

static void add(const struct guess *g, const struct candidate *candidate)
{
    fw_iroot_set_add(g->set, &candidate->iroot);
    if (g->outside && candidate->outside)
        fw_iroot_set_add(g->outside, &candidate->iroot);
}

/* --- which instances go together -------------------------------------------------------------- */

static int compare_instances(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

/* Two couples, and whose they are. */
struct meeting {
    const struct guess *g;
    const struct couple *p, *q;
    uint32_t s, t;
};

/* The first instance of q whose first access may follow at version v of s, or their number. */
static size_t first_allowed(const struct meeting *m, uint32_t v)
{
    size_t low = 0, high = m->q->at.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (allows(m->g, m->s, v, m->t, m->q->at.at[middle].first))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* How many instances of q have a first access that version v of s may follow. */
static size_t count_before(const struct meeting *m, uint32_t v)
{
    size_t low = 0, high = m->q->at.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (allows(m->g, m->t, m->q->at.at[middle].first, m->s, v))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* s: A D, t: B C.  A is before B, C before D: idioms 3 and 4. */
static bool goes_around(const struct meeting *m, const struct instance *i)
{
    size_t j = first_allowed(m, i->first);

    return i->flags & PAIR_CLEAN && j < m->q->at.len &&
           allows(m->g, m->t, m->q->at.at[j].second, m->s, i->second);
}

/* s: A D, t: C B.  A is before B, C before D: idiom 5. */
static bool crosses(const struct meeting *m, const struct instance *i)
{
    size_t count = count_before(m, i->second);

    return count && allows(m->g, m->s, i->first, m->t, m->q->at.at[count - 1].second);
}

/* s: A C, t: B D.  A is before B, C before D: idiom 6. */
static bool goes_along(const struct meeting *m, const struct instance *i)
{
    size_t j = first_allowed(m, i->first);

    return j < m->q->at.len && allows(m->g, m->s, i->second, m->t, fw_vec_last(&m->q->at).second);
}

/* s: A D, t: C B.  D and B may wait at the same time. */
static bool gets_stuck(const struct meeting *m, const struct instance *i)
{
    for (size_t j = 0; i->flags & PAIR_HELD && j < m->q->at.len; j++)
        if (m->q->at.at[j].flags & PAIR_HELD &&
            allows(m->g, m->s, i->second, m->t, m->q->at.at[j].second) &&
            allows(m->g, m->t, m->q->at.at[j].second, m->s, i->second))
            return true;
    return false;
}

static bool any(const struct meeting *m,
                bool (*test)(const struct meeting *m, const struct instance *i))
{
    for (size_t i = 0; i < m->p->at.len; i++)
        if (test(m, &m->p->at.at[i]))
            return true;
    return false;
}

/* --- idioms ----------------------------------------------------------------------------------- */

static struct meeting meet(const struct guess *g, const struct couple *p, const struct couple *q)
{
    struct meeting m = { .g = g, .p = p, .q = q };

    m.s = entry_at(g, m.p->first)->kind.thread;
    m.t = entry_at(g, m.q->first)->kind.thread;
    return m;
}

static void try_idiom(const struct meeting *m, unsigned idiom, const uint32_t *entries,
                      bool (*test)(const struct meeting *m, const struct instance *i))
{
    struct candidate candidate;

    if (!follows(m->g, entries[0], entries[1]) || !follows(m->g, entries[2], entries[3]))
        return;
    candidate = make(m->g, idiom, false, entries);
    if (is_news(m->g, &candidate) && any(m, test))
        add(m->g, &candidate);
}

/* Both couples are of the same objects in the same order. */
static void try_alike(const struct guess *g, const struct couple *p, const struct couple *q,
                      bool one_object)
{
    struct meeting m = meet(g, p, q);

    if (m.s == m.t)
        return;
    if (m.p->flags & PAIR_CLEAN)
        try_idiom(&m, one_object ? 3 : 4,
                  (uint32_t[]) { m.p->first, m.q->first, m.q->second, m.p->second }, goes_around);
    if (!one_object)
        try_idiom(&m, 6, (uint32_t[]) { m.p->first, m.q->first, m.p->second, m.q->second },
                  goes_along);
}

static bool may_deadlock(const struct meeting *m)
{
    const struct entry *a = entry_at(m->g, m->p->first), *d = entry_at(m->g, m->p->second);
    const struct entry *c = entry_at(m->g, m->q->first), *b = entry_at(m->g, m->q->second);
    unsigned first = a->kind.flags & c->kind.flags, second = b->kind.flags & d->kind.flags;

    return m->p->flags & m->q->flags & PAIR_HELD && first & second & ENTRY_LOCKS &&
           second & ENTRY_BLOCKS && conflict(a, b) && conflict(c, d) &&
           sections_allow(m->g, b, d, true);
}

/* Both couples are of the same objects, in opposite orders. */
static void try_opposite(const struct guess *g, const struct couple *p, const struct couple *q)
{
    struct meeting m = meet(g, p, q);
    uint32_t entries[] = { m.p->first, m.q->second, m.q->first, m.p->second };
    struct candidate stuck;

    if (m.s == m.t)
        return;
    try_idiom(&m, 5, entries, crosses);
    if (!may_deadlock(&m))
        return;
    stuck = make(g, 5, true, entries);
    if (is_news(g, &stuck) && any(&m, gets_stuck))
        add(g, &stuck);
}

/* The versions of an entry: the first, those between, the last. */
static size_t version_count(const struct entry *entry)
{
    return 1 + (entry->last != entry->first) + entry->between.len;
}

static uint32_t version_at(const struct entry *entry, size_t i)
{
    return !i ? entry->first : i <= entry->between.len ? entry->between.at[i - 1] : entry->last;
}

/* b between both of the couple: idiom 2. */
static bool comes_between(const struct guess *g, const struct couple *p, const struct entry *b)
{
    uint32_t s = entry_at(g, p->first)->kind.thread, t = b->kind.thread;

    for (size_t i = 0; i < p->at.len; i++) {
        size_t low = 0, high = version_count(b);

        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (allows(g, s, p->at.at[i].first, t, version_at(b, middle)))
                high = middle;
            else
                low = middle + 1;
        }
        if (p->at.at[i].flags & PAIR_CLEAN && low < version_count(b) &&
            allows(g, t, version_at(b, low), s, p->at.at[i].second))
            return true;
    }
    return false;
}

static void try_between(const struct guess *g, const struct couple *p, uint32_t b)
{
    struct candidate candidate = make(g, 2, false, (uint32_t[]) { p->first, b, p->second });

    if (p->flags & PAIR_CLEAN && follows(g, p->first, b) && follows(g, b, p->second) &&
        is_news(g, &candidate) && comes_between(g, p, entry_at(g, b)))
        add(g, &candidate);
}

/* --- by objects ------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int compare_objects(const struct sorted *at, uint64_t first, uint64_t second)
{
    int order = compare_numbers(at->object, first);

    return order ? order : compare_numbers(at->second_object, second);
}

/* Equal objects stay in the order in which they were met: entries of couples are numbered so. */
static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    int order = compare_objects(x, y->object, y->second_object);

    if (!order)
        order = compare_numbers(x->entry, y->entry);
    return order || !x->couple ? order : compare_numbers(x->couple->second, y->couple->second);
}

/* Where those of these objects begin, or would. */
static size_t find_group(const struct sorted *at, size_t count, uint64_t first, uint64_t second)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_objects(&at[middle], first, second) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t group_end(const struct sorted *at, size_t count, size_t begin)
{
    size_t end = begin;

    while (end < count && !compare_objects(&at[end], at[begin].object, at[begin].second_object))
        end++;
    return end;
}

static void guess_between(const struct guess *g, size_t begin, size_t end)
{
    uint64_t object = g->couples.at[begin].object;
    size_t i = find_group(g->entries.at, g->entries.len, object, 0);

    for (; i < g->entries.len && g->entries.at[i].object == object; i++)
        for (size_t p = begin; p < end; p++)
            try_between(g, g->couples.at[p].couple, g->entries.at[i].entry);
}

static void guess_opposite(const struct guess *g, size_t begin, size_t end)
{
    uint64_t first = g->couples.at[begin].object, second = g->couples.at[begin].second_object;
    size_t other = find_group(g->couples.at, g->couples.len, second, first), stop = other;

    if (other < g->couples.len && !compare_objects(&g->couples.at[other], second, first))
        stop = group_end(g->couples.at, g->couples.len, other);
    for (size_t p = begin; p < end; p++)
        for (size_t q = other; q < stop; q++)
            try_opposite(g, g->couples.at[p].couple, g->couples.at[q].couple);
}

static void guess_group(const struct guess *g, size_t begin, size_t end)
{
    bool one = g->couples.at[begin].object == g->couples.at[begin].second_object;

    for (size_t p = begin; p < end; p++)
        for (size_t q = begin; q < end; q++)
            try_alike(g, g->couples.at[p].couple, g->couples.at[q].couple, one);
    if (one)
        guess_between(g, begin, end);
    if (g->couples.at[begin].object < g->couples.at[begin].second_object)
        guess_opposite(g, begin, end);
}

static void guess_pairs(const struct guess *g, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        for (size_t j = begin; j < end; j++) {
            uint32_t pair[] = { g->entries.at[i].entry, g->entries.at[j].entry };
            struct candidate candidate;

            if (!follows(g, pair[0], pair[1]))
                continue;
            candidate = make(g, 1, false, pair);
            add(g, &candidate);
        }
    }
}

static void sort_entries(struct guess *g)
{
    for (uint32_t i = 0; i < g->profiler->entries.len; i++)
        fw_vec_push(&g->entries,
                    ((struct sorted) { .object = entry_at(g, i)->object, .entry = i }));
    if (g->entries.len)
        qsort(g->entries.at, g->entries.len, sizeof *g->entries.at, compare_sorted);
}

static void add_couple(struct guess *g, struct couple *couple)
{
    qsort(couple->at.at, couple->at.len, sizeof *couple->at.at, compare_instances);
    fw_vec_push(&g->couples,
                ((struct sorted) { .object = entry_at(g, couple->first)->object,
                                   .second_object = entry_at(g, couple->second)->object,
                                   .entry = couple->first,
                                   .couple = couple }));
}

static void sort_couples(struct guess *g)
{
    for (size_t i = 0; i < g->profiler->matches.len; i++) {
        const struct match *match = &g->profiler->matches.at[i];

        for (size_t j = 0; j < match->couples.len; j++)
            add_couple(g, &match->couples.at[j]);
    }
    if (g->couples.len)
        qsort(g->couples.at, g->couples.len, sizeof *g->couples.at, compare_sorted);
}

void fw_profiler_guess(struct fw_profiler *profiler, struct fw_iroot_set *set,
                       struct fw_iroot_set *outside)
{
    struct guess g = { .profiler = profiler, .set = set, .outside = outside };

    sort_entries(&g);
    sort_couples(&g);
    for (size_t begin = 0, end; begin < g.entries.len; begin = end) {
        end = group_end(g.entries.at, g.entries.len, begin);
        guess_pairs(&g, begin, end);
    }
    for (size_t begin = 0, end; begin < g.couples.len; begin = end) {
        end = group_end(g.couples.at, g.couples.len, begin);
        guess_group(&g, begin, end);
    }
    fw_vec_release(&g.entries);
    fw_vec_release(&g.couples);
}
