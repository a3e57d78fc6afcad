/*
 * heal_hold.c - see heal_hold.h.
 *
 * All of it is the thread's own.  A handler of the program may come in between anywhere, and may
 * find or leave a lock that is owned and not in the list: others' patience ends there, nothing
 * worse.
 */
#include "atomrace/heal_hold.h"

#include "atomrace/heal_lock.h"
#include "atomrace/heal_log.h"
#include "atomrace/mask.h"
#include "atomrace/region_state.h"

#define HOLDS   16u
#define WORDS   64u   /* of one access that are looked at */
#define KEPT    64u   /* words that are watched all the time, besides global variables */
#define LINKS   64u   /* sections that follow each other without a gap, if somebody waits */
#define LONGEST 1000u /* accesses of the thread within a section, after which it is given up */
#define GRACE   (FW_SECOND / 10) /* ns of waiting from which on the budget counts */
#define PLAIN   UINT32_MAX       /* in place of an entry: a single access */
#define HOLDING 0x80000000u      /* in fw_hot.regions */

struct hold {
    struct fw_heal_lock *lock;
    uint32_t entry; /* or PLAIN */
    uint32_t depth; /* of calls, in the function of the entry ... */
    uintptr_t stack; /* ... whose frame is there */
    uint16_t links; /* of sections before it without a gap */
    uint16_t seen;  /* accesses of the thread since */
    bool over;
};

static __thread struct {
    struct fw_healer *me;
    unsigned count;
    struct hold at[HOLDS];
} mine;

static _Atomic unsigned kept; /* words, and those that were too many */
static _Atomic uint64_t waited, looked; /* ns: of this process; at the latest look at the budget */

static uint32_t depth_now(void)
{
    return (uint32_t)(fw_hot.top - fw_hot.base);
}

/* Is the call that has the entry still there? */
static bool is_alive(const struct hold *hold)
{
    return hold->depth <= depth_now() && fw_hot.base[hold->depth - 1].stack == hold->stack;
}

static uint32_t section_of(uint32_t entry)
{
    return entry == PLAIN ? UINT16_MAX : fw_regions_entry(entry)->section;
}

/* --- letting go ------------------------------------------------------------------------------ */

static bool holds(const struct fw_heal_lock *lock)
{
    for (unsigned i = 0; i < mine.count; i++)
        if (mine.at[i].lock == lock)
            return true;
    return false;
}

static void count_watch(struct fw_heal_lock *lock, int by)
{
    /* relaxed: a hint, as in sections.c */
    if (!atomic_load_explicit(&lock->kept, memory_order_relaxed))
        atomic_fetch_add_explicit(&fw_watch[fw_watch_cell(lock->word)], (uint16_t)by,
                                  memory_order_relaxed);
}

static void remove_at(unsigned i)
{
    struct fw_heal_lock *lock = mine.at[i].lock;

    mine.at[i] = mine.at[--mine.count];
    if (!holds(lock)) {
        count_watch(lock, -1);
        fw_heal_release(lock, mine.me);
    }
    if (!mine.count)
        fw_hot.regions &= ~HOLDING;
}

static bool is_left(struct hold *hold, bool by_access)
{
    hold->seen += by_access;
    return !is_alive(hold) || (hold->seen > LONGEST && !fw_heal_wire->unsafe);
}

void fw_holds_settle(bool by_access)
{
    for (unsigned i = mine.count; i-- > 0;) {
        struct hold *hold = &mine.at[i];

        if (!hold->over && !is_left(hold, by_access))
            continue;
        if (!hold->over)
            fw_heal_count(hold->seen > LONGEST ? FW_HEAL_LONG : FW_HEAL_LEFT, 1);
        remove_at(i);
    }
}

void fw_holds_drop(void)
{
    while (mine.count)
        remove_at(mine.count - 1);
}

void fw_holds_let_go(const struct fw_thread *t)
{
    for (; mine.count; remove_at(mine.count - 1)) {
        const struct hold *hold = &mine.at[mine.count - 1];

        if (hold->over)
            continue;
        fw_heal_count(FW_HEAL_LET_GO, 1);
        fw_heal_log(&(struct fw_heal_entry){ .time = fw_heal_now(),
                                             .address = hold->lock->word,
                                             .what = FW_HEAL_LOG_LET_GO,
                                             .thread = t->number,
                                             .section = section_of(hold->entry) });
    }
}

/* --- waiting --------------------------------------------------------------------------------- */

static struct fw_healer *me(const struct fw_thread *t)
{
    if (FW_UNLIKELY(!mine.me))
        mine.me = fw_healer_take(t->number, (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0),
                                 fw_heal_now());
    return mine.me;
}

/* Has healing cost more than it may? */
static void look_at_budget(uint64_t now, const struct fw_thread *t)
{
    uint64_t all = atomic_load(&waited);
    uint32_t on = FW_HEAL_ON, budget = fw_heal_wire->budget;

    if (budget >= 100 || all < GRACE || all - atomic_load(&looked) < GRACE / 10)
        return;
    atomic_store(&looked, all);
    if (all * 100 > budget * fw_healers_time(now) &&
        atomic_compare_exchange_strong(&fw_heal_wire->off, &on, FW_HEAL_OFF_BUDGET))
        fw_heal_log(&(struct fw_heal_entry){
            .time = now, .what = FW_HEAL_LOG_BUDGET, .thread = t->number });
}

static void tell_wait(const struct fw_overlap_access *access, struct fw_heal_entry *entry,
                      uint64_t begun)
{
    uint64_t now = fw_heal_now();

    entry->time = now;
    entry->ns = now - begun;
    entry->address = access->address & ~(uintptr_t)7;
    entry->pc = access->pc;
    entry->thread = access->thread->number;
    fw_heal_log(entry);
    fw_heal_count(FW_HEAL_NS, now - begun);
    atomic_fetch_add(&waited, now - begun);
    look_at_budget(now, access->thread);
}

/* False: healing was switched off. */
static bool acquire(const struct fw_overlap_access *access, struct fw_heal_lock *lock)
{
    struct fw_heal_entry entry = { .what = FW_HEAL_LOG_WAITED };
    enum fw_heal_got got;
    uint64_t begun;

    if (FW_LIKELY(fw_heal_try(lock, mine.me)))
        return true;
    fw_heal_count(FW_HEAL_MET, 1);
    entry.other = fw_healer_number(fw_heal_owner(lock));
    entry.section = atomic_load_explicit(&lock->section, memory_order_relaxed); /* for people */
    begun = fw_heal_now();
    got = fw_heal_wait(lock, mine.me);
    fw_heal_count(FW_HEAL_WAITED, 1);
    if (got == FW_HEAL_GOT_LATE) {
        fw_heal_count(FW_HEAL_LATE, 1);
        entry.what = FW_HEAL_LOG_LATE;
    } else if (got == FW_HEAL_GOT_CIRCLE) {
        fw_heal_count(FW_HEAL_CIRCLES, 1);
        entry.what = FW_HEAL_LOG_CIRCLE;
    }
    tell_wait(access, &entry, begun);
    return got != FW_HEAL_NOT;
}

void fw_holds_mutex(const struct fw_thread *t, const void *mutex)
{
    struct fw_heal_lock *lock = me(t) ? fw_heal_mutex(mine.me, mutex) : NULL;
    struct fw_heal_entry entry = { .what = FW_HEAL_LOG_OWN, .thread = t->number };

    if (!lock)
        return;
    fw_heal_count(FW_HEAL_CIRCLES, 1);
    entry.time = fw_heal_now();
    entry.address = lock->word;
    for (unsigned i = 0; i < mine.count; i++)
        if (mine.at[i].lock == lock)
            entry.section = section_of(mine.at[i].entry);
    fw_heal_log(&entry);
    fw_holds_drop();
}

/* --- taking ---------------------------------------------------------------------------------- */

static void add(const struct fw_overlap_access *access, struct fw_heal_lock *lock, uint32_t entry,
                uint16_t links)
{
    if (mine.count == HOLDS || !me(access->thread)) {
        fw_heal_count(FW_HEAL_NO_ROOM, 1);
        return;
    }
    if (!(holds(lock) && fw_heal_owns(lock, mine.me)) && !acquire(access, lock))
        return;
    if (!holds(lock))
        count_watch(lock, 1);
    /* relaxed: for people */
    atomic_store_explicit(&lock->section, (uint16_t)section_of(entry), memory_order_relaxed);
    mine.at[mine.count++] = (struct hold){ .lock = lock,
                                           .entry = entry,
                                           .depth = depth_now(),
                                           .stack = fw_hot.top[-1].stack,
                                           .links = links,
                                           .over = entry == PLAIN };
    fw_hot.regions |= HOLDING;
    fw_regions_force();
}

static void watch_always(struct fw_heal_lock *lock)
{
    atomic_store(&lock->kept, 1);
    atomic_fetch_or(&fw_watch[fw_watch_cell(lock->word)], FW_WATCH_HEALED);
}

/* The word has a lock from now on, and is watched. */
static struct fw_heal_lock *lock_for(uintptr_t word, bool reads_wait)
{
    struct fw_heal_lock *lock = fw_heal_find(word);

    if (FW_UNLIKELY(!lock)) {
        lock = fw_heal_make(word);
        if (!lock) {
            fw_heal_count(FW_HEAL_NO_ROOM, 1);
            return NULL;
        }
        if (atomic_load_explicit(&kept, memory_order_relaxed) < KEPT &&
            atomic_fetch_add(&kept, 1) < KEPT)
            watch_always(lock);
    }
    if (reads_wait && !atomic_load_explicit(&lock->reads_wait, memory_order_relaxed))
        atomic_store(&lock->reads_wait, 1);
    return lock;
}

void fw_holds_prepare(uintptr_t word, bool reads_wait)
{
    struct fw_heal_lock *lock = lock_for(word & ~(uintptr_t)7, reads_wait);

    if (lock)
        watch_always(lock);
}

static bool is_place(enum fw_place_kind kind, uintptr_t pc, uint32_t entry)
{
    for (uint32_t i = fw_place_next(kind, pc, FW_NO_PLACE); i != FW_NO_PLACE;
         i = fw_place_next(kind, pc, i))
        if ((kind == FW_PLACE_END ? fw_regions_end(i)->entry : fw_regions_exit(i)->entry) == entry)
            return true;
    return false;
}

/* What the access is for the sections that the thread is in.  Returns the links of what ends here,
 * of this word: 0, or more than those before it. */
static uint16_t pass_holds(const struct fw_overlap_access *access, uintptr_t word)
{
    uint16_t links = 0;

    for (unsigned i = mine.count; i-- > 0;) {
        struct hold *hold = &mine.at[i];

        if (hold->over || hold->depth != depth_now())
            continue;
        if (hold->lock->word == word && is_place(FW_PLACE_END, access->pc, hold->entry)) {
            fw_heal_count(FW_HEAL_ENDED, 1);
            hold->over = true;
            links = (uint16_t)(hold->links + 1);
        } else if (is_place(FW_PLACE_EXIT, access->pc, hold->entry)) {
            fw_heal_count(FW_HEAL_LEFT, 1);
            remove_at(i);
        }
    }
    return links;
}

/* A section that begins anew has not come to its end. */
static void leave_former(struct fw_heal_lock *lock, uint32_t entry)
{
    for (unsigned i = mine.count; i-- > 0;) {
        struct hold *hold = &mine.at[i];

        if (hold->over || hold->lock != lock || hold->entry != entry ||
            hold->depth != depth_now())
            continue;
        fw_heal_count(FW_HEAL_LEFT, 1);
        remove_at(i);
    }
}

static void enter(const struct fw_overlap_access *access, uintptr_t word, uint32_t entry,
                  uint16_t links)
{
    bool reads_wait = !(fw_regions_entry(entry)->allow & FW_REGIONS_READS);
    struct fw_heal_lock *lock = lock_for(word, reads_wait);

    if (!lock)
        return;
    leave_former(lock, entry);
    if (links > LINKS && fw_heal_is_waited_for(lock))
        return;
    fw_heal_count(FW_HEAL_ENTERED, 1);
    add(access, lock, entry, links);
}

static void pass_plainly(const struct fw_overlap_access *access, uintptr_t word)
{
    uintptr_t end = access->address + access->bytes;

    for (unsigned i = 0; i < WORDS && word < end; i++, word += 8) {
        struct fw_heal_lock *lock;

        if (!fw_watched(word))
            continue;
        lock = fw_heal_find(word);
        if (!lock || (!access->write && !lock->reads_wait))
            continue;
        if (!holds(lock) || !fw_heal_owns(lock, mine.me))
            add(access, lock, PLAIN, 0);
    }
}

void fw_holds_access(const struct fw_overlap_access *access)
{
    uintptr_t word = access->address & ~(uintptr_t)7;
    uint16_t links = mine.count ? pass_holds(access, word) : 0;
    uint32_t entry = fw_is_entry(access->pc)
                         ? fw_place_next(FW_PLACE_ENTRY, access->pc, FW_NO_PLACE)
                         : FW_NO_PLACE;

    if (entry == FW_NO_PLACE)
        pass_plainly(access, word);
    for (; entry != FW_NO_PLACE; entry = fw_place_next(FW_PLACE_ENTRY, access->pc, entry))
        enter(access, word, entry, links);
    if (mine.count)
        fw_regions_force();
}

/* --- ends ------------------------------------------------------------------------------------ */

void fw_holds_ended(void)
{
    if (!mine.me)
        return;
    fw_holds_drop();
    fw_healer_give(mine.me, fw_heal_now());
    mine.me = NULL;
}

void fw_holds_forked(void)
{
    mine.count = 0;
    mine.me = NULL;
    fw_hot.regions &= ~HOLDING;
    atomic_store(&waited, 0);
    atomic_store(&looked, 0);
    fw_heal_locks_forked();
}
