/*
 * hb_set.c - the accesses to a variable since its latest plain write, but those
 * that a later one stands for.
 *
 * FastTrack's read vector, for atomic accesses too.  An access stands for an
 * earlier one if that one happens before it and conflicts with nothing that it
 * does not conflict with itself: who races with the earlier one races with it
 * as well.  So at most one access of each thread and kind is kept, and fewer
 * where threads synchronise.
 *
 * Sets come in powers of two and are used again.
 */
#include "analysis/hb_state.h"

#define SMALLEST 4u

#define BIT(kind) ((uint64_t)1 << (kind))

/*
 * What a kind conflicts with, from the least to the most: an atomic load with
 * plain writes; a read with atomic writes too; an atomic write with plain
 * writes and reads.  So the last two do not stand for each other.
 */
const uint64_t hb_stands_for[FW_KIND_COUNT] = {
    [FW_ATOMIC_LOAD] = BIT(FW_ATOMIC_LOAD),
    [FW_READ] = BIT(FW_READ) | BIT(FW_ATOMIC_LOAD),
    [FW_ATOMIC_STORE] = BIT(FW_ATOMIC_STORE) | BIT(FW_ATOMIC_RMW) | BIT(FW_ATOMIC_LOAD),
    [FW_ATOMIC_RMW] = BIT(FW_ATOMIC_STORE) | BIT(FW_ATOMIC_RMW) | BIT(FW_ATOMIC_LOAD),
};

static unsigned class_of(uint32_t capacity)
{
    return (unsigned)__builtin_ctz(capacity / SMALLEST);
}

struct hb_set *hb_set_create(struct hb *hb, uint32_t capacity)
{
    unsigned class;
    struct hb_set *set;

    if (capacity < SMALLEST)
        capacity = SMALLEST;
    class = class_of(capacity);
    FW_ASSERT(class < HB_SET_CLASSES);
    set = hb->spare_sets[class];
    if (set)
        hb->spare_sets[class] = set->at[0].set;
    else
        set = fw_xmalloc(sizeof *set + capacity * sizeof set->at[0]);
    set->count = 0;
    set->capacity = capacity;
    return set;
}

void hb_set_destroy(struct hb *hb, struct hb_set *set)
{
    unsigned class = class_of(set->capacity);

    set->at[0].set = hb->spare_sets[class];
    hb->spare_sets[class] = set;
}

static struct hb_set *grow(struct hb *hb, struct hb_set *set)
{
    struct hb_set *larger = hb_set_create(hb, set->capacity * 2);

    memcpy(larger->at, set->at, set->count * sizeof set->at[0]);
    larger->count = set->count;
    hb_set_destroy(hb, set);
    return larger;
}

struct hb_set *hb_set_add(struct hb *hb, struct hb_set *set, const struct fw_clock *clock,
                          uint64_t epoch)
{
    uint64_t gone = hb_stands_for[hb_epoch_kind(epoch)];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < set->count; i++) {
        uint64_t old = set->at[i].epoch;

        if (gone >> hb_epoch_kind(old) & 1 && hb_covers(clock, old))
            continue;
        if (kept != i)
            set->at[kept] = set->at[i];
        kept++;
    }
    set->count = kept;
    if (set->count == set->capacity)
        set = grow(hb, set);
    set->count++;
    return set;
}

void hb_set_release_spares(struct hb *hb)
{
    for (unsigned class = 0; class < HB_SET_CLASSES; class ++) {
        while (hb->spare_sets[class]) {
            struct hb_set *set = hb->spare_sets[class];

            hb->spare_sets[class] = set->at[0].set;
            free(set);
        }
    }
}
