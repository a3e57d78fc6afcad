/* idsort.c - see idsort.h: few ids by insertion, more by their bytes, from the least one. */
#include "base/idsort.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define FEW 48u

static void sort_few(uint32_t *at, size_t len)
{
    for (size_t i = 1; i < len; i++) {
        uint32_t id = at[i];
        size_t j = i;

        for (; j > 0 && at[j - 1] > id; j--)
            at[j] = at[j - 1];
        at[j] = id;
    }
}

/* Into another array; ids with an equal byte keep their order. */
static void sort_by_byte(const uint32_t *from, uint32_t *to, size_t len, unsigned shift)
{
    size_t starts[256] = { 0 }, sum = 0;

    for (size_t i = 0; i < len; i++)
        starts[from[i] >> shift & 0xff]++;
    for (size_t i = 0; i < 256; i++) {
        size_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < len; i++)
        to[starts[from[i] >> shift & 0xff]++] = from[i];
}

static void sort_many(uint32_t *at, size_t len)
{
    uint32_t *other = fw_xrealloc(NULL, len, sizeof *other);
    uint32_t bits = 0;

    for (size_t i = 0; i < len; i++)
        bits |= at[i];
    for (unsigned shift = 0; shift < 32 && bits >> shift; shift += 8) {
        sort_by_byte(at, other, len, shift);
        memcpy(at, other, len * sizeof *at);
    }
    free(other);
}

size_t fw_idsort_unique(uint32_t *at, size_t len)
{
    size_t kept = 0;

    if (len < FEW)
        sort_few(at, len);
    else
        sort_many(at, len);
    for (size_t i = 0; i < len; i++)
        if (kept == 0 || at[kept - 1] != at[i])
            at[kept++] = at[i];
    return kept;
}
