/*
 * profile_guess.c - at the end of a run: which entries may follow which, and idiom 1.
 *
 * Entries are sorted by object, and those of one thread, access and flags stand together.  What two
 * such runs say is one iRoot, so they are looked at as long as that is not known.  Where all
 * accesses of an object that hold locks hold the same one, only those without locks may follow what
 * is not the last of its section, and precede what is not the first: most pairs need no more.
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

bool fw_guess_follows(const struct guess *g, uint32_t a, uint32_t b)
{
    const struct kind *left = fw_guess_kind(g, a), *right = fw_guess_kind(g, b);

    return fw_guess_may_follow(left, right) && fw_guess_sections(g, left, right, false) &&
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

/* Of an entry; of a run those of all its entries. */
enum {
    SIDE_GUARDED = 1,      /* it holds locks: those that are common to all such of its object */
    SIDE_NEVER_FIRST = 2,  /* ... and is not the last of a section: no A for a guarded B */
    SIDE_NEVER_SECOND = 4, /* ... not the first: no B for a guarded A */
};

/* Entries of one bare kind. */
struct run {
    size_t begin, end;
    uint32_t bare;
    uint8_t sides;
};

/* The entries of one object. */
struct object {
    const uint32_t *ids;
    size_t count;
    FW_VEC(struct run) runs;
    FW_VEC(uint8_t) sides;   /* of each entry */
    FW_VEC(uint32_t) common; /* locks that all guarded ones hold, none in shared mode */
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

static void begin_common(const struct marks *marks, struct object *object)
{
    for (size_t i = 0; i < marks->len; i++)
        if (!(marks->at[i] & HELD_SHARED))
            fw_vec_push(&object->common, (uint32_t)(marks->at[i] >> HELD_LOCK_BITS));
}

static void find_common(const struct guess *g, struct object *object)
{
    bool begun = false;

    fw_vec_clear(&object->common);
    for (size_t i = 0; i < object->count && (!begun || object->common.len); i++) {
        const struct marks *marks = marks_of(g, object->ids[i]);
        size_t kept = 0;

        if (!marks->len)
            continue;
        if (!begun)
            begin_common(marks, object);
        begun = true;
        for (size_t j = 0; j < object->common.len; j++) {
            uint64_t mark = mark_of(marks, object->common.at[j]);

            if (mark && !(mark & HELD_SHARED))
                object->common.at[kept++] = object->common.at[j];
        }
        object->common.len = kept;
    }
}

static uint8_t sides_of(const struct guess *g, uint32_t id, const struct object *object)
{
    const struct marks *marks = marks_of(g, id);
    uint64_t all = HELD_FIRST | HELD_LAST;

    if (!marks->len)
        return 0;
    for (size_t i = 0; i < object->common.len; i++)
        all &= mark_of(marks, object->common.at[i]);
    return (uint8_t)(SIDE_GUARDED | (all & HELD_LAST ? 0 : SIDE_NEVER_FIRST) |
                     (all & HELD_FIRST ? 0 : SIDE_NEVER_SECOND));
}

static void find_runs(const struct guess *g, struct object *object)
{
    uint32_t bare = 0;

    find_common(g, object);
    fw_vec_clear(&object->runs);
    fw_vec_clear(&object->sides);
    for (size_t i = 0; i < object->count; i++) {
        uint32_t of = fw_guess_kind(g, object->ids[i])->bare;
        uint8_t sides = sides_of(g, object->ids[i], object);

        fw_vec_push(&object->sides, sides);
        if (!i || of != bare)
            fw_vec_push(&object->runs, ((struct run) { i, i, of, sides }));
        bare = of;
        fw_vec_last(&object->runs).end = i + 1;
        fw_vec_last(&object->runs).sides &= sides;
    }
}

static bool is_barred(uint8_t a, uint8_t b)
{
    return (a & SIDE_NEVER_FIRST && b & SIDE_GUARDED) ||
           (b & SIDE_NEVER_SECOND && a & SIDE_GUARDED);
}

static bool any_follows(const struct guess *g, const struct run *a, const struct run *b,
                        const struct object *object)
{
    const uint8_t *sides = object->sides.at;

    for (size_t i = a->begin; i < a->end; i++)
        for (size_t j = b->begin; j < b->end; j++)
            if (!is_barred(sides[i], sides[j]) &&
                fw_guess_follows(g, object->ids[i], object->ids[j]))
                return true;
    return false;
}

/* All of each run are alike but for their locks and versions.  True: nothing more is to be found,
 * whichever the object. */
static bool guess_runs(const struct guess *g, const struct run *a, const struct run *b,
                       const struct object *object)
{
    uint32_t pair[] = { object->ids[a->begin], object->ids[b->begin] };
    struct fw_candidate candidate;

    if (!fw_guess_may_follow(fw_guess_kind(g, pair[0]), fw_guess_kind(g, pair[1])))
        return true;
    candidate = fw_guess_make(g, 1, false, pair);
    if (!fw_guess_is_news(g, &candidate))
        return true;
    if (!any_follows(g, a, b, object))
        return false;
    fw_guess_add(g, &candidate);
    return true;
}

static void guess_object(const struct guess *g, struct object *object)
{
    find_runs(g, object);
    for (size_t i = 0; i < object->runs.len; i++)
        for (size_t j = 0; j < object->runs.len; j++) {
            const struct run *a = &object->runs.at[i], *b = &object->runs.at[j];
            uint64_t pair = ((uint64_t)a->bare + 1) << 32 | b->bare;
            uint64_t *slot = &g->settled[fw_profiler_mix(0, pair) & ((1u << SETTLED_BITS) - 1)];

            if (*slot != pair && !is_barred(a->sides, b->sides) && guess_runs(g, a, b, object))
                *slot = pair;
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
    struct object object = { 0 };

    g.settled = fw_xcalloc((size_t)1 << SETTLED_BITS, sizeof *g.settled);
    sort_entries(&g);
    for (uint64_t i = 0; i < g.objects && !fw_profiler_stopped(profiler); i++) {
        object.ids = g.ids + g.begins[i];
        object.count = g.begins[i + 1] - g.begins[i];
        if (object.count > 1)
            guess_object(&g, &object);
    }
    if (!fw_guess_meetings(&g) || fw_profiler_stopped(profiler))
        profiler->overlooks = true;
    fw_vec_release(&object.runs);
    fw_vec_release(&object.sides);
    fw_vec_release(&object.common);
    free(g.settled);
    free(g.begins);
    free(g.ids);
}
