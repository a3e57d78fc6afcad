/*
 * heal_thread.h - for tests of healing's holds: what they need of the rest of the library, some
 * sections, and a thread that comes to them.
 */
#ifndef FW_TESTS_HEAL_THREAD_H
#define FW_TESTS_HEAL_THREAD_H

#include "atomrace/heal_hold_state.h"
#include "atomrace/heal_log.h"
#include "atomrace/noise.h"
#include "atomrace/overlap.h"
#include "atomrace/region_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* --- what holds need of the rest of the library ---------------------------------------------- */

__thread struct fw_hot fw_hot;
_Atomic uint16_t fw_watch[FW_WATCH_CELLS];
_Atomic uint8_t fw_region_sites[FW_SITE_CELLS];
_Atomic uint32_t fw_places_turn;
static unsigned forced;

void fw_regions_force(void)
{
    forced++;
}

void fw_noise_dwell(void)
{
}

bool fw_holds_are_frozen(void)
{
    return fw_holds.handlers;
}

/* Sections: places are numbers, which stand for addresses that lie far apart. */
enum {
    A_ENTRY = 0x100, /* of a: ends at A_END or A_OTHER_END, exits at A_EXIT */
    A_END = 0x200,
    A_OTHER_END = 0x300,
    A_EXIT = 0x400,
    B_ENTRY = A_END, /* of b, which begins where a ends */
    B_END = 0x500,
    C_ENTRY = A_ENTRY, /* of c, which begins where a begins and ends later */
    C_END = B_END,
    ROUND = 0x600, /* entry and end of r, a circular one */
    NO_READS = 0x700, /* entry of n, which allows nothing */
    NO_READS_END = 0x800,
    ELSEWHERE = 0x900,
    FURTHER = 0xa00,
    COPY = 0x10, /* from the place of a write: the read whose value it writes */
};

static struct fw_regions_entry entries[] = {
    { .place.offset = A_ENTRY, .section = 0, .allow = FW_REGIONS_READS },
    { .place.offset = B_ENTRY, .section = 1, .allow = FW_REGIONS_READS },
    { .place.offset = C_ENTRY, .section = 2, .allow = FW_REGIONS_READS },
    { .place.offset = ROUND, .section = 3, .allow = FW_REGIONS_READS },
    { .place.offset = NO_READS, .section = 4 },
};
static struct fw_regions_end ends[] = {
    { .place.offset = A_END, .entry = 0 },
    { .place.offset = A_OTHER_END, .entry = 0 },
    { .place.offset = B_END, .entry = 1 },
    { .place.offset = C_END, .entry = 2 },
    { .place.offset = ROUND, .entry = 3 },
    { .place.offset = NO_READS_END, .entry = 4 },
};
static struct fw_regions_exit exits[] = { { .place.offset = A_EXIT, .entry = 0 } };
static unsigned entry_count; /* of those above: which sections there are */

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct fw_regions_entry *fw_regions_entry(uint32_t i)
{
    return &entries[i];
}

struct fw_regions_end *fw_regions_end(uint32_t i)
{
    return &ends[i];
}

struct fw_regions_exit *fw_regions_exit(uint32_t i)
{
    return &exits[i];
}

static inline uintptr_t at(enum fw_place_kind kind, uint32_t i)
{
    return kind == FW_PLACE_ENTRY ? entries[i].place.offset
           : kind == FW_PLACE_END ? ends[i].place.offset
                                  : exits[i].place.offset;
}

uint32_t fw_place_next(enum fw_place_kind kind, uintptr_t pc, uint32_t after)
{
    uint32_t count = kind == FW_PLACE_ENTRY ? entry_count
                     : kind == FW_PLACE_END ? COUNT(ends)
                                            : COUNT(exits);

    for (uint32_t i = after + 1; i < count; i++)
        if (at(kind, i) == pc)
            return i;
    return FW_NO_PLACE;
}

/* --- a thread -------------------------------------------------------------------------------- */

static struct fw_heal_wire wire;
static __thread struct fw_thread thread;
static __thread struct fw_frame frames[16];
static uint64_t words[32];
static __thread unsigned long_ways; /* of hooks that the quick way was not for */
static bool is_long_way_closed;

static inline void long_way(const struct fw_overlap_access *access)
{
    if (thread.ignored)
        return;
    if (fw_hot.ticks < 0)
        fw_holds_forced();
    fw_holds_settle(access);
    fw_holds_access(access);
}

void fw_overlap_hook(uintptr_t address, unsigned size, bool write, uintptr_t pc)
{
    struct fw_overlap_access access = { &thread, address, pc, size, write, false };

    long_ways++;
    if (!is_long_way_closed)
        long_way(&access);
}

static bool quickly; /* is the quick way taken? */

static inline void seen(void)
{
    if (!quickly || !fw_holds_go_quickly())
        fw_holds_settle(NULL);
}

static inline void call(void)
{
    *fw_hot.top = (struct fw_frame){ .stack = 0x1000 - 16 * (uintptr_t)(fw_hot.top - frames) };
    fw_hot.top++;
    seen();
}

static inline void leave(void)
{
    fw_hot.top--;
    seen();
}

static inline void synchronise(void)
{
    if (!quickly || !fw_holds_go_quickly())
        fw_holds_let_go(&thread);
}

static inline void visit(uintptr_t pc, unsigned word, bool write)
{
    struct fw_overlap_access access = { &thread, (uintptr_t)&words[word], pc, 8, write, false };

    fw_holds_settle(&access);
    fw_holds_access(&access);
}

static inline bool held(unsigned word)
{
    struct fw_heal_lock *lock = fw_heal_find((uintptr_t)&words[word]);

    for (unsigned i = 0; lock && fw_holds.seats && i < FW_HEAL_SEATS; i++)
        if (atomic_load(&fw_holds.seats[i].lock) == lock)
            return fw_heal_owns(lock, fw_holds.me);
    return false;
}

static inline uint64_t counted(enum fw_heal_count what)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < FW_HEAL_SETS; i++)
        all += atomic_load(&wire.counts[i].at[what]);
    return all;
}

static inline int begin(void **state)
{
    (void)state;
    memset(&wire, 0, sizeof wire);
    wire.budget = 100;
    fw_heal_wire = &wire;
    fw_heal_patience(1000000, FW_HEAL_LONGEST, &wire.off);
    memset(fw_region_sites, 1, sizeof fw_region_sites);
    fw_hot = (struct fw_hot){ .base = frames, .top = frames + 1, .end = frames + COUNT(frames) };
    frames[0].stack = UINTPTR_MAX;
    entry_count = 1;
    call();
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    fw_holds_ended();
    for (unsigned i = 0; i < COUNT(words); i++)
        assert_false(held(i));
    fw_heal_locks_forked();
    return 0;
}

#endif
