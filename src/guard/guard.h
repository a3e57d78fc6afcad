/*
 * guard.h - a third kind of the runtime: threads run in parallel, without a token, and accesses at
 * some sites are looked at: on which accesses of other threads do they immediately depend?
 *
 * Learning and guarding are one mechanism (guard_wire.h has the modes), so that what is enforced is
 * what was learnt, in the same way and at the same granularity.  Calls of hooks at all other sites
 * are made nothing when their module is loaded (patch.h).
 *
 * A violation is waited out, for a bounded time: until the word's state has changed so that the
 * access is allowed.  Where that does not come, it is made all the same, logged, and its pair is
 * allowed for the rest of the run.  Nothing here takes a lock that the program could wait for.
 */
#ifndef FW_GUARD_GUARD_H
#define FW_GUARD_GUARD_H

#include "guard/guard_wire.h"
#include "guard/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern struct fw_guard_head *fw_guard; /* NULL: nothing is to be done */

/* Maps the file and memory for the words; false: it says why on standard error.  Strict: then it
 * ends the program. */
bool fw_guard_open(const char *path, bool strict);

/* In the child of a fork. */
void fw_guard_forked(void);

/* The long way of a hook; site is not 0, region as in region.h. */
void fw_guard_access(uintptr_t address, size_t bytes, bool write, uint32_t site,
                     uintptr_t region);
/* Memory is about to be given back. */
void fw_guard_freed(const void *memory, size_t bytes);

/* --- threads (threads.c) --------------------------------------------------------------------- */

/* The calling thread's number, from 1; 0: it has none. */
extern __thread uint32_t fw_guard_self;
uint32_t fw_guard_self_new(void);
bool fw_guard_threads_begin(void);
/* Threads that have numbers now. */
uint32_t fw_guard_threads(void);

/* --- sites (sites.c) ------------------------------------------------------------------------- */

struct fw_guard_table {
    uintptr_t begin;  /* what the first number is of */
    uintptr_t length; /* numbers */
    uint32_t *sites;   /* with FW_GUARD_REGION */
    uint64_t *regions; /* where there are regions: the hook's function << 16 | its frame */
    uintptr_t base, end; /* of the module: where address 0 of its file is, and behind its hooks */
    uint32_t module;
};

extern struct fw_guard_table fw_guard_tables[FW_GUARD_MODULES];
extern _Atomic uint32_t fw_guard_table_count;

/* A module was loaded: its hooks are known from now on, and its calls changed. */
void fw_guard_module(const char *path, uintptr_t base);
uint32_t fw_guard_place_elsewhere(uintptr_t pc);
/* Of a place with FW_GUARD_REGION; else 0. */
uint64_t fw_guard_region_at(uintptr_t pc);
/* As in the log: (module + 1) << 48 | offset; 0: in none that is known. */
uint64_t fw_guard_frame(uintptr_t pc);

#define FW_GUARD_REGION (1u << 31) /* a region begins there, or goes on (region.h) */

/* The site whose hook returns there, perhaps with FW_GUARD_REGION; 0: none that is watched. */
static inline uint32_t fw_guard_place(uintptr_t pc)
{
    uintptr_t at = pc - fw_guard_tables[0].begin;

    if (__builtin_expect(at < fw_guard_tables[0].length, 1))
        return fw_guard_tables[0].sites[at];
    return fw_guard_place_elsewhere(pc);
}

static inline uint32_t fw_guard_site(uintptr_t pc)
{
    return fw_guard_place(pc) & ~FW_GUARD_REGION;
}

#endif
