/*
 * profile_entry.c - accesses become entries, and entries within a window become couples.
 *
 * Where many objects are treated alike, as in arrays, the same two kinds of entries make a couple
 * for each two objects within a window, and one such couple is as good as another; so it is where
 * each of many objects has a lock of its own.  Of two *shapes*, which are kinds but for which locks
 * are held, only some couples are kept: which ones is decided by a hash of the objects alone, so
 * that the couples of other threads that would go with them are kept too.
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>

static void release_match(struct match *match)
{
    for (size_t i = 0; i < match->couples.len; i++)
        fw_vec_release(&match->couples.at[i].at);
    fw_vec_release(&match->couples);
}

void fw_profiler_release_entries(struct fw_profiler *profiler)
{
    for (size_t i = 0; i < profiler->lock_sets.len; i++)
        fw_vec_release(&profiler->lock_sets.at[i]);
    for (size_t i = 0; i < profiler->entries.len; i++)
        fw_vec_release(&profiler->entries.at[i].between);
    for (size_t i = 0; i < profiler->matches.len; i++)
        release_match(&profiler->matches.at[i]);
    fw_vec_release(&profiler->lock_sets);
    fw_vec_release(&profiler->kinds);
    fw_vec_release(&profiler->entries);
    fw_vec_release(&profiler->matches);
    fw_vec_release(&profiler->marks);
    fw_idmap_release(&profiler->by_locks);
    fw_idmap_release(&profiler->by_kind);
    fw_idmap_release(&profiler->by_entry);
    fw_idmap_release(&profiler->by_match);
}

/* --- the latest access of each object --------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static struct latest *find_latest(const struct profiled *thread, uint64_t object)
{
    uint32_t mask = thread->latest_size - 1, i = (uint32_t)mix(0, object) & mask;

    while (thread->latest[i].at && thread->latest[i].object != object)
        i = (i + 1) & mask;
    return &thread->latest[i];
}

static void grow_latest(struct profiled *thread)
{
    struct latest *old = thread->latest;
    uint32_t size = thread->latest_size;

    thread->latest_size = size ? size * 2 : 64;
    thread->latest = fw_xcalloc(thread->latest_size, sizeof *thread->latest);
    for (uint32_t i = 0; i < size; i++)
        if (old[i].at)
            *find_latest(thread, old[i].object) = old[i];
    free(old);
}

struct latest *fw_profiled_latest(struct profiled *thread, uint64_t object)
{
    struct latest *latest;

    if (thread->latest_used * 2 >= thread->latest_size)
        grow_latest(thread);
    latest = find_latest(thread, object);
    thread->latest_used += !latest->at;
    latest->object = object;
    return latest;
}

/* --- lock sets -------------------------------------------------------------------------------- */

static bool has_marks(const void *key, uint32_t id)
{
    const struct fw_profiler *profiler = key;
    const struct marks *marks = &profiler->lock_sets.at[id];

    return marks->len == profiler->marks.len &&
           memcmp(marks->at, profiler->marks.at, marks->len * sizeof *marks->at) == 0;
}

static void sort_marks(struct marks *marks)
{
    for (size_t i = 1; i < marks->len; i++)
        for (size_t j = i; j && marks->at[j] < marks->at[j - 1]; j--) {
            uint64_t moved = marks->at[j];

            marks->at[j] = marks->at[j - 1];
            marks->at[j - 1] = moved;
        }
}

/* The number of the set of profiler->marks. */
static uint32_t intern_marks(struct fw_profiler *profiler)
{
    struct marks copy = { 0 };
    uint64_t hash = 0;
    uint32_t id;

    sort_marks(&profiler->marks);
    for (size_t i = 0; i < profiler->marks.len; i++)
        hash = mix(hash, profiler->marks.at[i]);
    id = fw_idmap_find(&profiler->by_locks, (uint32_t)hash, has_marks, profiler);
    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)profiler->lock_sets.len;
    for (size_t i = 0; i < profiler->marks.len; i++)
        fw_vec_push(&copy, profiler->marks.at[i]);
    fw_vec_push(&profiler->lock_sets, copy);
    fw_idmap_add(&profiler->by_locks, (uint32_t)hash, id);
    return id;
}

/* The number of the lock set that the late access has; of its shape: as if there were one lock. */
static uint32_t intern_locks(struct fw_profiler *profiler, const struct profiled *thread,
                             const struct late *late, bool shape)
{
    uint64_t mask = shape ? (1u << HELD_LOCK_BITS) - 1 : UINT64_MAX;

    if (!late->held_count)
        return 0;
    fw_vec_clear(&profiler->marks);
    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        fw_vec_push(&profiler->marks, thread->late_marks.at[i] & mask);
    return intern_marks(profiler);
}

/* --- entries ---------------------------------------------------------------------------------- */

struct sought {
    const struct fw_profiler *profiler;
    struct kind kind;
    uint64_t object;
    uint32_t first, second;
};

static bool is_kind(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct kind *a = &sought->kind, *b = &sought->profiler->kinds.at[id];

    return a->thread == b->thread && a->access == b->access && a->locks == b->locks &&
           a->flags == b->flags;
}

static uint32_t intern_kind(struct fw_profiler *profiler, const struct kind *kind)
{
    struct sought sought = { .profiler = profiler, .kind = *kind };
    uint64_t hash = mix(mix(0, (uint64_t)kind->thread << 32 | kind->access), kind->locks);
    uint32_t id;

    hash = mix(hash, kind->flags);
    id = fw_idmap_find(&profiler->by_kind, (uint32_t)hash, is_kind, &sought);
    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)profiler->kinds.len;
    fw_vec_push(&profiler->kinds, *kind);
    fw_idmap_add(&profiler->by_kind, (uint32_t)hash, id);
    return id;
}

static bool is_entry(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct entry *entry = &sought->profiler->entries.at[id];

    return entry->object == sought->object && entry->number == sought->first;
}

static uint32_t intern_entry(struct fw_profiler *profiler, const struct entry *entry)
{
    struct sought sought = { .profiler = profiler,
                             .object = entry->object,
                             .first = entry->number };
    uint32_t hash = (uint32_t)mix(mix(0, entry->object), entry->number);
    uint32_t id = fw_idmap_find(&profiler->by_entry, hash, is_entry, &sought);

    if (id != FW_IDMAP_NONE)
        return id;
    id = (uint32_t)profiler->entries.len;
    fw_vec_push(&profiler->entries, *entry);
    fw_idmap_add(&profiler->by_entry, hash, id);
    return id;
}

static uint32_t add_entry(struct fw_profiler *profiler, uint32_t number, const struct late *late)
{
    struct entry wanted = { .object = late->object,
                            .kind = { .thread = number,
                                      .access = late->access,
                                      .flags = late->flags },
                            .first = late->version,
                            .last = late->version };
    const struct profiled *thread = &profiler->threads.at[number];
    struct kind shape = wanted.kind;
    struct entry *entry;
    uint32_t id;

    wanted.kind.locks = intern_locks(profiler, thread, late, false);
    wanted.number = intern_kind(profiler, &wanted.kind);
    shape.locks = intern_locks(profiler, thread, late, true);
    wanted.shape = intern_kind(profiler, &shape);
    id = intern_entry(profiler, &wanted);
    entry = &profiler->entries.at[id];
    if (!profiler->options.simple && entry->last != late->version && entry->last != entry->first)
        fw_vec_push(&entry->between, entry->last);
    entry->last = late->version;
    return id;
}

/* --- couples ---------------------------------------------------------------------------------- */

static bool is_match(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct match *match = &sought->profiler->matches.at[id];

    return match->first == sought->first && match->second == sought->second;
}

static struct match *get_match(struct fw_profiler *profiler, uint32_t first, uint32_t second)
{
    struct sought sought = { .profiler = profiler, .first = first, .second = second };
    uint32_t hash = (uint32_t)mix(mix(0, first), second);
    uint32_t id = fw_idmap_find(&profiler->by_match, hash, is_match, &sought);

    if (id == FW_IDMAP_NONE) {
        id = (uint32_t)profiler->matches.len;
        fw_idmap_add(&profiler->by_match, hash, id);
        fw_vec_push(&profiler->matches,
                    ((struct match) { .first = first, .second = second, .above = UINT64_MAX }));
    }
    return &profiler->matches.at[id];
}

/* Gives up the couples with the largest hash; others with that hash will not be kept either. */
static void drop_some(struct match *match)
{
    size_t kept = 0;

    match->above = 0;
    for (size_t i = 0; i < match->couples.len; i++)
        if (match->couples.at[i].hash > match->above)
            match->above = match->couples.at[i].hash;
    for (size_t i = 0; i < match->couples.len; i++) {
        if (match->couples.at[i].hash < match->above)
            match->couples.at[kept++] = match->couples.at[i];
        else
            fw_vec_release(&match->couples.at[i].at);
    }
    match->couples.len = kept;
}

/* The couple of the two entries, made if it is new; NULL: it is not kept. */
static struct couple *get_couple(struct fw_profiler *profiler, uint32_t first, uint32_t second)
{
    const struct entry *a = &profiler->entries.at[first], *b = &profiler->entries.at[second];
    struct match *match = get_match(profiler, a->shape, b->shape);
    struct couple couple = { .first = first, .second = second };
    bool up = a->object < b->object;

    couple.hash = mix(mix(0, up ? a->object : b->object), up ? b->object : a->object);
    if (couple.hash >= match->above)
        return NULL;
    for (size_t i = 0; i < match->couples.len; i++)
        if (match->couples.at[i].first == first && match->couples.at[i].second == second)
            return &match->couples.at[i];
    if (match->couples.len >= profiler->most)
        drop_some(match);
    if (couple.hash >= match->above)
        return NULL;
    fw_vec_push(&match->couples, couple);
    return &fw_vec_last(&match->couples);
}

/* The second version never goes back, so that equal ones stand at the end. */
static void add_instance(struct couple *couple, uint32_t first, uint32_t second, uint32_t flags)
{
    couple->flags |= flags;
    for (size_t i = couple->at.len; i && couple->at.at[i - 1].second == second; i--) {
        if (couple->at.at[i - 1].first != first)
            continue;
        couple->at.at[i - 1].flags |= flags;
        return;
    }
    fw_vec_push(&couple->at,
                ((struct instance) { .first = first, .second = second, .flags = flags }));
}

/* Does the late access hold the lock that was taken then? */
static bool holds_since(const struct profiled *thread, const struct late *late, uint64_t at)
{
    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        if (thread->late_held.at[i].since == at)
            return true;
    return false;
}

static void couple_up(struct fw_profiler *profiler, struct profiled *thread,
                      const struct recent *recent, const struct late *late, uint32_t entry)
{
    bool clean = !recent->superseded && late->before <= recent->at;
    struct couple *couple = get_couple(profiler, recent->entry, entry);

    if (couple)
        add_instance(couple, recent->version, late->version,
                     (clean ? PAIR_CLEAN : 0) |
                         (holds_since(thread, late, recent->at) ? PAIR_HELD : 0));
}

/* With all that its thread did within the window; of the same entry and version only the latest
 * stays there, since earlier ones can do nothing that it cannot. */
static void note_recent(struct fw_profiler *profiler, struct profiled *thread,
                        const struct late *late, uint32_t entry)
{
    struct recent *at = thread->recent.at;
    size_t kept = 0;

    for (size_t i = 0; i < thread->recent.len; i++) {
        bool same = at[i].entry == entry && at[i].version == late->version;

        if (late->at - at[i].at > profiler->window)
            continue;
        couple_up(profiler, thread, &at[i], late, entry);
        at[i].superseded |= at[i].object == late->object;
        if (!same)
            at[kept++] = at[i];
    }
    thread->recent.len = kept;
    fw_vec_push(&thread->recent,
                ((struct recent) { late->at, late->object, entry, late->version, false }));
}

void fw_profiler_settle(struct fw_profiler *profiler, uint32_t number)
{
    struct profiled *thread = &profiler->threads.at[number];

    for (size_t i = 0; i < thread->late.len; i++) {
        uint32_t entry = add_entry(profiler, number, &thread->late.at[i]);

        if (!profiler->options.simple)
            note_recent(profiler, thread, &thread->late.at[i], entry);
    }
    thread->late_before += thread->late.len;
    fw_vec_clear(&thread->late);
    fw_vec_clear(&thread->late_held);
    fw_vec_clear(&thread->late_marks);
}
