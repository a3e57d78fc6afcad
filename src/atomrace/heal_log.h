/*
 * heal_log.h - what healing does, counted and logged in the file that is shared with the command.
 */
#ifndef FW_ATOMRACE_HEAL_LOG_H
#define FW_ATOMRACE_HEAL_LOG_H

#include "atomrace/heal_wire.h"
#include "runtime/futex.h"

/* The mapped file. */
extern struct fw_heal_wire *fw_heal_wire;

/* The calling thread's own counters; NULL: it has none. */
extern __thread struct fw_heal_counts *fw_heal_counts;

/* relaxed: numbers for people */
static inline void fw_heal_count(enum fw_heal_count what, uint64_t by)
{
    struct fw_heal_counts *own = fw_heal_counts;

    if (own)
        atomic_store_explicit(&own->at[what],
                              atomic_load_explicit(&own->at[what], memory_order_relaxed) + by,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&fw_heal_wire->counts[0].at[what], by, memory_order_relaxed);
}

/* A new set of counters; NULL: there are no more. */
struct fw_heal_counts *fw_heal_counts_new(void);

/* As fw_now, but by a system call: libc's function is intercepted, and who is in an interceptor
 * lets go of what it holds. */
static inline uint64_t fw_heal_now(void)
{
    struct timespec time = { 0 };

    fw_call(SYS_clock_gettime, CLOCK_MONOTONIC, &time, 0, 0);
    return (uint64_t)time.tv_sec * FW_SECOND + (uint64_t)time.tv_nsec;
}

/* All but its turn and its process. */
void fw_heal_log(const struct fw_heal_entry *entry);

#endif
