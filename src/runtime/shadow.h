/*
 * shadow.h - which accesses repeat one that was recorded.
 *
 * A *segment* is a stretch of one thread without synchronisation.  An access is elided if the same
 * thread made one of the same kind to the same bytes in the same segment, and no other thread
 * accessed them in between.  The table has a cell for each 8-byte word; words 16 MiB apart share
 * one.  A cell tells the last segment that accessed the word, and which of its bytes were read and
 * written in it:
 *
 *     63..16 (word's address << 16) xor (segment's number << 19)   15..8 written   7..0 read
 *
 * Words that share a cell agree in the address bits that the segment's 21 bits are laid over, so
 * equal cells mean equal word and equal segment.  That costs a hook about ten instructions.
 *
 * Any access of another thread, or of another word with this cell, overwrites it; forgetting only
 * means that a repeat is recorded.  Segment numbers are given out once; when they run out the table
 * is cleared and every thread gets a new one.
 *
 * A repeated *write* may carry what its thread has read since the first one: x = 0; x += y.  So it
 * is not lost: its word is marked (bit 63), and the write is said *again* at the end of the
 * segment, before the synchronisation that ends it, and also when its cell is overwritten, its
 * block freed or the list of such words full.  What other threads see after that synchronisation
 * is then a write that comes after all that it may depend on.  Repeated reads need nothing of the
 * kind.  Which of the word's bytes were repeated, and where in the code, is not known: what is said
 * again has no site, is all that the segment has written there, and no finding may name it.
 *
 * Why this is sound.  In a witness, put each elided access back right behind what came before it in
 * its thread.  It sees and shows the same there as the access it repeats, unless another thread's
 * conflicting access comes in between; then the witness passes a data race on these bytes, a true
 * one, since the thread does nothing but plain accesses between the two, and `check` does not call
 * a finding certain whose witness leans on such a race (src/predict/repeats.h tells the exact rule;
 * a property test puts the repeats back and has the verifier judge).  hb, cp, lockset and mb judge
 * an access and its repeat alike: same thread, same locks, no edge in or out between them.
 */
#ifndef FW_RUNTIME_SHADOW_H
#define FW_RUNTIME_SHADOW_H

#include "runtime/thread.h"

#define FW_SHADOW_BITS   21u /* words: 16 MiB of memory, 16 MiB of cells */
#define FW_SHADOW_CELLS  (1u << FW_SHADOW_BITS)
#define FW_SEGMENT_SHIFT 19u
#define FW_SEGMENT_BITS  FW_SHADOW_BITS

#define FW_SHADOW_AGAIN  (UINT64_C(1) << 63) /* its write will be said again */

extern uint64_t fw_shadow[FW_SHADOW_CELLS + 1]; /* the last one stays 0 */
/* All accesses are recorded: cells stay 0, which nothing repeats.  After so many records that ends:
 * short recordings have everything, and long ones do not grow. */
extern bool fw_shadow_unused;
extern uint64_t fw_shadow_whole;

/* Tells the recorder whether accesses are left out, when its ring is new. */
void fw_shadow_tell(void);

static inline uint64_t *fw_shadow_cell(uintptr_t address)
{
    return &fw_shadow[address >> 3 & (FW_SHADOW_CELLS - 1)];
}

/* A cell's upper bits for this access; not a word's address: bits that no cell has. */
static inline uint64_t fw_shadow_key(uintptr_t address)
{
    return (uint64_t)address << 16 ^ fw_hot.segment;
}

/* Bits of a cell for `size` bytes (that do not leave the word) from address. */
static inline uint64_t fw_shadow_bits(uintptr_t address, unsigned size, bool write)
{
    return (uint64_t)((1u << size) - 1) << (address & 7) << (write ? 8 : 0);
}

/* What of (cell xor key) must be like `bits` for the access to need no record. */
static inline uint64_t fw_shadow_mask(uint64_t bits, bool write)
{
    return ((~UINT64_C(0xffff) | bits) & ~FW_SHADOW_AGAIN) | (write ? FW_SHADOW_AGAIN : 0);
}

/* Does this access need no record?  Says no to accesses that are not aligned. */
static inline bool fw_shadow_repeats(uintptr_t address, unsigned size, bool write)
{
    uint64_t cell = *fw_shadow_cell(address);
    uint64_t bits = size == 8 ? (write ? 0xff00 : 0xff) : fw_shadow_bits(address, size, write);
    uint64_t want = bits | (write ? FW_SHADOW_AGAIN : 0);

    if (size == 8)
        return ((cell ^ fw_shadow_key(address)) & fw_shadow_mask(bits, write)) == want;
    if (size > 1 && address & (size - 1))
        return false;
    return ((cell ^ fw_shadow_key(address & ~(uintptr_t)7)) & fw_shadow_mask(bits, write)) == want;
}

/* The same of 16 bytes.  (The word behind the table's last one is looked for in the wrong place,
 * and not found.) */
static inline bool fw_shadow_pair_repeats(uintptr_t address, bool write)
{
    const uint64_t *cell = fw_shadow_cell(address);
    uint64_t bits = write ? 0xff00 : 0xff, want = bits | (write ? FW_SHADOW_AGAIN : 0);
    uint64_t first = cell[0] ^ fw_shadow_key(address) ^ want;
    uint64_t second = cell[1] ^ fw_shadow_key(address + 8) ^ want;

    return ((first | second) & fw_shadow_mask(bits, write)) == 0;
}

/* Remembers an access within one word; false: it needs no record. */
bool fw_shadow_note(struct fw_thread *t, uintptr_t address, unsigned size, bool write,
                    uintptr_t pc);
/* Notes the words of a range; *first and *end bound what needs a record.  False: nothing does. */
bool fw_shadow_note_range(struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                          uintptr_t pc, uintptr_t *first, uintptr_t *end);
/* An access of which nothing is remembered (atomics). */
void fw_shadow_forget(uintptr_t address);

/* Says again what is to be said again: all of it, as the segment ends, or what lies in a block. */
void fw_segment_close(struct fw_thread *t);
void fw_segment_close_block(struct fw_thread *t, uintptr_t address, size_t bytes);

#endif
