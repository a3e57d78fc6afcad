/*
 * idrange.h - sets of ids as ascending, disjoint ranges.
 */
#ifndef FW_BASE_IDRANGE_H
#define FW_BASE_IDRANGE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct fw_id_range {
    uint32_t first, last; /* both included */
};

FW_VEC_TYPE(fw_id_ranges, struct fw_id_range);

static inline bool fw_id_ranges_have(const struct fw_id_ranges *ranges, uint32_t id)
{
    size_t low = 0, high = ranges->len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges->at[middle].last < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranges->len && ranges->at[low].first <= id;
}

#endif
