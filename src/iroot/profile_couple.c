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
        fw_vec_release(&match->ranks);
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

struct wanted {
    uint64_t hash;
    uint32_t first, second;
};

/* Where those with the hash begin, or would. */
static size_t find_rank(const struct match *match, uint64_t hash)
{
    size_t low = 0, high = match->kept;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (match->ranks.at[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The couple of the two entries; NULL: there is none. */
static struct couple *find_couple(const struct match *match, size_t rank,
                                  const struct wanted *wanted)
{
    for (; rank < match->kept && match->ranks.at[rank].hash == wanted->hash; rank++) {
        struct couple *couple = &match->couples.at[match->ranks.at[rank].place];

        if (couple->first == wanted->first && couple->second == wanted->second)
            return couple;
    }
    return NULL;
}

/* Gives up the couples with the largest hash; others with that hash will not be kept either. */
static void drop_some(struct fw_profiler *profiler, struct match *match, uint64_t *above)
{
    const struct rank *ranks = match->ranks.at;

    profiler->overlooks = true;
    *above = ranks[match->kept - 1].hash;
    for (; match->kept && ranks[match->kept - 1].hash == *above; match->kept--)
        fw_vec_release(&match->couples.at[ranks[match->kept - 1].place].same);
}

static struct couple *add_couple(struct match *match, size_t rank, const struct wanted *wanted)
{
    struct rank *at;
    uint32_t place;

    if (match->kept == match->couples.len) {
        fw_vec_push(&match->ranks, ((struct rank) { .place = (uint32_t)match->couples.len }));
        fw_vec_push(&match->couples, ((struct couple) { 0 }));
    }
    at = &match->ranks.at[rank];
    place = match->ranks.at[match->kept].place;
    memmove(at + 1, at, (match->kept++ - rank) * sizeof *at);
    *at = (struct rank) { wanted->hash, place };
    match->couples.at[place] =
        (struct couple) { .first = wanted->first, .second = wanted->second };
    return &match->couples.at[place];
}

static struct match *get_match(struct fw_profiler *profiler, uint32_t *number)
{
    if (!*number) {
        fw_vec_push(&profiler->matches, ((struct match) { 0 }));
        *number = (uint32_t)profiler->matches.len;
    }
    return &profiler->matches.at[*number - 1];
}

/* The couple of the two entries, made if it is new and wanted; NULL: it is not there. */
static struct couple *get_couple(struct fw_profiler *profiler, struct match *match,
                                 const struct wanted *wanted, uint64_t *above, bool make)
{
    size_t rank = find_rank(match, wanted->hash);
    struct couple *couple = find_couple(match, rank, wanted);

    if (couple || !make)
        return couple;
    if (match->kept >= profiler->most)
        drop_some(profiler, match, above);
    return wanted->hash < *above ? add_couple(match, rank, wanted) : NULL;
}

/* Versions never go back. */
static void add_same(struct couple *couple, uint32_t version, uint8_t flags)
{
    if (couple->now && couple->version != version) {
        fw_vec_push(&couple->same, ((struct at_once) { couple->version, couple->now }));
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

/* Those of an access with all of its window are close together, if these are old acquaintances:
 * entries that belong together have been made together. */
static struct met *met_of(struct profiled *thread, uint32_t first, uint32_t second)
{
    uint32_t row = second * 0x9e3779b1u >> (32 - MET_BITS);

    return &thread->met[(row + first) & ((1u << MET_BITS) - 1)];
}

static void remember(struct met *met, const struct match *match, const struct couple *couple)
{
    *met = (struct met) { .first = couple->first,
                          .second = couple->second,
                          .place = (uint32_t)(couple - match->couples.at) + 1,
                          .version = couple->version,
                          .same = couple->now,
                          .apart = couple->apart };
}

/* What two accesses in one version or in two say of their couple. */
static void note(struct couple *couple, bool same, uint32_t version, uint8_t flags)
{
    couple->flags |= flags;
    if (same)
        add_same(couple, version, flags);
    else
        couple->apart |= flags;
}

/* The couple is kept, since its hash is small enough: then it stays where it is. */
static struct couple *couple_of(struct fw_profiler *profiler, struct match *match,
                                const struct met *met, const struct wanted *wanted,
                                uint64_t *above, bool make)
{
    if (met->place && met->first == wanted->first && met->second == wanted->second)
        return &match->couples.at[met->place - 1];
    return get_couple(profiler, match, wanted, above, make);
}

/* False: they would be a new couple, and none is to be made. */
static bool couple_up(struct fw_profiler *profiler, struct profiled *thread,
                      const struct recent *recent, const struct coming *coming, bool make)
{
    const struct late *late = coming->late;
    bool clean = !recent->superseded && late->before <= recent->at;
    bool held = recent->locks && holds_since(thread, late, recent->at);
    bool same = recent->version == late->version;
    uint8_t flags = (uint8_t)(PAIR_MET | (clean ? PAIR_CLEAN : 0) | (held ? PAIR_HELD : 0));
    struct met *met = met_of(thread, recent->entry, coming->entry);
    size_t at = (size_t)coming->shape * thread->shape_room + recent->shape;
    struct wanted wanted = { recent->hash + coming->hash, recent->entry, coming->entry };
    struct couple *couple;
    struct match *match;

    if (met->first == recent->entry && met->second == coming->entry &&
        (same ? met->version == late->version && !(flags & ~met->same) : !(flags & ~met->apart)))
        return true;
    match = get_match(profiler, &thread->match[at]);
    couple = couple_of(profiler, match, met, &wanted, &thread->above[at], make);
    if (!couple)
        return make;
    note(couple, same, late->version, flags);
    remember(met, match, couple);
    return true;
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

/*
 * Of the same entry and version only the latest stays, since earlier ones can do nothing that it
 * cannot.  For accesses in later versions it stands for those of earlier versions, too: each of
 * them is in another version than these, and as the object was accessed since, there is nothing
 * else to say of it.
 */
static void enter_window(struct fw_profiler *profiler, struct profiled *thread,
                         const struct coming *coming, struct latest *latest)
{
    struct entry *entry = &profiler->entries.at[coming->entry];
    struct recent *of_entry = recent_at(thread, entry->recent);
    uint32_t version = coming->late->version;

    fw_profiled_supersede(thread, latest);
    if (of_entry)
        of_entry->until = of_entry->version == version ? 0 : version + 1;
    fw_vec_push(&thread->recent, ((struct recent) { .hash = coming->hash,
                                                    .at = (uint32_t)coming->late->at,
                                                    .entry = coming->entry,
                                                    .version = version,
                                                    .shape = coming->shape,
                                                    .until = UINT32_MAX,
                                                    .locks = coming->late->flags & ENTRY_LOCKS }));
    entry->recent = latest->recent = thread->recent_gone + thread->recent.len;
}

/*
 * Where new things begin: if the entry has been there before, in the window, what came before that
 * was held against it then, and nothing has been added since: its object was accessed in between,
 * and what is held since before was held there as well.  Only those that were in one version with
 * it may be in another one now.
 */
static size_t first_news(struct profiled *thread, const struct entry *entry, uint32_t version)
{
    const struct recent *before = recent_at(thread, entry->recent), *all = thread->recent.at;
    size_t first = thread->recent_first, i;

    if (!before || (i = (size_t)(before - all)) < first)
        return first;
    if (before->version != version)
        while (i > first && all[i - 1].version == before->version)
            i--;
    return i;
}

/*
 * Which couples are kept hangs on the order in which they come.  So if one is new, those of earlier
 * versions that were left out have their turn after all, and are first.
 */
static void look_back(struct fw_profiler *profiler, struct profiled *thread,
                      const struct coming *coming)
{
    const uint64_t *above = &thread->above[(size_t)coming->shape * thread->shape_room];
    size_t left_out = SIZE_MAX;
    size_t i = first_news(thread, &profiler->entries.at[coming->entry], coming->late->version);
    bool all = false;

    while (i < thread->recent.len) {
        const struct recent *recent = &thread->recent.at[i];

        if (recent->hash + coming->hash >= above[recent->shape] || !recent->until) {
            i++;
        } else if (!all && recent->until <= coming->late->version) {
            left_out = i < left_out ? i : left_out;
            i++;
        } else if (couple_up(profiler, thread, recent, coming, all)) {
            i++;
        } else {
            all = true;
            i = i < left_out ? i : left_out;
        }
    }
}

void fw_profiler_couple(struct fw_profiler *profiler, uint32_t number, const struct late *late,
                        uint32_t entry, struct latest *latest)
{
    struct profiled *thread = &profiler->threads.at[number];
    struct coming coming = { .late = late,
                             .hash = fw_profiler_mix(0, late->object),
                             .entry = entry,
                             .shape = place_shape(profiler, thread, entry) };

    if (!thread->met)
        thread->met = fw_xcalloc((size_t)1 << MET_BITS, sizeof *thread->met);
    leave_window(thread, late->at, profiler->window);
    look_back(profiler, thread, &coming);
    enter_window(profiler, thread, &coming, latest);
}
