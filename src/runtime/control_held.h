/*
 * control_held.h - the latest access of each address, as long as one thread uses it alone; internal
 * to control_observe.c, which tells the rules, and to the short way of control_access.c.
 *
 * There is a place for each address that an access begins at and each size: words lie side by side,
 * other beginnings and other sizes apart.  The holder's.
 */
#ifndef FW_RUNTIME_CONTROL_HELD_H
#define FW_RUNTIME_CONTROL_HELD_H

#include "runtime/control.h"

#define FW_HELD_NEAR  23u /* bits: words that have places of their own ... */
#define FW_HELD_FORMS 16u /* ... of so many forms: byte that it begins at, log2(bytes) << 2 */
#define FW_HELD_GROUP 10u /* bits: places that are looked at together or not at all; a page */

struct fw_held {
    uint64_t whose; /* address << 16 | thread; 0: nothing is held */
    uint64_t what;  /* time << 24 | site << 4 | flags */
};

enum {
    FW_HELD_WRITES = 1,
    FW_HELD_SEVERAL = 2, /* threads have read the word */
    FW_HELD_SITE = 16,
    FW_HELD_TIME = 24, /* bits */
};

extern struct fw_held *fw_held;
extern uint64_t fw_observed_now; /* accesses and records so far */

/* Of a word.  The heaps of threads have like addresses, but for bits that are beyond the table:
 * these move them, by pages. */
static inline uint64_t fw_held_place(uint64_t word)
{
    uint64_t beyond = (word >> FW_HELD_NEAR) * 0x9e3779b1u;

    return (word + (beyond << FW_HELD_GROUP)) & ((1u << FW_HELD_NEAR) - 1);
}

/* size: 1, 2, 4 or 8 */
static inline unsigned fw_held_form(uint64_t address, unsigned size)
{
    return (unsigned)(address & 3) | (unsigned)__builtin_ctz(size) << 2;
}

static inline struct fw_held *fw_held_at(uint64_t word, unsigned form)
{
    return &fw_held[(uint64_t)form << FW_HELD_NEAR | fw_held_place(word)];
}

static inline uint64_t fw_held_whose(const struct fw_thread *t, uint64_t address)
{
    return address << 16 | (uint16_t)t->number;
}

static inline uint64_t fw_held_stamp(uint32_t site)
{
    return ++fw_observed_now << FW_HELD_TIME | (uint64_t)(site & 0xfffff) * FW_HELD_SITE;
}

/* The same as before, by the same thread: only the time, the site and what it does may differ.
 * True: it is held instead. */
static inline bool fw_held_repeats(const struct fw_thread *t, uint64_t address, unsigned size,
                                   bool writes, uint32_t site)
{
    struct fw_held *entry = fw_held_at(address >> FW_WORD_SHIFT, fw_held_form(address, size));

    if (entry->whose != fw_held_whose(t, address) || (writes && entry->what & FW_HELD_SEVERAL))
        return false;
    entry->what = fw_held_stamp(site) | (writes ? FW_HELD_WRITES : 0) |
                  (entry->what & FW_HELD_SEVERAL);
    return true;
}

#endif
