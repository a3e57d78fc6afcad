/*
 * profile_entry.c - accesses become entries; when each of them occurred.
 *
 * Entries are many where objects are many, so what does not depend on the object is in their kinds.
 */
#include "iroot/profile_state.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>

void fw_profiler_release_entries(struct fw_profiler *profiler)
{
    for (size_t i = 0; i < profiler->lock_sets.len; i++)
        fw_vec_release(&profiler->lock_sets.at[i]);
    fw_vec_release(&profiler->lock_sets);
    fw_vec_release(&profiler->kinds);
    fw_vec_release(&profiler->entries);
    fw_vec_release(&profiler->marks);
    fw_idmap_release(&profiler->by_locks);
    fw_idmap_release(&profiler->by_kind);
    fw_idmap_release(&profiler->by_entry);
}

/* --- the latest access of each object --------------------------------------------------------- */

struct latest *fw_profiled_latest(struct profiled *thread, uint64_t object)
{
    size_t number = object >> 1, page = number / LATEST_PAGE;

    fw_vec_extend(&thread->latest[object & 1], page + 1);
    if (!thread->latest[object & 1].at[page])
        thread->latest[object & 1].at[page] = fw_xcalloc(LATEST_PAGE, sizeof(struct latest));
    return &thread->latest[object & 1].at[page][number % LATEST_PAGE];
}

void fw_profiled_release_latest(struct profiled *thread)
{
    for (unsigned i = 0; i < 2; i++) {
        for (size_t j = 0; j < thread->latest[i].len; j++)
            free(thread->latest[i].at[j]);
        fw_vec_release(&thread->latest[i]);
    }
}

/* --- lock sets -------------------------------------------------------------------------------- */

static bool has_marks(const void *key, uint32_t id)
{
    const struct fw_profiler *profiler = key;
    const struct marks *marks = &profiler->lock_sets.at[id];

    if (marks->len != profiler->marks.len)
        return false;
    for (size_t i = 0; i < marks->len; i++) /* mostly one */
        if (marks->at[i] != profiler->marks.at[i])
            return false;
    return true;
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
        hash = fw_profiler_mix(hash, profiler->marks.at[i]);
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

static uint32_t guard_of(const struct fw_profiler *profiler, uint64_t object)
{
    const struct fw_guards *guards = profiler->options.guards;

    return guards && !(object & 1) ? fw_guards_of(guards, (uint32_t)(object >> 1)) : FW_GUARD_NONE;
}

/* The number of the lock set that the late access has: if its object has a guard, of that alone. */
static uint32_t intern_locks(struct fw_profiler *profiler, const struct profiled *thread,
                             const struct late *late, uint32_t guard)
{
    if (!late->held_count)
        return 0;
    fw_vec_clear(&profiler->marks);
    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        if (guard == FW_GUARD_NONE || guard == thread->late_held.at[i].lock)
            fw_vec_push(&profiler->marks, thread->late_marks.at[i]);
    return intern_marks(profiler);
}

/* All its locks as if they were one: how many have which marks, if they are not very many. */
static uint64_t pattern_of(const struct profiled *thread, const struct late *late)
{
    uint64_t pattern = 0;

    for (uint32_t i = late->held; i < late->held + late->held_count; i++)
        pattern += (uint64_t)1 << 8 * (thread->late_marks.at[i] & ((1u << HELD_LOCK_BITS) - 1));
    return pattern;
}

/* --- teams ------------------------------------------------------------------------------------ */

#define FEW_TEAMS 4u

FW_VEC_TYPE(hashes, uint64_t);

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t fw_profiler_share(const struct fw_profile_options *options)
{
    const struct fw_guards *guards = options->guards;
    uint32_t most = options->guarded ? options->guarded : FW_PROFILE_GUARDED;
    struct hashes teams = { 0 };
    uint64_t share = UINT64_MAX;
    size_t count, few;

    if (!guards || fw_guards_guarded(guards) <= most)
        return share;
    for (uint32_t i = 0; i < fw_guards_locks(guards); i++)
        if (fw_guards_is(guards, i))
            fw_vec_push(&teams, fw_profiler_mix(0, i));
    count = teams.len * most / fw_guards_guarded(guards);
    few = most < FEW_TEAMS ? most : FEW_TEAMS;
    count = count > few ? count : few;
    if (count < teams.len) {
        qsort(teams.at, teams.len, sizeof *teams.at, compare_hashes);
        share = teams.at[count];
    }
    fw_vec_release(&teams);
    return share;
}

/* Is it in a team that is left out?  guard: the object's. */
static bool is_spare(const struct fw_profiler *profiler, uint64_t object, uint32_t guard)
{
    uint32_t lock = object & 1 ? (uint32_t)(object >> 1) : guard;

    if (profiler->share == UINT64_MAX)
        return false;
    return fw_guards_is(profiler->options.guards, lock) &&
           fw_profiler_mix(0, lock) >= profiler->share;
}

/* --- kinds ------------------------------------------------------------------------------------ */

struct sought {
    const struct fw_profiler *profiler;
    struct kind kind;
    uint64_t object;
    uint32_t number;
};

static bool is_kind(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct kind *a = &sought->kind, *b = &sought->profiler->kinds.at[id];

    return a->thread == b->thread && a->access == b->access && a->locks == b->locks &&
           a->pattern == b->pattern && a->flags == b->flags;
}

static uint32_t intern_kind(struct fw_profiler *profiler, const struct kind *kind)
{
    struct sought sought = { .profiler = profiler, .kind = *kind };
    uint64_t hash = fw_profiler_mix(0, (uint64_t)kind->thread << 32 | kind->access);
    struct kind other = *kind;
    uint32_t id, bare, shape;

    hash = fw_profiler_mix(fw_profiler_mix(hash, (uint64_t)kind->flags << 32 | kind->locks),
                           kind->pattern);
    id = fw_idmap_find(&profiler->by_kind, (uint32_t)hash, is_kind, &sought);
    if (FW_LIKELY(id != FW_IDMAP_NONE))
        return id;
    bare = shape = id = (uint32_t)profiler->kinds.len;
    fw_vec_push(&profiler->kinds, *kind);
    fw_idmap_add(&profiler->by_kind, (uint32_t)hash, id);
    other.locks = 0;
    if (kind->locks)
        shape = intern_kind(profiler, &other);
    other.pattern = 0;
    if (kind->locks || kind->pattern)
        bare = intern_kind(profiler, &other);
    profiler->kinds.at[id].shape = shape;
    profiler->kinds.at[id].bare = bare;
    return id;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* A thread has few entries of most objects: these are a list.  So many may be in one. */
#define FEW_ENTRIES 8u

static bool is_entry(const void *key, uint32_t id)
{
    const struct sought *sought = key;
    const struct entry *entry = &sought->profiler->entries.at[id];

    return entry->object == sought->object && entry->kind == sought->number;
}

static uint32_t hash_entry(uint64_t object, uint32_t kind)
{
    return (uint32_t)fw_profiler_mix(fw_profiler_mix(0, object), kind);
}

/* The list has become too long. */
static void make_many(struct fw_profiler *profiler, struct latest *latest)
{
    for (uint32_t i = latest->entries; i; i = profiler->entries.at[i - 1].older) {
        const struct entry *entry = &profiler->entries.at[i - 1];

        fw_idmap_add(&profiler->by_entry, hash_entry(entry->object, entry->kind), i - 1);
    }
    latest->entries = MANY_ENTRIES;
}

static uint32_t find_entry(struct fw_profiler *profiler, const struct late *late,
                           struct latest *latest)
{
    struct sought sought = { .profiler = profiler, .object = late->object, .number = late->kind };
    uint32_t length = 0;

    if (latest->entries == MANY_ENTRIES)
        return fw_idmap_find(&profiler->by_entry, hash_entry(late->object, late->kind), is_entry,
                             &sought);
    for (uint32_t i = latest->entries; i; i = profiler->entries.at[i - 1].older, length++)
        if (profiler->entries.at[i - 1].kind == late->kind)
            return i - 1;
    if (length == FEW_ENTRIES)
        make_many(profiler, latest);
    return FW_IDMAP_NONE;
}

/* The entry that the late access is part of from now on. */
static uint32_t add_entry(struct fw_profiler *profiler, const struct late *late,
                          struct latest *latest)
{
    uint32_t id = find_entry(profiler, late, latest);
    struct entry made = { .object = late->object, .kind = late->kind, .first = late->version };

    if (id == FW_IDMAP_NONE) {
        id = (uint32_t)profiler->entries.len;
        if (latest->entries == MANY_ENTRIES) {
            fw_idmap_add(&profiler->by_entry, hash_entry(late->object, late->kind), id);
        } else {
            made.older = latest->entries;
            latest->entries = id + 1;
        }
        fw_vec_push(&profiler->entries, made);
    }
    profiler->entries.at[id].last = late->version;
    return id;
}

/* --- occurrences ------------------------------------------------------------------------------ */

/* Does the occurrence have another one of its version before it? */
static bool is_last(const struct profiled *thread, uint32_t place)
{
    const struct occurrence *at = &thread->occurrences.at[place];

    return at->earlier && thread->occurrences.at[at->earlier - 1].version == at->version;
}

static void note_occurrence(struct profiled *thread, struct entry *entry, const struct late *late,
                            struct latest *latest)
{
    struct occurrence made = { .at = (uint32_t)late->at,
                               .before = (uint32_t)late->before,
                               .next = UINT32_MAX,
                               .version = late->version,
                               .earlier = entry->occurrence };
    uint32_t place = entry->occurrence - 1;

    FW_ASSERT(late->at < UINT32_MAX);
    if (latest->occurrence)
        thread->occurrences.at[latest->occurrence - 1].next = made.at;
    if (entry->occurrence && thread->occurrences.at[place].version == made.version &&
        is_last(thread, place)) {
        made.earlier = thread->occurrences.at[place].earlier;
        thread->occurrences.at[place] = made;
    } else {
        fw_vec_push(&thread->occurrences, made);
        entry->occurrence = (uint32_t)thread->occurrences.len;
    }
    latest->occurrence = entry->occurrence;
}

/* An access that no iRoot has, or none of two dependencies, ends what others of its object could do
 * together. */
static void pass(struct profiled *thread, const struct late *late, struct latest *latest)
{
    if (latest->occurrence)
        thread->occurrences.at[latest->occurrence - 1].next = (uint32_t)late->at;
    latest->occurrence = 0;
    fw_profiled_supersede(thread, latest);
}

/* Beforehand, so that what the entries will be looked up in is at hand by then. */
static void find_kinds(struct fw_profiler *profiler, uint32_t number)
{
    struct profiled *thread = &profiler->threads.at[number];
    uint32_t mask = profiler->by_entry.size - 1;

    for (size_t i = 0; i < thread->late.len; i++) {
        struct late *late = &thread->late.at[i];
        struct kind kind = { .thread = number, .access = late->access, .flags = late->flags };
        uint32_t guard;

        if (late->access == FW_ACCESS_NONE)
            continue;
        guard = guard_of(profiler, late->object);
        late->spare = is_spare(profiler, late->object, guard);
        kind.locks = intern_locks(profiler, thread, late, guard);
        kind.pattern = pattern_of(thread, late);
        late->kind = intern_kind(profiler, &kind);
        if (profiler->by_entry.size)
            __builtin_prefetch(
                &profiler->by_entry.slots[hash_entry(late->object, late->kind) & mask]);
    }
}

void fw_profiler_settle(struct fw_profiler *profiler, uint32_t number)
{
    struct profiled *thread = &profiler->threads.at[number];

    find_kinds(profiler, number);
    for (size_t i = 0; i < thread->late.len; i++) {
        const struct late *late = &thread->late.at[i];
        struct latest *latest = fw_profiled_latest(thread, late->object);
        uint32_t entry;

        if (late->access == FW_ACCESS_NONE) {
            pass(thread, late, latest);
            continue;
        }
        entry = add_entry(profiler, late, latest);
        if (profiler->options.simple)
            continue;
        if (late->spare) {
            profiler->overlooks = true;
            pass(thread, late, latest);
            continue;
        }
        note_occurrence(thread, &profiler->entries.at[entry], late, latest);
        fw_profiler_couple(profiler, number, late, entry, latest);
    }
    thread->late_before += thread->late.len;
    fw_vec_clear(&thread->late);
    fw_vec_clear(&thread->late_held);
    fw_vec_clear(&thread->late_marks);
}
