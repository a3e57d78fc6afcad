/*
 * mb_clock.h - vector clocks in steps of eight components.
 *
 * Must-before joins and compares clocks all the time.  Its clocks are plain
 * struct fw_clock whose length is a multiple of eight, so that the inner loops
 * have a fixed count and the compiler turns them into vector instructions.
 * Only these functions may make such a clock longer.
 */
#ifndef FW_ANALYSIS_MB_CLOCK_H
#define FW_ANALYSIS_MB_CLOCK_H

#include "order/clock.h"

#define MB_LANES 8u
#define MB_NEVER UINT32_MAX /* a time that no clock reaches */

static inline void mb_clock_raise(struct fw_clock *clock, uint32_t thread, uint32_t time)
{
    if (thread >= clock->len)
        fw_clock_grow(clock, (thread / MB_LANES + 1) * MB_LANES);
    if (clock->at[thread] < time)
        clock->at[thread] = time;
}

/* The smallest clock above both, into the first; true if that is news. */
static inline bool mb_clock_join(struct fw_clock *to, const struct fw_clock *from)
{
    uint32_t news = 0;

    if (from->len > to->len)
        fw_clock_grow(to, from->len);
    for (uint32_t i = 0; i < from->len; i += MB_LANES) {
        uint32_t *a = to->at + i;
        const uint32_t *b = from->at + i;

        for (uint32_t j = 0; j < MB_LANES; j++) {
            uint32_t most = a[j] > b[j] ? a[j] : b[j];

            news |= most ^ a[j];
            a[j] = most;
        }
    }
    return news != 0;
}

/* Is the first at or below the second, everywhere? */
static inline bool mb_clock_below(const struct fw_clock *clock, const struct fw_clock *other)
{
    uint32_t common = clock->len < other->len ? clock->len : other->len, above = 0;

    for (uint32_t i = 0; i < common; i += MB_LANES)
        for (uint32_t j = 0; j < MB_LANES; j++)
            above |= clock->at[i + j] > other->at[i + j];
    for (uint32_t i = common; i < clock->len; i++)
        above |= clock->at[i] > 0;
    return !above;
}

/* Limits: clocks whose missing components are MB_NEVER. */
static inline void mb_limits_lower(struct fw_clock *limits, uint32_t thread, uint32_t time)
{
    if (thread >= limits->len) {
        uint32_t from = limits->len;

        fw_clock_grow(limits, (thread / MB_LANES + 1) * MB_LANES);
        for (uint32_t i = from; i < limits->len; i++)
            limits->at[i] = MB_NEVER;
    }
    if (limits->at[thread] > time)
        limits->at[thread] = time;
}

/* Does the clock reach the limit of any thread? */
static inline bool mb_clock_reaches(const struct fw_clock *clock, const struct fw_clock *limits)
{
    uint32_t common = clock->len < limits->len ? clock->len : limits->len, any = 0;

    for (uint32_t i = 0; i < common; i += MB_LANES)
        for (uint32_t j = 0; j < MB_LANES; j++)
            any |= clock->at[i + j] >= limits->at[i + j];
    return any != 0;
}

#endif
