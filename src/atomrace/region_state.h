/*
 * region_state.h - internal to regions: what they are made of.
 *
 * Places (region_places.c): which entries, ends and exits of the file are at an address.  Slots
 * (region_slots.c): regions, as all threads see them.  Members (region.c): the sections that a
 * thread is in, each of which holds a region open.
 */
#ifndef FW_ATOMRACE_REGION_STATE_H
#define FW_ATOMRACE_REGION_STATE_H

#include "atomrace/region.h"

/* --- places ---------------------------------------------------------------------------------- */

/* What is at an address; each list is gone through by fw_place_next. */
enum fw_place_kind {
    FW_PLACE_ENTRY,
    FW_PLACE_END,
    FW_PLACE_EXIT,
    FW_PLACE_KINDS,
};

/* The numbers, from 0, of what is at this address; FW_NO_PLACE: that was all.  `after`: the latest
 * one, or FW_NO_PLACE for the first. */
#define FW_NO_PLACE UINT32_MAX
uint32_t fw_place_next(enum fw_place_kind kind, uintptr_t pc, uint32_t after);
/* Changes whenever what is at an address may. */
extern _Atomic uint32_t fw_places_turn;
/* Is there anything at all at this address? */
bool fw_place_any(uintptr_t pc);

const struct fw_regions_section *fw_regions_section(uint32_t i);
struct fw_regions_entry *fw_regions_entry(uint32_t i);
struct fw_regions_end *fw_regions_end(uint32_t i);
struct fw_regions_exit *fw_regions_exit(uint32_t i);
const char *fw_regions_name(uint32_t section);

/* --- slots ----------------------------------------------------------------------------------- */

#define FW_SUSPECTS       8u  /* of a region; later ones are lost */
#define FW_SUSPECT_FRAMES 32u /* of its stack, the innermost */

struct fw_suspect {
    struct fw_overlap_access access;
    uint32_t number; /* of its thread, which may have ended */
    uint32_t passed; /* by its thread then */
    uint32_t frame_count;
    struct fw_frame frames[FW_SUSPECT_FRAMES];
};

struct fw_region;

static inline uintptr_t fw_word_of(uintptr_t address)
{
    return address >> 3;
}

/* Where the region of the word is, if there is one. */
struct fw_region *fw_slot_of(uintptr_t word);
/* Opens it, or finds it open as the thread's own; false: another one is open there. */
bool fw_slot_open(struct fw_region *region, const struct fw_thread *t, uintptr_t word,
                  uint32_t entry);
/* Nothing if it is not the thread's (any more). */
void fw_slot_close(struct fw_region *region, const struct fw_thread *t);
/* How many suspects there are: all that come later were noted after what the caller did before. */
uint32_t fw_slot_count(struct fw_region *region);
/* The same for who is in the hook of an end; suspects below stay as they are. */
uint32_t fw_slot_seen(struct fw_region *region);
const struct fw_suspect *fw_slot_suspect(const struct fw_region *region, uint32_t i);
void fw_slots_forked(void);

/* --- telling (region_tell.c) ----------------------------------------------------------------- */

/* Somebody has come between the entry's access and the end's, both of the calling thread, which is
 * in the hook of the latter. */
void fw_violation(const struct fw_overlap_access *first, const struct fw_suspect *by,
                  const struct fw_overlap_access *last, uint32_t section);
void fw_violations_forked(void);

#endif
