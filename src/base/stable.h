/*
 * stable.h - a growing array whose items never move.
 *
 * Items lie in chunks that double in size, so item i is found with a few
 * instructions and a pointer to it stays good.  One thread may add items while
 * others read those whose numbers they were handed (through a lock or an
 * atomic that orders the two): a reader touches no memory that adding writes.
 */
#ifndef FW_BASE_STABLE_H
#define FW_BASE_STABLE_H

#include "base/alloc.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FW_STABLE_FIRST_BITS 6 /* the first chunk holds 64 items */
#define FW_STABLE_CHUNKS     (32 - FW_STABLE_FIRST_BITS)

struct fw_stable {
    char *chunks[FW_STABLE_CHUNKS];
    size_t item_size; /* set once, before the first item */
    uint32_t count;
};

/* The item of this number, which must be there. */
static inline void *fw_stable_at(const struct fw_stable *stable, uint32_t i)
{
    uint32_t n = i + (1u << FW_STABLE_FIRST_BITS);
    unsigned bits = 31 - (unsigned)__builtin_clz(n);

    return stable->chunks[bits - FW_STABLE_FIRST_BITS] + (n - (1u << bits)) * stable->item_size;
}

/* The number of the first of `run` new items, all zero, that lie side by side. */
static inline uint32_t fw_stable_add_run(struct fw_stable *stable, uint32_t run)
{
    for (;;) {
        uint32_t n = stable->count + (1u << FW_STABLE_FIRST_BITS);
        unsigned bits = 31 - (unsigned)__builtin_clz(n);
        uint32_t left = (uint32_t)(((uint64_t)2 << bits) - n);

        if (n == 1u << bits && !stable->chunks[bits - FW_STABLE_FIRST_BITS])
            stable->chunks[bits - FW_STABLE_FIRST_BITS] = fw_xcalloc(n, stable->item_size);
        if (left >= run) {
            stable->count += run;
            return stable->count - run;
        }
        stable->count += left; /* the rest of this chunk stays unused */
    }
}

/* A new item, all zero. */
static inline void *fw_stable_add(struct fw_stable *stable)
{
    return fw_stable_at(stable, fw_stable_add_run(stable, 1));
}

static inline void fw_stable_release(struct fw_stable *stable)
{
    for (unsigned i = 0; i < FW_STABLE_CHUNKS; i++)
        free(stable->chunks[i]);
    memset(stable, 0, sizeof *stable);
}

#endif
