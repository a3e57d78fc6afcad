/*
 * heal_hold_state.h - internal to holds (heal_hold.c, heal_quick.c): what a thread is in.
 */
#ifndef FW_ATOMRACE_HEAL_HOLD_STATE_H
#define FW_ATOMRACE_HEAL_HOLD_STATE_H

#include "atomrace/heal_hold.h"
#include "atomrace/heal_lock.h"

#define FW_HOLDS      FW_HEAL_SEATS
#define FW_HOLD_PLAIN UINT32_MAX  /* in place of an entry: a single access */
#define FW_COPY_BYTES 96u /* of code, at most, between the two hooks of a copy */
#define FW_HANDLERS   4u /* of the program within each other, whose places are known */
#define FW_HOLDING    0x80000000u /* in fw_hot.regions */

struct fw_hold {
    struct fw_heal_lock *lock; /* NULL: free */
    const struct fw_frame *top; /* behind the frame of the function of the entry ... */
    uintptr_t stack; /* ... which is there */
    uintptr_t wrote; /* if it is over: the place of the write that was next; 0: it was a read */
    uint32_t entry; /* or FW_HOLD_PLAIN */
    uint16_t links; /* of sections before it without a gap */
    uint16_t seen;  /* elsewhere: accesses of the thread since, or since it is over */
    bool over;
};

/* The section that was entered last, for the quick way. */
struct fw_hold_known {
    uintptr_t pc;       /* of its entry, where nothing else begins; 0: none */
    uintptr_t end;      /* of an end, where nothing begins; 0: none */
    uint32_t entry;
    uint16_t section;
    bool reads_wait;
};

/* The part of the stack that a handler runs on. */
struct fw_handler_place {
    uintptr_t low, high;
    const struct fw_frame *base; /* the handler's frames lie behind it; NULL: there was no room */
};

/* Hold i has the healer's seat i. */
struct fw_holds {
    uint32_t turn;       /* of places, that `known` is of, plus 1; 0: the quick way is closed */
    uintptr_t ends_at;   /* where hold 0, which is not over, may end in the quick way ... */
    uintptr_t word;      /* ... with an access of this word; 0: it may not */
    unsigned end, count; /* of holds, so many; those behind are free */
    uint32_t id;
    struct fw_heal_seat *seats;
    struct fw_heal_mutexes *mutexes;
    struct fw_hold_known known;
    struct fw_hold at[FW_HOLDS];
    struct fw_healer *me;
    unsigned handlers;   /* that run on the thread */
    struct fw_handler_place handler_at[FW_HANDLERS];
    int32_t ticks;       /* where they count hooks, and one was forced: as they were */
};

extern __thread struct fw_holds fw_holds;

/* Is the call that has the entry still there? */
static inline bool fw_hold_is_alive(const struct fw_hold *hold)
{
    return hold->top <= fw_hot.top && hold->top[-1].stack == hold->stack;
}

/* Where a struct is copied gcc calls the hook of the write, then that of the read, and copies then.
 * Is this one of the latter, for all that can be seen?  Then the write is still to come. */
static inline bool fw_hold_is_copied_to(const struct fw_hold *hold, bool write, uintptr_t pc)
{
    return !write && pc - hold->wrote <= FW_COPY_BYTES;
}

/* fw_holds_follow_mutex, in the common case. */
static inline void fw_holds_locked(const void *mutex)
{
    struct fw_heal_mutexes *mutexes = fw_holds.mutexes;

    if (FW_UNLIKELY(!mutexes || fw_holds.handlers))
        fw_holds_follow_mutex(mutex, true);
    else if (FW_LIKELY(mutexes->count < FW_HEAL_MUTEXES))
        mutexes->at[mutexes->count++] = mutex;
}

static inline void fw_holds_unlocks(const void *mutex)
{
    struct fw_heal_mutexes *mutexes = fw_holds.mutexes;

    if (FW_LIKELY(mutexes && mutexes->count && mutexes->at[mutexes->count - 1] == mutex &&
                  !fw_holds.handlers))
        mutexes->count--;
    else
        fw_holds_follow_mutex(mutex, false);
}

/* Field by field: a struct that is made elsewhere and copied waits for its own stores. */
static inline void fw_hold_set(struct fw_hold *hold, struct fw_heal_lock *lock, uint32_t entry,
                               uint16_t links)
{
    hold->lock = lock;
    hold->entry = entry;
    hold->over = entry == FW_HOLD_PLAIN;
    if (entry == FW_HOLD_PLAIN)
        return; /* nobody asks where */
    hold->top = fw_hot.top;
    hold->stack = fw_hot.top[-1].stack;
    hold->links = links;
}

#endif
