/*
 * profile_guess.c - at the end of a run: which entries may follow which, and idiom 1.
 *
 * Entries are sorted by object, and those of one thread, access and flags stand together.  What two
 * such groups say is one iRoot, so they are looked at as long as that is not known.  Where all
 * accesses of an object hold a lock, what is not the last of its section cannot be an A, and what
 * is not the first no B: these are left out beforehand.
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"

#include <stdlib.h>

/* --- may follow ------------------------------------------------------------------------------- */

bool fw_guess_sections(const struct guess *g, const struct kind *a, const struct kind *b, bool none)
{
    const struct marks *left = &g->profiler->lock_sets.at[a->locks];
    const struct marks *right = &g->profiler->lock_sets.at[b->locks];

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

/* All that hangs on neither clocks nor locks that are held. */
static bool may_follow(const struct kind *a, const struct kind *b)
{
    return a->thread != b->thread && fw_guess_conflict(a, b) &&
           (!((a->flags | b->flags) & (ENTRY_LOCKS | ENTRY_UNLOCKS)) ||
            (a->flags & ENTRY_UNLOCKS && b->flags & ENTRY_LOCKS));
}

bool fw_guess_follows(const struct guess *g, uint32_t a, uint32_t b)
{
    const struct kind *left = fw_guess_kind(g, a), *right = fw_guess_kind(g, b);

    return may_follow(left, right) && fw_guess_sections(g, left, right, false) &&
           fw_profiler_allows(g->profiler, left->thread, fw_guess_entry(g, a)->first,
                              right->thread, fw_guess_entry(g, b)->last);
}

/* --- what is found ---------------------------------------------------------------------------- */

struct fw_candidate fw_guess_make(const struct guess *g, unsigned idiom, bool waits,
                                  const uint32_t *entries)
{
    struct fw_candidate made = { .iroot = { .idiom = (uint8_t)idiom, .waits = waits } };

    for (unsigned i = 0; i < fw_idiom_accesses(idiom); i++) {
        made.iroot.access[i] = fw_guess_kind(g, entries[i])->access;
        made.outside |= fw_guess_kind(g, entries[i])->flags & ENTRY_OUTSIDE;
    }
    return made;
}

bool fw_guess_is_news(const struct guess *g, const struct fw_candidate *candidate)
{
    return !fw_iroot_set_has(g->set, &candidate->iroot) ||
           (g->outside && candidate->outside && !fw_iroot_set_has(g->outside, &candidate->iroot));
}

void fw_guess_add(const struct guess *g, const struct fw_candidate *candidate)
{
    fw_iroot_set_add(g->set, &candidate->iroot);
    if (g->outside && candidate->outside)
        fw_iroot_set_add(g->outside, &candidate->iroot);
}

/* --- idiom 1 ---------------------------------------------------------------------------------- */

FW_VEC_TYPE(ids, uint32_t);

/* The entries of one object. */
struct sides {
    struct ids firsts, seconds; /* that can be an A, a B */
    FW_VEC(uint32_t) common;    /* locks that all of them hold, none in shared mode */
};

/* The mark of the lock in the set, or 0: it is not there. */
static uint64_t mark_of(const struct marks *marks, uint32_t lock)
{
    for (size_t i = 0; i < marks->len; i++)
        if (marks->at[i] >> HELD_LOCK_BITS == lock)
            return marks->at[i] | 1u << HELD_LOCK_BITS;
    return 0;
}

static const struct marks *marks_of(const struct guess *g, uint32_t id)
{
    return &g->profiler->lock_sets.at[fw_guess_kind(g, id)->locks];
}

static void find_common(const struct guess *g, size_t begin, size_t end, struct sides *sides)
{
    const struct marks *marks = marks_of(g, g->ids[begin]);

    fw_vec_clear(&sides->common);
    for (size_t i = 0; i < marks->len; i++)
        if (!(marks->at[i] & HELD_SHARED))
            fw_vec_push(&sides->common, (uint32_t)(marks->at[i] >> HELD_LOCK_BITS));
    for (size_t i = begin + 1; i < end && sides->common.len; i++) {
        size_t kept = 0;

        marks = marks_of(g, g->ids[i]);
        for (size_t j = 0; j < sides->common.len; j++) {
            uint64_t mark = mark_of(marks, sides->common.at[j]);

            if (mark && !(mark & HELD_SHARED))
                sides->common.at[kept++] = sides->common.at[j];
        }
        sides->common.len = kept;
    }
}

static void find_sides(const struct guess *g, size_t begin, size_t end, struct sides *sides)
{
    find_common(g, begin, end, sides);
    fw_vec_clear(&sides->firsts);
    fw_vec_clear(&sides->seconds);
    for (size_t i = begin; i < end; i++) {
        uint64_t marks = HELD_FIRST | HELD_LAST;

        for (size_t j = 0; j < sides->common.len; j++)
            marks &= mark_of(marks_of(g, g->ids[i]), sides->common.at[j]);
        if (marks & HELD_LAST)
            fw_vec_push(&sides->firsts, g->ids[i]);
        if (marks & HELD_FIRST)
            fw_vec_push(&sides->seconds, g->ids[i]);
    }
}

/* Where the entries of the same bare kind end. */
static size_t run_end(const struct guess *g, const struct ids *ids, size_t begin)
{
    uint32_t bare = fw_guess_kind(g, ids->at[begin])->bare;
    size_t end = begin + 1;

    while (end < ids->len && fw_guess_kind(g, ids->at[end])->bare == bare)
        end++;
    return end;
}

/* All of each run are alike but for their locks and versions. */
static void guess_runs(const struct guess *g, const uint32_t *a, const uint32_t *a_end,
                       const uint32_t *b, const uint32_t *b_end)
{
    struct fw_candidate candidate;

    if (!may_follow(fw_guess_kind(g, *a), fw_guess_kind(g, *b)))
        return;
    candidate = fw_guess_make(g, 1, false, (uint32_t[]) { *a, *b });
    if (!fw_guess_is_news(g, &candidate))
        return;
    for (; a < a_end; a++)
        for (const uint32_t *i = b; i < b_end; i++)
            if (fw_guess_follows(g, *a, *i)) {
                fw_guess_add(g, &candidate);
                return;
            }
}

static void guess_object(const struct guess *g, size_t begin, size_t end, struct sides *sides)
{
    const struct ids *firsts = &sides->firsts, *seconds = &sides->seconds;

    find_sides(g, begin, end, sides);
    for (size_t i = 0, i_end; i < firsts->len; i = i_end) {
        i_end = run_end(g, firsts, i);
        for (size_t j = 0, j_end; j < seconds->len; j = j_end) {
            j_end = run_end(g, seconds, j);
            guess_runs(g, firsts->at + i, firsts->at + i_end, seconds->at + j,
                       seconds->at + j_end);
        }
    }
}

/* --- by objects ------------------------------------------------------------------------------- */

/* Counting: by bare kind first, then by object; equal ones stay in their order. */
static void sort_entries(struct guess *g)
{
    const struct fw_profiler *profiler = g->profiler;
    size_t count = profiler->entries.len, kinds = profiler->kinds.len;
    uint32_t *by_kind = fw_xcalloc(kinds + 1, sizeof *by_kind);
    uint32_t *ids = fw_xcalloc(count + 1, sizeof *ids);

    for (size_t i = 0; i < count; i++) {
        by_kind[fw_guess_kind(g, (uint32_t)i)->bare + 1]++;
        if (profiler->entries.at[i].object >= g->objects)
            g->objects = profiler->entries.at[i].object + 1;
    }
    for (size_t i = 1; i <= kinds; i++)
        by_kind[i] += by_kind[i - 1];
    for (size_t i = 0; i < count; i++)
        ids[by_kind[fw_guess_kind(g, (uint32_t)i)->bare]++] = (uint32_t)i;
    g->begins = fw_xcalloc(g->objects + 2, sizeof *g->begins);
    g->ids = fw_xcalloc(count + 1, sizeof *g->ids);
    for (size_t i = 0; i < count; i++)
        g->begins[profiler->entries.at[i].object + 2]++;
    for (size_t i = 1; i <= g->objects; i++)
        g->begins[i + 1] += g->begins[i];
    for (size_t i = 0; i < count; i++)
        g->ids[g->begins[profiler->entries.at[ids[i]].object + 1]++] = ids[i];
    free(by_kind);
    free(ids);
}

void fw_profiler_guess(struct fw_profiler *profiler, struct fw_iroot_set *set,
                       struct fw_iroot_set *outside)
{
    struct guess g = { .profiler = profiler, .set = set, .outside = outside };
    struct sides sides = { 0 };

    sort_entries(&g);
    for (uint64_t i = 0; i < g.objects; i++)
        if (g.begins[i + 1] > g.begins[i] + 1)
            guess_object(&g, g.begins[i], g.begins[i + 1], &sides);
    fw_guess_meetings(&g);
    fw_vec_release(&sides.firsts);
    fw_vec_release(&sides.seconds);
    fw_vec_release(&sides.common);
    free(g.begins);
    free(g.ids);
}
