/*
 * clock.h - vector clocks.
 *
 * A clock says, for each thread, how many of its events it has seen; threads
 * beyond `len` count zero, so clocks grow as threads appear and two clocks of
 * different length compare as expected.  Times are event counts of a thread,
 * starting at 1; 32 bits suffice for what one thread does in one trace.
 *
 * Embedded in their owners: fw_clock_init is all zero, fw_clock_release frees.
 * Not thread-safe.
 */
#ifndef FW_ORDER_CLOCK_H
#define FW_ORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct fw_clock {
    uint32_t *at;
    uint32_t len, cap;
};

void fw_clock_release(struct fw_clock *clock);

/* Makes room for `len` threads. */
void fw_clock_grow(struct fw_clock *clock, uint32_t len);

static inline uint32_t fw_clock_get(const struct fw_clock *clock, uint32_t thread)
{
    return thread < clock->len ? clock->at[thread] : 0;
}

static inline void fw_clock_set(struct fw_clock *clock, uint32_t thread, uint32_t time)
{
    if (thread >= clock->len)
        fw_clock_grow(clock, thread + 1);
    clock->at[thread] = time;
}

/* Has the clock seen the thread's event at this time? */
static inline bool fw_clock_covers(const struct fw_clock *clock, uint32_t thread, uint32_t time)
{
    return fw_clock_get(clock, thread) >= time;
}

/* The smallest clock above both, into the first. */
void fw_clock_join(struct fw_clock *clock, const struct fw_clock *other);
void fw_clock_copy(struct fw_clock *clock, const struct fw_clock *other);

static inline void fw_clock_clear(struct fw_clock *clock)
{
    clock->len = 0;
}

#endif
