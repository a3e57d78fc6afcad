/*
 * mb_snap.c - clocks that are remembered, and adjusted when they are used.
 *
 * Snapshots and sections are made and forgotten all the time; they go back to
 * a list of free ones with the memory of their clocks.
 */
#include "analysis/mb_state.h"

static void drop_pending(struct fw_mb *mb, struct mb_kept *kept)
{
    for (size_t i = 0; i < kept->pending.len; i++)
        mb_section_put(mb, kept->pending.at[i]);
    fw_vec_clear(&kept->pending);
}

void mb_section_put(struct fw_mb *mb, struct mb_section *section)
{
    if (!section || --section->refs)
        return;
    drop_pending(mb, &section->begin);
    fw_vec_push(&mb->free_sections, section);
}

void mb_note_pending(struct fw_mb *mb, struct mb_kept *kept)
{
    if (!mb->live.len || !mb_clock_reaches(&kept->clock, &mb->earliest))
        return;
    for (size_t i = 0; i < mb->live.len; i++) {
        const struct mb_live *live = &mb->live.at[i];

        if (!fw_clock_covers(&kept->clock, live->thread, live->acquired) || live->section->complete)
            continue;
        live->section->refs++;
        fw_vec_push(&kept->pending, live->section);
    }
}

/*
 * Pending sections are in the order of their acquires, as in live; what one of
 * them waits for is earlier and was pending here too, so it has been adjusted
 * before: the recursion is not deep.
 */
void mb_adjust(struct fw_mb *mb, struct mb_kept *kept)
{
    bool risen = false, changed = false;

    for (size_t i = 0; i < kept->pending.len; i++) {
        struct mb_section *section = kept->pending.at[i];

        mb_adjust(mb, &section->begin);
        risen |= mb_clock_join(&kept->clock, &section->begin.clock);
        changed |= section->complete;
    }
    if (!risen && !changed)
        return;
    drop_pending(mb, kept);
    mb_note_pending(mb, kept);
}

struct mb_snap *mb_snap_create(struct fw_mb *mb, const struct fw_clock *clock)
{
    struct mb_snap *snap;

    if (mb->free_snaps.len)
        snap = fw_vec_pop(&mb->free_snaps);
    else
        snap = fw_xcalloc(1, sizeof *snap);
    snap->refs = 1;
    mb->snaps++;
    fw_clock_copy(&snap->at.clock, clock);
    mb_note_pending(mb, &snap->at);
    return snap;
}

struct mb_snap *mb_snap_get(struct mb_snap *snap)
{
    snap->refs++;
    return snap;
}

void mb_snap_put(struct fw_mb *mb, struct mb_snap *snap)
{
    if (!snap || --snap->refs)
        return;
    drop_pending(mb, &snap->at);
    mb->snaps--;
    fw_vec_push(&mb->free_snaps, snap);
}

struct mb_snap *mb_present(struct fw_mb *mb, uint32_t thread)
{
    struct mb_thread *self = &mb->threads.at[thread];

    if (!self->seen)
        self->seen = mb_snap_create(mb, &self->mb);
    return self->seen;
}
