/*
 * profile_meet.c - see profile_meet.h.
 *
 * That an instance of one couple goes with one of
 * another is two conditions on versions, each of which gets easier in one direction.  Instances are
 * sorted by the first version, then the second; and if one begins later than another, then it does
 * not end earlier than that could: what lies in the window of an access lies in those of later ones
 * before it, too.  So one search finds the one that decides.
 *
 * Most couples are never asked for their instances; those in two versions, which may be many, are
 * found from the occurrences of their entries when they are.
 */
#include "iroot/profile_meet.h"

#include "base/alloc.h"

#include <stdlib.h>

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
void fw_meet_alike(struct meetings *all, struct paired *p, struct paired *q, bool one_object)
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
void fw_meet_opposite(struct meetings *all, struct paired *p, struct paired *q)
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

void fw_meet_between(struct meetings *all, struct paired *p, uint32_t b)
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
