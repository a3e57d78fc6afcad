/*
 * heal_quickly.h - for tests of healing's quick way: a thread that takes it, and knows a section.
 */
#ifndef FW_TESTS_HEAL_QUICKLY_H
#define FW_TESTS_HEAL_QUICKLY_H

#include "heal_thread.h"

static __thread unsigned hooks; /* in the quick way */

static inline void hook(const struct fw_overlap_access *access)
{
    /* release: as a hook of the library behind an access, for who waits */
    __atomic_store_n(&fw_hot.ticks, fw_hot.ticks - 1, __ATOMIC_RELEASE);
    hooks += quickly;
    if (quickly)
        fw_holds_hook(access->address, (unsigned)access->bytes, access->write, access->pc);
    else
        long_way(access);
}

static inline void mark_sites(void)
{
    memset(fw_region_sites, 0, sizeof fw_region_sites);
    for (unsigned i = 0; i < entry_count; i++)
        fw_region_sites[fw_site_cell(entries[i].place.offset)] = 1;
    fw_region_sites[fw_site_cell(A_EXIT)] = 1;
}

static inline struct fw_heal_lock *lock_of(unsigned word)
{
    return fw_heal_find((uintptr_t)&words[word]);
}

/* Is it done in the quick way? */
static inline bool come(uintptr_t pc, unsigned word, bool write)
{
    struct fw_overlap_access access = { &thread, (uintptr_t)&words[word], pc, 8, write, false };
    unsigned before = long_ways;

    hook(&access);
    return long_ways == before;
}

static inline void pass_section(unsigned word)
{
    come(A_ENTRY, word, false);
    come(A_END, word, true);
}

static inline bool has_seats(void)
{
    for (unsigned i = 0; i < FW_HEAL_SEATS; i++)
        if (atomic_load(&fw_holds.seats[i].lock))
            return true;
    return false;
}

/* Nothing is left of what was done with these words before; the section and its end are known. */
static inline int begin_quickly(void **state)
{
    begin(state);
    fw_heal_alone = quickly = true;
    fw_hot.ticks = INT32_MAX;
    fw_holds.ticks = 0;
    mark_sites();
    for (unsigned i = 0; i < 3; i++) {
        fw_holds_prepare((uintptr_t)&words[i], false);
        atomic_store(&lock_of(i)->habit, 0);
        atomic_store(&lock_of(i)->hint, 0);
        atomic_store(&lock_of(i)->past, 0);
        atomic_store(&lock_of(i)->reads_wait, 0);
    }
    for (unsigned i = 0; i < 2; i++) /* it takes part, and knows the section */
        pass_section(0);
    assert_true(fw_holds_go_quickly());
    assert_false(held(0));
    return 0;
}

static inline int end_quickly(void **state)
{
    is_long_way_closed = false;
    fw_heal_alone = quickly = false;
    return end(state);
}

#endif
