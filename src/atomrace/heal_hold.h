/*
 * heal_hold.h - which sections the calling thread is in, and so which locks it holds (healing by
 * locks; heal.h).
 *
 * A hold is a section that was entered, or a single access of a word that has a lock.  The thread
 * has the lock of a word while it has a hold of it.  A hold is *over* when its access, or the one
 * at the section's end, is about to be made, and goes when the thread is seen next.  A section is
 * left as well when control comes to one of its exits, when its function is left, when it is
 * entered anew, and when it does not end for very long.
 */
#ifndef FW_ATOMRACE_HEAL_HOLD_H
#define FW_ATOMRACE_HEAL_HOLD_H

#include "atomrace/sections.h"

#define FW_HEAL_LONGEST 1000u /* hooks of the thread within a section, after which it is given up */

/* Nobody wants to know of violations, and there is no noise: ticks count hooks (heal_lock.h). */
extern bool fw_heal_alone;

#define FW_HEALED_CELLS 1024u /* of 64 bits: words 512 KiB apart share one */

/* Words that have a lock, and some that share their bit: those that reads have to look at, and all,
 * which writes have to. */
extern _Atomic uint64_t fw_healed[2][FW_HEALED_CELLS];

static inline unsigned fw_healed_cell(uintptr_t address)
{
    return address >> 9 & (FW_HEALED_CELLS - 1);
}

static inline uint64_t fw_healed_bit(uintptr_t address)
{
    return 1ull << (address >> 3 & 63);
}

static inline bool fw_is_healed(uintptr_t address, bool write)
{
    /* relaxed: a hint; who comes while a section is entered first may miss it */
    return atomic_load_explicit(&fw_healed[write][fw_healed_cell(address)], memory_order_relaxed) &
           fw_healed_bit(address);
}

/* The thread was seen, in the hook of an access or elsewhere (NULL): what is over goes. */
void fw_holds_settle(const struct fw_overlap_access *access);
/* In the hook of an access, when the thread is about to make it: takes what locks it needs. */
void fw_holds_access(const struct fw_overlap_access *access);
/* The same for single accesses that are made at once. */
void fw_holds_await(const struct fw_overlap_access *accesses, unsigned count);
/* Both at once, in a hook of hooks_heal.c (fw_heal_alone), after its tick: in the quick way, or
 * else in fw_overlap_hook. */
void fw_holds_hook(uintptr_t address, unsigned bytes, bool write, uintptr_t pc);
/* The thread was seen elsewhere: as fw_holds_settle; false: that is to do it, or a handler runs. */
bool fw_holds_go_quickly(void);
/* Does a handler of the program run on the thread?  Nothing is done then (heal_handler.c). */
bool fw_holds_are_frozen(void);
/* Handlers are followed from now on. */
void fw_holds_follow_handlers(void);
/* What the thread ignores has changed. */
void fw_holds_forget(void);
/* The same hook, first: its ticks ran out, or were taken.  If fw_heal_alone. */
void fw_holds_forced(void);
/* All of them go. */
void fw_holds_drop(void);
/* The same, told: the thread is about to synchronise. */
void fw_holds_let_go(const struct fw_thread *t);

/* The thread is about to lock a mutex (NULL: not any more), holding what it holds.  What would
 * close a circle is let go. */
void fw_holds_mutex(const struct fw_thread *t, const void *mutex);

/* The thread has locked a mutex, or is about to unlock it, after all of its holds have gone. */
void fw_holds_follow_mutex(const void *mutex, bool locked);

/* Healing by scheduling.  The thread comes to a section: its time counts from now on. */
void fw_holds_come(const struct fw_thread *t);
/* It is about to give way, to the thread with the number (to any: UINT32_MAX); it has, `times` as
 * often as this once.  That is counted against the budget. */
struct fw_giving_way {
    const struct fw_healer *to;
    uint64_t begun, dwelt; /* ns, 0: it is not counted; that `to` had dwelt then */
};
void fw_holds_give_way(struct fw_giving_way *way, const struct fw_thread *t, uint32_t to);
void fw_holds_gave_way(const struct fw_giving_way *way, const struct fw_thread *t, unsigned times);

/* Noise, before the access: what others wait for meanwhile is not healing's doing. */
void fw_holds_dwell(void);

/* The word has a lock from now on. */
void fw_holds_prepare(uintptr_t word, bool reads_wait);

/* The thread ends; it is a fork child. */
void fw_holds_ended(void);
void fw_holds_forked(void);

#endif
