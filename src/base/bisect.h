/*
 * bisect.h - where a number stands among ascending ones.
 */
#ifndef FW_BASE_BISECT_H
#define FW_BASE_BISECT_H

#include <stdint.h>

/* How many of the items are below the value: the place of the first that is not. */
static inline uint32_t fw_count_below(const uint32_t *items, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (items[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

#endif
