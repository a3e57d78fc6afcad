/*
 * lives.h - the lives of memory: which records make an address mean something new.
 *
 * A word of memory begins a new life when it is allocated, mapped, unmapped, when it becomes part
 * of a thread's stack, when a heap block grows into it, or when its module is unloaded.  A life
 * lasts until the next one begins: memory that was freed is still the same memory, so that a use
 * after the free is seen as one.  Lives are numbered in the order of their records; life 0 is
 * whatever was there from the beginning.  Both passes over a recording (survey.h, final.h) count
 * them here, so the numbers agree.
 *
 * A life covers whole words: of a word at its beginning that it does not cover, the former life
 * goes on; a word at its end belongs to it (malloc aligns to words).
 */
#ifndef FW_RECORD_LIVES_H
#define FW_RECORD_LIVES_H

#include "base/vec.h"
#include "record/addrmap.h"
#include "record/units.h"

enum fw_life_event {
    FW_LIFE_NOTHING,
    FW_LIFE_BEGINS,
    FW_LIFE_FREED, /* of a heap block that is known */
};

struct fw_life {
    uint32_t number;       /* FW_LIFE_BEGINS */
    uint64_t start, bytes; /* as the record says; never beyond the last address */
    uint64_t word, end;    /* words: addresses divided by 8 */
    uint64_t block;        /* heap: the how manieth allocation, from 1; 0: not heap ... */
    uint64_t origin;       /* ... and where the block begins */
};

struct fw_loaded {
    uint64_t base, bytes;
};

/* All zero is the beginning. */
struct fw_lives {
    uint32_t count;           /* the number of the latest */
    uint64_t blocks;          /* allocations so far */
    struct fw_addrmap bytes;  /* start of a heap block that was not freed → bytes */
    struct fw_addrmap number; /* ... → the how manieth allocation */
    FW_VEC(struct fw_loaded) modules;
};

void fw_lives_release(struct fw_lives *lives);

/* What a record means for the lives of memory; most mean nothing. */
enum fw_life_event fw_lives_note(struct fw_lives *lives, const struct fw_wire_unit *record,
                                 struct fw_life *life);

static inline bool fw_lives_concerns(unsigned kind)
{
    return kind == FW_WIRE_ALLOC || kind == FW_WIRE_FREE || kind == FW_WIRE_RESIZE ||
           kind == FW_WIRE_MAP || kind == FW_WIRE_UNMAP || kind == FW_WIRE_START ||
           kind == FW_WIRE_MODULE || kind == FW_WIRE_UNLOAD;
}

#endif
