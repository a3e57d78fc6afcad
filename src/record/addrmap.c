/* addrmap.c - see addrmap.h. */
#include "record/addrmap.h"

#include <string.h>

#define FIRST_SIZE 256u

void fw_addrmap_grow(struct fw_addrmap *map)
{
    struct fw_addrmap old = *map;

    map->size = old.size ? old.size * 2 : FIRST_SIZE;
    map->slots = fw_xcalloc(map->size, sizeof *map->slots);
    for (size_t i = 0; i < old.size; i++) {
        size_t to;

        if (!old.slots[i].key_plus_1)
            continue;
        to = fw_addrmap_home(map, old.slots[i].key_plus_1 - 1);
        while (map->slots[to].key_plus_1)
            to = (to + 1) & (map->size - 1);
        map->slots[to] = old.slots[i];
    }
    free(old.slots);
}

void fw_addrmap_remove(struct fw_addrmap *map, uint64_t key)
{
    uint64_t *value = fw_addrmap_find(map, key);
    size_t mask = map->size - 1, gap;

    if (!value)
        return;
    gap = (size_t)((struct fw_addrmap_slot *)((char *)value -
                                              offsetof(struct fw_addrmap_slot, value)) -
                   map->slots);
    for (size_t i = (gap + 1) & mask; map->slots[i].key_plus_1; i = (i + 1) & mask) {
        size_t wanted = fw_addrmap_home(map, map->slots[i].key_plus_1 - 1);

        if (((i - wanted) & mask) >= ((i - gap) & mask)) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap] = (struct fw_addrmap_slot) { 0 };
    map->count--;
}

void fw_addrmap_clear(struct fw_addrmap *map)
{
    if (map->size)
        memset(map->slots, 0, map->size * sizeof *map->slots);
    map->count = 0;
}
