/*
 * extents.h - the memory that a run touches, as objects that do not overlap.
 *
 * Accesses that share a byte are of one object; which bytes make one is found out as they come.  An
 * object is known by a number, the address of its first byte.  Accesses of more than one word
 * (eight bytes, aligned) are of several objects, one for each word.  When an access shows that
 * what was taken for several objects is one, the first of them stands for all.
 *
 * Not thread-safe.
 */
#ifndef FW_EXPLORE_EXTENTS_H
#define FW_EXPLORE_EXTENTS_H

#include <stdint.h>

#define FW_EXTENTS_PAGE 64u /* words of eight bytes */

/* The objects of a word: their bytes, a bit each; 0 behind the last. */
struct fw_extents_word {
    uint8_t parts[8];
};

struct fw_extents_page {
    uint64_t number; /* of its first word / FW_EXTENTS_PAGE */
    struct fw_extents_word *words; /* NULL: free */
};

struct fw_extents {
    struct fw_extents_page *pages; /* open addressing, at most half full */
    uint64_t size, count;
};

void fw_extents_init(struct fw_extents *objects);
void fw_extents_release(struct fw_extents *objects);
void fw_extents_clear(struct fw_extents *objects);

#define FW_EXTENTS_WORDS 512u /* of one access; the rest of a larger one is not looked at */

/* The objects of an access, one for each word of it; returns how many. */
unsigned fw_extents_of(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       uint64_t numbers[FW_EXTENTS_WORDS]);

/* They will be asked for soon. */
void fw_extents_fetch(const struct fw_extents *objects, uint64_t address);

/* Calls `visit` for every object in these bytes, in their order, and forgets it. */
void fw_extents_forget(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       void (*visit)(void *context, uint64_t number), void *context);

#endif
