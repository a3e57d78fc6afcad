/* clock.c - see clock.h. */
#include "order/clock.h"

#include "base/alloc.h"

#include <stdlib.h>

void fw_clock_release(struct fw_clock *clock)
{
    free(clock->at);
    memset(clock, 0, sizeof *clock);
}

static void reserve(struct fw_clock *clock, uint32_t len)
{
    if (len <= clock->cap)
        return;
    clock->cap = clock->cap * 2 > len ? clock->cap * 2 : (len + 7) / 8 * 8;
    clock->at = fw_xrealloc(clock->at, clock->cap, sizeof *clock->at);
}

void fw_clock_grow(struct fw_clock *clock, uint32_t len)
{
    if (len <= clock->len)
        return;
    reserve(clock, len);
    memset(clock->at + clock->len, 0, (len - clock->len) * sizeof *clock->at);
    clock->len = len;
}

void fw_clock_join(struct fw_clock *clock, const struct fw_clock *other)
{
    uint32_t *to = clock->at;
    const uint32_t *from = other->at;
    uint32_t len = other->len;

    if (len > clock->len) {
        fw_clock_grow(clock, len);
        to = clock->at;
    }
    for (uint32_t i = 0; i < len; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

void fw_clock_copy(struct fw_clock *clock, const struct fw_clock *other)
{
    reserve(clock, other->len);
    if (other->len)
        memcpy(clock->at, other->at, other->len * sizeof *clock->at);
    clock->len = other->len;
}
