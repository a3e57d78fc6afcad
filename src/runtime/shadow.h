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
 * Why this is sound.  Let e be elided and e0 the access it repeats.  If in a witness no other
 * thread writes these bytes (for a write: accesses them) between e0 and the place of e, then
 * putting e back right there changes nothing that anybody sees: e reads what e0 read, and e's
 * write follows e0's with no one between.  (A branch that followed e follows e0 as well, so what
 * it depends on is kept.)  If another thread does access them there, then, since its thread does
 * nothing but plain accesses between e0 and e, both e and that access can be next at once: the
 * witness holds a data race on these bytes, a true one, which `race` finds by itself as a pair
 * with e0.  So every finding is a true one in a program whose other races are mended, and the
 * first race of every witness is true in any case.  hb, cp, lockset and mb judge e0 and e alike:
 * same thread, same locks, no edge in or out between them; a later access ordered after e is
 * ordered after e0.
 */
#ifndef FW_RUNTIME_SHADOW_H
#define FW_RUNTIME_SHADOW_H

#include "runtime/thread.h"

#define FW_SHADOW_BITS   21u /* words: 16 MiB of memory, 16 MiB of cells */
#define FW_SHADOW_CELLS  (1u << FW_SHADOW_BITS)
#define FW_SEGMENT_SHIFT 19u
#define FW_SEGMENT_BITS  FW_SHADOW_BITS

extern uint64_t fw_shadow[FW_SHADOW_CELLS + 1]; /* the last one stays 0 */

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

/* Was this access made before in the segment?  Says no to accesses that are not aligned. */
static inline bool fw_shadow_repeats(uintptr_t address, unsigned size, bool write)
{
    uint64_t cell = *fw_shadow_cell(address), bits;

    if (size == 8) {
        bits = write ? 0xff00 : 0xff;
        return ((cell ^ fw_shadow_key(address)) & (~UINT64_C(0xffff) | bits)) == bits;
    }
    if (size > 1 && address & (size - 1))
        return false;
    bits = fw_shadow_bits(address, size, write);
    return ((cell ^ fw_shadow_key(address & ~(uintptr_t)7)) & (~UINT64_C(0xffff) | bits)) == bits;
}

/* The same of 16 bytes.  (The word behind the table's last one is looked for in the wrong place,
 * and not found.) */
static inline bool fw_shadow_pair_repeats(uintptr_t address, bool write)
{
    const uint64_t *cell = fw_shadow_cell(address);
    uint64_t bits = write ? 0xff00 : 0xff, key = fw_shadow_key(address);
    uint64_t next = fw_shadow_key(address + 8);

    return (((cell[0] ^ key ^ bits) | (cell[1] ^ next ^ bits)) & (~UINT64_C(0xffff) | bits)) == 0;
}

/* Remembers it; true: it was there already. */
static inline bool fw_shadow_mark(uintptr_t address, unsigned size, bool write)
{
    uint64_t bits = fw_shadow_bits(address, size, write);
    uint64_t *cell = fw_shadow_cell(address);
    uint64_t key = fw_shadow_key(address & ~(uintptr_t)7);

    if (((*cell ^ key) >> 16) != 0)
        *cell = key | bits;
    else if ((*cell & bits) == bits)
        return true;
    else
        *cell |= bits;
    return false;
}

/* An access that is not to be taken for the beginning of repeats (atomics). */
static inline void fw_shadow_forget(uintptr_t address)
{
    *fw_shadow_cell(address) = 0;
}

#endif
