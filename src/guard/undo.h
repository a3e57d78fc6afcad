/*
 * undo.h - what a thread has written in its region, and taking it back.
 *
 * An entry is noted when what is known of the words says that the thread writes them, and before it
 * does, with what is there; from then on nobody can access them without changing what is known.
 * Taking back is all or nothing: first every word is claimed (fw_undo_claim), by one exchange that
 * fails if anybody else has accessed it since; then bytes are written back, then the words are as
 * they were known before.
 *
 * What "nobody else" means depends on how words are kept: as words.h does, or as transactions.h
 * does.
 */
#ifndef FW_GUARD_UNDO_H
#define FW_GUARD_UNDO_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_UNDO_WRITES 32u
#define FW_UNDO_BYTES  16u /* of one */
#define FW_UNDO_WORDS  (FW_UNDO_BYTES / 4 + 1)

struct fw_undo_write {
    uintptr_t address;
    uint32_t bytes, words;
    unsigned char old[FW_UNDO_BYTES];
    uint64_t cells[FW_UNDO_WORDS]; /* as they were before it */
};

struct fw_undo {
    unsigned count;
    struct fw_undo_write writes[FW_UNDO_WRITES];
    unsigned claims;
    struct fw_undo_claim {
        _Atomic uint64_t *cell;
        uint64_t was, before; /* now, and before the first write */
    } claimed[FW_UNDO_WRITES * FW_UNDO_WORDS];
};

/* False: there is no room, or it is too long.  cells: of each word, as they were before. */
bool fw_undo_note(struct fw_undo *undo, uintptr_t address, size_t bytes, const uint64_t *cells);

/* May the word be claimed, with this cell? */
typedef bool fw_undo_owns(uint64_t cell, uint32_t me);

/* Were all words that a write is about to change, with these cells, `me`'s alone since they were
 * noted, as far as they were?  Else taking back would take back what came between, too. */
bool fw_undo_is_own(const struct fw_undo *undo, uintptr_t address, size_t bytes,
                    const uint64_t *cells, fw_undo_owns *owns, uint32_t me);

/* False: one of the words is not `me`'s alone; nothing is changed then. */
bool fw_undo_claim(struct fw_undo *undo, fw_undo_owns *owns, uint32_t me, uint64_t mark);
void fw_undo_unclaim(struct fw_undo *undo, uint64_t mark);
/* After a claim. */
void fw_undo_write_back(struct fw_undo *undo);

#endif
