/*
 * heal_log.h - what healing does, counted and logged in the file that is shared with the command.
 */
#ifndef FW_ATOMRACE_HEAL_LOG_H
#define FW_ATOMRACE_HEAL_LOG_H

#include "atomrace/heal_wire.h"
#include "runtime/futex.h"

/* The mapped file. */
extern struct fw_heal_wire *fw_heal_wire;

static inline void fw_heal_count(enum fw_heal_count what, uint64_t by)
{
    /* relaxed: numbers for people */
    atomic_fetch_add_explicit(&fw_heal_wire->counts[what], by, memory_order_relaxed);
}

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
