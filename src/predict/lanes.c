/* lanes.c - see lanes.h. */
#include "predict/lanes.h"

void fw_lanes_release(struct fw_lanes *lanes)
{
    free(lanes->at);
    free(lanes->items);
    free(lanes->staged);
    free(lanes->slots);
    *lanes = (struct fw_lanes) { 0 };
}

static uint32_t hash_of(const struct fw_lane_key *key)
{
    uint64_t h = key->thread;

    h = (h ^ key->locks) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ key->sites[0]) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 31 ^ key->sites[1]) * UINT64_C(0x94d049bb133111eb);
    h = (h ^ h >> 30 ^ key->kinds) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static bool same_key(const struct fw_lane_key *a, const struct fw_lane_key *b)
{
    return a->thread == b->thread && a->locks == b->locks && a->sites[0] == b->sites[0] &&
           a->sites[1] == b->sites[1] && a->kinds == b->kinds;
}

/*
 * Empties the slots by walking from each lane's home to the next free slot:
 * whatever lies behind a home was reached from there, so nothing is left over.
 */
void fw_lanes_clear(struct fw_lanes *lanes)
{
    uint32_t mask = lanes->slot_count - 1;

    for (uint32_t n = 0; n < lanes->len; n++)
        for (uint32_t i = hash_of(&lanes->at[n].key) & mask; lanes->slots[i]; i = (i + 1) & mask)
            lanes->slots[i] = 0;
    lanes->len = 0;
    lanes->staged_len = 0;
}

static void place(struct fw_lanes *lanes, uint32_t n)
{
    uint32_t mask = lanes->slot_count - 1, i = hash_of(&lanes->at[n].key) & mask;

    while (lanes->slots[i])
        i = (i + 1) & mask;
    lanes->slots[i] = n + 1;
}

static void grow_slots(struct fw_lanes *lanes)
{
    lanes->slot_count = lanes->slot_count ? lanes->slot_count * 2 : 64;
    free(lanes->slots);
    lanes->slots = fw_xcalloc(lanes->slot_count, sizeof *lanes->slots);
    for (uint32_t n = 0; n < lanes->len; n++)
        place(lanes, n);
}

static uint32_t new_lane(struct fw_lanes *lanes, const struct fw_lane_key *key)
{
    if (lanes->len == lanes->cap) {
        lanes->cap = lanes->cap ? lanes->cap * 2 : 16;
        lanes->at = fw_xrealloc(lanes->at, lanes->cap, sizeof *lanes->at);
    }
    lanes->at[lanes->len] = (struct fw_lane) { *key, 0, 0 };
    lanes->len++;
    if (lanes->len * 2 > lanes->slot_count)
        grow_slots(lanes);
    else
        place(lanes, lanes->len - 1);
    return lanes->len - 1;
}

static uint32_t lane_of(struct fw_lanes *lanes, const struct fw_lane_key *key)
{
    uint32_t mask = lanes->slot_count - 1;

    if (lanes->slot_count)
        for (uint32_t i = hash_of(key) & mask; lanes->slots[i]; i = (i + 1) & mask)
            if (same_key(&lanes->at[lanes->slots[i] - 1].key, key))
                return lanes->slots[i] - 1;
    return new_lane(lanes, key);
}

void fw_lanes_add(struct fw_lanes *lanes, const struct fw_lane_key *key, struct fw_span span)
{
    uint32_t lane = lane_of(lanes, key);

    if (lanes->staged_len == lanes->staged_cap) {
        lanes->staged_cap = lanes->staged_cap ? lanes->staged_cap * 2 : 64;
        lanes->staged = fw_xrealloc(lanes->staged, lanes->staged_cap, sizeof *lanes->staged);
    }
    lanes->staged[lanes->staged_len++] = (struct lanes_staged) { span, lane };
    lanes->at[lane].count++;
}

void fw_lanes_finish(struct fw_lanes *lanes)
{
    uint32_t start = 0;

    if (lanes->items_cap < lanes->staged_len) {
        free(lanes->items);
        lanes->items_cap = lanes->staged_cap;
        lanes->items = fw_xrealloc(NULL, lanes->items_cap, sizeof *lanes->items);
    }
    for (uint32_t n = 0; n < lanes->len; n++) {
        lanes->at[n].start = start;
        start += lanes->at[n].count;
        lanes->at[n].count = 0;
    }
    for (size_t i = 0; i < lanes->staged_len; i++) {
        struct fw_lane *lane = &lanes->at[lanes->staged[i].lane];

        lanes->items[lane->start + lane->count++] = lanes->staged[i].span;
    }
}

bool fw_lock_lists_compatible(struct fw_lock_list a, struct fw_lock_list b)
{
    uint32_t i = 0, k = 0;

    while (i < a.len && k < b.len) {
        if (a.at[i] / 2 == b.at[k] / 2 && !(a.at[i] & b.at[k] & 1))
            return false;
        if (a.at[i] / 2 <= b.at[k] / 2)
            i++;
        else
            k++;
    }
    return true;
}
