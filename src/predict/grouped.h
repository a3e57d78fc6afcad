/*
 * grouped.h - positions of events by object, then by thread, then in order.
 *
 * For questions like "the last acquire of this lock among the first n events
 * of that thread": two bisections.  Immutable after building.
 */
#ifndef FW_PREDICT_GROUPED_H
#define FW_PREDICT_GROUPED_H

#include "trace/index.h"

struct fw_group {
    uint32_t thread;
    uint32_t first; /* in items; the group ends where the next one begins */
};

struct fw_grouped {
    uint32_t *start;         /* object → its first group; objects + 1 entries */
    struct fw_group *groups; /* one more at the end */
    uint32_t *items;         /* positions, ascending within a group */
    uint32_t objects;
};

/* The events of the rows that `wanted` accepts. */
void fw_grouped_build(struct fw_grouped *grouped, const struct fw_index *index,
                      const struct fw_rows *rows, bool (*wanted)(unsigned kind));
void fw_grouped_release(struct fw_grouped *grouped);
size_t fw_grouped_bytes(const struct fw_grouped *grouped);

/* Where the group's items whose place in their thread is below `len` end, in items. */
static inline uint32_t fw_group_end(const struct fw_grouped *grouped, const struct fw_index *index,
                                    const struct fw_group *group, uint32_t len)
{
    const uint32_t *items = grouped->items;
    uint32_t low = group->first, high = group[1].first;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (index->in_thread[items[mid]] < len)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The last of these items, or FW_NO_EVENT. */
static inline uint32_t fw_group_last(const struct fw_grouped *grouped,
                                     const struct fw_index *index, const struct fw_group *group,
                                     uint32_t len)
{
    uint32_t end = fw_group_end(grouped, index, group, len);

    return end > group->first ? grouped->items[end - 1] : FW_NO_EVENT;
}

/* The group of this object and thread, or NULL. */
const struct fw_group *fw_grouped_find(const struct fw_grouped *grouped, uint32_t object,
                                       uint32_t thread);

#endif
