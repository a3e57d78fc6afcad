/*
 * idmap.h - finds ids by hash; what the ids stand for is the user's business.
 *
 *     static bool equal(const void *key, uint32_t id) { return items[id] is *key; }
 *
 *     id = fw_idmap_find(&map, hash, equal, &key);
 *     if (id == FW_IDMAP_NONE)
 *         fw_idmap_add(&map, hash, id = new item);
 *
 * Open addressing over (hash, id) slots of eight bytes, at most half full.
 */
#ifndef FW_BASE_IDMAP_H
#define FW_BASE_IDMAP_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define FW_IDMAP_NONE UINT32_MAX

struct fw_idmap_slot {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
};

/* All zero is an empty map. */
struct fw_idmap {
    struct fw_idmap_slot *slots;
    uint32_t size; /* a power of two, or 0 */
    uint32_t count;
};

static inline void fw_idmap_release(struct fw_idmap *map)
{
    free(map->slots);
    *map = (struct fw_idmap) { 0 };
}

/* The id with this hash that `equal` accepts, or FW_IDMAP_NONE. */
static inline uint32_t fw_idmap_find(const struct fw_idmap *map, uint32_t hash,
                                     bool (*equal)(const void *key, uint32_t id), const void *key)
{
    uint32_t mask = map->size - 1;

    if (!map->size)
        return FW_IDMAP_NONE;
    for (uint32_t i = hash & mask; map->slots[i].id_plus_1; i = (i + 1) & mask)
        if (map->slots[i].hash == hash && equal(key, map->slots[i].id_plus_1 - 1))
            return map->slots[i].id_plus_1 - 1;
    return FW_IDMAP_NONE;
}

static inline void fw_idmap_place(struct fw_idmap *map, struct fw_idmap_slot slot)
{
    uint32_t i = slot.hash & (map->size - 1);

    while (map->slots[i].id_plus_1)
        i = (i + 1) & (map->size - 1);
    map->slots[i] = slot;
}

static inline void fw_idmap_grow(struct fw_idmap *map)
{
    struct fw_idmap old = *map;

    map->size = old.size ? old.size * 2 : 64;
    map->slots = fw_xcalloc(map->size, sizeof *map->slots);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].id_plus_1)
            fw_idmap_place(map, old.slots[i]);
    free(old.slots);
}

static inline void fw_idmap_add(struct fw_idmap *map, uint32_t hash, uint32_t id)
{
    if (map->count++ * 2 >= map->size)
        fw_idmap_grow(map);
    fw_idmap_place(map, (struct fw_idmap_slot) { hash, id + 1 });
}

#endif
