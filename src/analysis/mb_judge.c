/*
 * mb_judge.c - pairs that may be races: B of the source (section 15.2).
 *
 * A suspect is judged when no lock is held.  Where that takes long, suspects
 * are looked through when they have doubled in number: those that got ordered
 * go, those that cannot get ordered any more are merged by sites and variable.
 */
#include "analysis/mb_state.h"

#include "base/idmap.h"

#define COMPACT_LEAST 4096u

void mb_report(struct fw_mb *mb, const struct fw_mark *first, const struct fw_mark *second, bool hb)
{
    struct fw_mark events[2] = { *first, *second };
    struct fw_occurrence occurrence = {
        .kind = FW_FINDING_RACE,
        .events = events,
        .event_count = 2,
        .variable = second->target,
        .detail = hb ? NULL : "This run ordered them only by the order in which locks were taken.",
    };

    fw_findings_add(mb->findings, &occurrence);
}

static bool is_ordered(struct fw_mb *mb, struct mb_suspect *suspect)
{
    if (!suspect->before)
        return false;
    mb_adjust(mb, &suspect->before->at);
    return fw_clock_covers(&suspect->before->at.clock, suspect->first.mark.thread,
                           suspect->first.time);
}

void mb_judge(struct fw_mb *mb)
{
    for (size_t i = 0; i < mb->suspects.len; i++) {
        struct mb_suspect *suspect = &mb->suspects.at[i];

        if (!is_ordered(mb, suspect))
            for (uint64_t n = 0; n < suspect->count; n++)
                mb_report(mb, &suspect->first.mark, &suspect->second, false);
        mb_snap_put(mb, suspect->before);
    }
    fw_vec_clear(&mb->suspects);
    mb->compact_at = COMPACT_LEAST;
}

uint64_t mb_unjudged(struct fw_mb *mb)
{
    uint64_t count = 0;

    for (size_t i = 0; i < mb->suspects.len; i++)
        if (!is_ordered(mb, &mb->suspects.at[i]))
            count += mb->suspects.at[i].count;
    return count;
}

/* --- looking through --------------------------------------------------------------------- */

static bool same_sites(const struct mb_suspect *a, const struct mb_suspect *b)
{
    return a->second.target == b->second.target && a->second.site == b->second.site &&
           a->first.mark.site == b->first.mark.site && a->second.kind == b->second.kind &&
           a->first.mark.kind == b->first.mark.kind;
}

struct wanted {
    const struct mb_suspect *all, *suspect;
};

static bool is_wanted(const void *key, uint32_t id)
{
    const struct wanted *wanted = key;

    return same_sites(wanted->suspect, &wanted->all[id]);
}

static uint32_t hash_sites(const struct mb_suspect *suspect)
{
    uint64_t hash = suspect->second.target;

    hash = (hash ^ suspect->first.mark.site) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ suspect->second.site) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(hash >> 32);
}

/* Is there a race of the same sites and variable among those kept?  Then it counts this one. */
static bool merge(struct fw_mb *mb, struct fw_idmap *kept, const struct mb_suspect *suspect,
                  uint32_t place)
{
    struct wanted wanted = { mb->suspects.at, suspect };
    uint32_t hash = hash_sites(suspect), id = fw_idmap_find(kept, hash, is_wanted, &wanted);

    if (id == FW_IDMAP_NONE) {
        fw_idmap_add(kept, hash, place);
        return false;
    }
    mb->suspects.at[id].count += suspect->count;
    return true;
}

static void compact(struct fw_mb *mb)
{
    struct fw_idmap races = { 0 };
    uint32_t kept = 0;

    for (size_t i = 0; i < mb->suspects.len; i++) {
        struct mb_suspect suspect = mb->suspects.at[i];
        bool ordered = is_ordered(mb, &suspect);

        if (ordered || (suspect.before && !suspect.before->at.pending.len)) {
            mb_snap_put(mb, suspect.before);
            suspect.before = NULL;
        }
        if (ordered)
            continue;
        mb->suspects.at[kept] = suspect;
        if (suspect.before || mb->pairs_all || !merge(mb, &races, &mb->suspects.at[kept], kept))
            kept++;
    }
    mb->suspects.len = kept;
    fw_idmap_release(&races);
    mb->compact_at = kept * 2 > COMPACT_LEAST ? kept * 2 : COMPACT_LEAST;
}

void mb_suspect(struct fw_mb *mb, const struct mb_point *first, const struct fw_mark *second,
                struct mb_snap *before)
{
    if (!mb->held) {
        mb_report(mb, &first->mark, second, false);
        mb_snap_put(mb, before);
        return;
    }
    fw_vec_push(&mb->suspects, ((struct mb_suspect) { *first, *second, before, 1 }));
    if (mb->suspects.len >= mb->compact_at)
        compact(mb);
}
