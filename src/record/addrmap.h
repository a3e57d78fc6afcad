/*
 * addrmap.h - 64-bit keys (addresses, record numbers) to 64-bit values, with removal.
 *
 * Open addressing, linear probing, at most half full; removal closes the gap.  All zero is an
 * empty map.  A key is never UINT64_MAX.
 */
#ifndef FW_RECORD_ADDRMAP_H
#define FW_RECORD_ADDRMAP_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct fw_addrmap_slot {
    uint64_t key_plus_1; /* 0: free */
    uint64_t value;
};

struct fw_addrmap {
    struct fw_addrmap_slot *slots;
    size_t size, count;
};

static inline void fw_addrmap_release(struct fw_addrmap *map)
{
    free(map->slots);
    *map = (struct fw_addrmap) { 0 };
}

static inline size_t fw_addrmap_home(const struct fw_addrmap *map, uint64_t key)
{
    return (size_t)((key + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (map->size - 1);
}

/* Where the value of the key stands, or NULL; good until the map changes. */
static inline uint64_t *fw_addrmap_find(const struct fw_addrmap *map, uint64_t key)
{
    if (!map->size)
        return NULL;
    for (size_t i = fw_addrmap_home(map, key); map->slots[i].key_plus_1;
         i = (i + 1) & (map->size - 1))
        if (map->slots[i].key_plus_1 == key + 1)
            return &map->slots[i].value;
    return NULL;
}

void fw_addrmap_grow(struct fw_addrmap *map);

/* Sets the value of a key, known or new. */
static inline void fw_addrmap_set(struct fw_addrmap *map, uint64_t key, uint64_t value)
{
    uint64_t *known = fw_addrmap_find(map, key);
    size_t i;

    if (known) {
        *known = value;
        return;
    }
    if (++map->count * 2 > map->size)
        fw_addrmap_grow(map);
    for (i = fw_addrmap_home(map, key); map->slots[i].key_plus_1;)
        i = (i + 1) & (map->size - 1);
    map->slots[i] = (struct fw_addrmap_slot) { key + 1, value };
}

/* Removes the key if it is there. */
void fw_addrmap_remove(struct fw_addrmap *map, uint64_t key);
/* Removes all keys. */
void fw_addrmap_clear(struct fw_addrmap *map);

#endif
