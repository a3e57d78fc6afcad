/*
 * profile_couple.c - entries within a window become couples.
 *
 * Where many objects are treated alike, as in arrays, the same two kinds of entries make a couple
 * for each two objects within a window, and one such couple is as good as another; so it is where
 * each of many objects has a lock of its own.  Of two *shapes*, which are kinds but for which locks
 * are held, only some couples are kept: which ones is decided by a hash of the objects alone, so
 * that the couples of other threads that would go with them are kept too.
 *
 * Each access is held against all of its window, so what is done for a pair decides what all costs.
 * Nearly always it is nothing: the hash is too great, or the pair is known (struct met).
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>

void fw_profiler_release_couples(struct fw_profiler *profiler)
{
    for (size_t i = 0; i < profiler->matches.len; i++) {
        struct match *match = &profiler->matches.at[i];

        for (size_t j = 0; j < match->couples.len; j++)
            fw_vec_release(&match->couples.at[j].same);
        fw_vec_release(&match->couples);
    }
    fw_vec_release(&profiler->matches);
}

/* --- shapes ----------------------------------------------------------------------------------- */

static void make_room(struct profiled *thread)
{
    uint32_t old = thread->shape_room, room = old ? old * 2 : 16;
    uint64_t *above = fw_xcalloc((size_t)room * room, sizeof *above);
    uint32_t *match = fw_xcalloc((size_t)room * room, sizeof *match);

    for (size_t i = 0; i < (size_t)room * room; i++)
        above[i] = UINT64_MAX;
    for (uint32_t i = 0; i < old; i++)
        for (uint32_t j = 0; j < old; j++) {
            above[(size_t)i * room + j] = thread->above[(size_t)i * old + j];
            match[(size_t)i * room + j] = thread->match[(size_t)i * old + j];
        }
    free(thread->above);
    free(thread->match);
    thread->above = above;
    thread->match = match;
    thread->shape_room = room;
}

/* The place of the entry's shape among those of its thread. */
static uint32_t place_shape(struct fw_profiler *profiler, struct profiled *thread, uint32_t entry)
{
    uint32_t kind = profiler->entries.at[entry].kind;
    struct kind *shape = &profiler->kinds.at[profiler->kinds.at[kind].shape];

    if (!shape->place) {
        if (thread->shapes == thread->shape_room)
            make_room(thread);
        shape->place = ++thread->shapes;
    }
    return shape->place - 1;
}

/* --- couples ---------------------------------------------------------------------------------- */

/* Gives up the couples with the largest hash; others with that hash will not be kept either. */
static void drop_some(struct match *match, uint64_t *above)
{
    size_t kept = 0;

    *above = 0;
    for (size_t i = 0; i < match->couples.len; i++)
        if (match->couples.at[i].hash > *above)
            *above = match->couples.at[i].hash;
    for (size_t i = 0; i < match->couples.len; i++) {
        if (match->couples.at[i].hash < *above)
            match->couples.at[kept++] = match->couples.at[i];
        else
            fw_vec_release(&match->couples.at[i].same);
    }
    match->couples.len = kept;
}

/* The couple of the two entries, made if it is new; NULL: it is not kept. */
static struct couple *get_couple(struct fw_profiler *profiler, uint32_t *number, uint64_t *above,
                                 const struct couple *wanted)
{
    struct match *match;

    if (!*number) {
        fw_vec_push(&profiler->matches, ((struct match) { 0 }));
        *number = (uint32_t)profiler->matches.len;
    }
    match = &profiler->matches.at[*number - 1];
    for (size_t i = 0; i < match->couples.len; i++)
        if (match->couples.at[i].first == wanted->first &&
            match->couples.at[i].second == wanted->second)
            return &match->couples.at[i];
    if (match->couples.len >= profiler->most)
        drop_some(match, above);
    if (wanted->hash >= *above)
        return NULL;
    fw_vec_push(&match->couples, *wanted);
    return &fw_vec_last(&match->couples);
}

/* Versions never go back. */
static void add_same(struct couple *couple, uint32_t version, uint8_t flags)
{
    if (couple->now && couple->version != version) {
        fw_vec_push(&couple->same,
                    ((struct instance) { couple->version, couple->version, couple->now }));
        couple->now = 0;
    }
    couple->version = version;
    couple->now |= flags;
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Does the late access hold the lock that was taken then? */
static bool holds_since(const struct profiled *thread, const struct late *late, uint64_t at)
{
    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        if (thread->late_held.at[i].since == at)
            return true;
    return false;
}

/* An access whose turn it is. */
struct coming {
    const struct late *late;
    uint64_t hash;
    uint32_t entry, shape;
};

static struct met *met_of(struct profiled *thread, uint32_t first, uint32_t second)
{
    uint32_t hash = (first * 0x9e3779b1u ^ second * 0x85ebca6bu) * 0xc2b2ae35u;

    return &thread->met[hash >> (32 - MET_BITS)];
}

static void remember(struct met *met, const struct couple *couple)
{
    *met = (struct met) { .first = couple->first,
                          .second = couple->second,
                          .version = couple->version,
                          .same = couple->now,
                          .apart = couple->apart };
}

static void couple_up(struct fw_profiler *profiler, struct profiled *thread,
                      const struct recent *recent, const struct coming *coming)
{
    const struct late *late = coming->late;
    bool clean = !recent->superseded && late->before <= recent->at;
    bool held = recent->locks && holds_since(thread, late, recent->at);
    bool same = recent->version == late->version;
    uint8_t flags = (uint8_t)(PAIR_MET | (clean ? PAIR_CLEAN : 0) | (held ? PAIR_HELD : 0));
    struct met *met = met_of(thread, recent->entry, coming->entry);
    size_t at = (size_t)coming->shape * thread->shape_room + recent->shape;
    struct couple wanted = { .hash = recent->hash + coming->hash,
                             .first = recent->entry,
                             .second = coming->entry }, *couple;

    if (met->first == recent->entry && met->second == coming->entry &&
        (same ? met->version == late->version && !(flags & ~met->same) : !(flags & ~met->apart)))
        return;
    couple = get_couple(profiler, &thread->match[at], &thread->above[at], &wanted);
    if (!couple)
        return;
    couple->flags |= flags;
    if (same)
        add_same(couple, late->version, flags);
    else
        couple->apart |= flags;
    remember(met, couple);
}

/* --- the window ------------------------------------------------------------------------------- */

/* The one with this number, + 1; NULL: it has left the window. */
static struct recent *recent_at(struct profiled *thread, uint64_t number)
{
    return number > thread->recent_gone ? &thread->recent.at[number - 1 - thread->recent_gone]
                                        : NULL;
}

static void leave_window(struct profiled *thread, uint64_t at, uint64_t window)
{
    size_t first = thread->recent_first;

    while (first < thread->recent.len && at - thread->recent.at[first].at > window)
        first++;
    thread->recent_first = first;
    if (first < 4 * window || first * 2 < thread->recent.len)
        return;
    memmove(thread->recent.at, thread->recent.at + first,
            (thread->recent.len - first) * sizeof *thread->recent.at);
    thread->recent.len -= first;
    thread->recent_gone += first;
    thread->recent_first = 0;
}

void fw_profiled_supersede(struct profiled *thread, struct latest *latest)
{
    struct recent *recent = recent_at(thread, latest->recent);

    if (recent)
        recent->superseded = true;
    latest->recent = 0;
}

/* Of the same entry and version only the latest stays, since earlier ones can do nothing that it
 * cannot. */
static void enter_window(struct fw_profiler *profiler, struct profiled *thread,
                         const struct coming *coming, struct latest *latest)
{
    struct entry *entry = &profiler->entries.at[coming->entry];
    struct recent *of_entry = recent_at(thread, entry->recent);

    fw_profiled_supersede(thread, latest);
    if (of_entry && of_entry->version == coming->late->version)
        of_entry->repeated = true;
    fw_vec_push(&thread->recent,
                ((struct recent) { .at = coming->late->at,
                                   .hash = coming->hash,
                                   .entry = coming->entry,
                                   .version = coming->late->version,
                                   .shape = coming->shape,
                                   .locks = coming->late->flags & ENTRY_LOCKS }));
    entry->recent = latest->recent = thread->recent_gone + thread->recent.len;
}

void fw_profiler_couple(struct fw_profiler *profiler, uint32_t number, const struct late *late,
                        uint32_t entry, struct latest *latest)
{
    struct profiled *thread = &profiler->threads.at[number];
    struct coming coming = { .late = late,
                             .hash = fw_profiler_mix(0, late->object),
                             .entry = entry,
                             .shape = place_shape(profiler, thread, entry) };
    const uint64_t *above = &thread->above[(size_t)coming.shape * thread->shape_room];

    if (!thread->met)
        thread->met = fw_xcalloc((size_t)1 << MET_BITS, sizeof *thread->met);
    leave_window(thread, late->at, profiler->window);
    for (size_t i = thread->recent_first; i < thread->recent.len; i++) {
        const struct recent *recent = &thread->recent.at[i];

        if (recent->hash + coming.hash < above[recent->shape] && !recent->repeated)
            couple_up(profiler, thread, recent, &coming);
    }
    enter_window(profiler, thread, &coming, latest);
}
