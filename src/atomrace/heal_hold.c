/*
 * heal_hold.c - see heal_hold.h.
 *
 * All of it is the thread's own.  A handler of the program may come in between anywhere, and finds
 * and leaves it as it is (heal_handler.c).
 */
#include "atomrace/heal_hold_state.h"

#include "atomrace/heal_log.h"
#include "atomrace/mask.h"
#include "atomrace/noise.h"
#include "atomrace/region_state.h"

#include <string.h>

#define WORDS   64u   /* of one access that are looked at */
#define LINKS   64u   /* sections that follow each other without a gap, if somebody waits */
#define CLAIMS  2u    /* before it waits */
#define GRACE   (FW_SECOND / 10) /* ns of waiting from which on the budget counts */

__thread struct fw_holds fw_holds;
_Atomic uint64_t fw_healed[2][FW_HEALED_CELLS];
bool fw_heal_alone;

/* ns that threads of this process have waited or given way, not for who dwelt; when the budget was
 * looked at */
static _Atomic uint64_t waited, looked;

static uint32_t section_of(uint32_t entry)
{
    return entry == FW_HOLD_PLAIN ? UINT16_MAX : fw_regions_entry(entry)->section;
}

/* --- letting go ------------------------------------------------------------------------------ */

static bool holds(const struct fw_heal_lock *lock)
{
    for (unsigned i = 0; i < fw_holds.end; i++)
        if (fw_holds.at[i].lock == lock)
            return true;
    return false;
}

static void remove_at(unsigned i)
{
    struct fw_heal_lock *lock = fw_holds.at[i].lock;

    fw_holds.ends_at = 0;
    fw_holds.at[i].lock = NULL;
    fw_heal_stand(&fw_holds.seats[i]);
    fw_holds.count--;
    while (fw_holds.end && !fw_holds.at[fw_holds.end - 1].lock)
        fw_holds.end--;
    if (!holds(lock))
        fw_heal_release(lock, fw_holds.me);
    if (!fw_holds.count)
        fw_hot.regions &= ~FW_HOLDING;
}

/* Where ticks count hooks its seat says when it was taken. */
static bool is_too_long(const struct fw_hold *hold)
{
    const struct fw_heal_seat *seat = &fw_holds.seats[hold - fw_holds.at];
    uint32_t then = (uint32_t)atomic_load_explicit(&seat->state, memory_order_relaxed); /* ours */

    if (fw_heal_wire->unsafe)
        return false;
    return fw_heal_alone ? ((then - (uint32_t)fw_hot.ticks) & INT32_MAX) > FW_HEAL_LONGEST
                         : hold->seen > FW_HEAL_LONGEST;
}

static bool is_left(const struct fw_hold *hold)
{
    return !fw_hold_is_alive(hold) || is_too_long(hold);
}

/* Is the access of its end still to be made?  Only the very next hook can tell. */
static bool is_to_come(const struct fw_hold *hold, const struct fw_overlap_access *access)
{
    const struct fw_heal_seat *seat = &fw_holds.seats[hold - fw_holds.at];
    uint32_t then = (uint32_t)atomic_load_explicit(&seat->state, memory_order_relaxed); /* ours */
    unsigned passed =
        fw_heal_alone ? (then - (uint32_t)fw_hot.ticks) & INT32_MAX : hold->seen;

    return access && passed == 1 && fw_hold_is_copied_to(hold, access->write, access->pc);
}

void fw_holds_settle(const struct fw_overlap_access *access)
{
    for (unsigned i = fw_holds.end; i-- > 0;) {
        struct fw_hold *hold = &fw_holds.at[i];

        if (!hold->lock)
            continue;
        hold->seen += access != NULL;
        if (hold->over ? is_to_come(hold, access) : !is_left(hold))
            continue;
        if (!hold->over)
            fw_heal_count(is_too_long(hold) ? FW_HEAL_LONG : FW_HEAL_LEFT, 1);
        remove_at(i);
    }
}

void fw_holds_drop(void)
{
    for (unsigned i = fw_holds.end; i-- > 0;)
        if (fw_holds.at[i].lock)
            remove_at(i);
}

void fw_holds_let_go(const struct fw_thread *t)
{
    for (; fw_holds.count; remove_at(fw_holds.end - 1)) {
        const struct fw_hold *hold = &fw_holds.at[fw_holds.end - 1];

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

static bool take_part(const struct fw_thread *t)
{
    fw_holds.me = fw_healer_take(t->number, (int32_t)fw_call(SYS_gettid, 0, 0, 0, 0), fw_heal_now(),
                             fw_heal_alone ? &fw_hot.ticks : NULL);
    if (!fw_holds.me)
        return false;
    fw_holds.seats = fw_healer_seats(fw_holds.me);
    fw_holds.mutexes = fw_healer_mutexes(fw_holds.me);
    fw_holds.id = fw_healer_id(fw_holds.me);
    fw_heal_counts = fw_healer_counts(fw_holds.me);
    return true;
}

static bool takes_part(const struct fw_thread *t)
{
    return FW_LIKELY(fw_holds.me != NULL) || take_part(t);
}

/* Does anybody wait for it?  For the holds, or the regions, that it has. */
void fw_holds_dwell(void)
{
    bool locks = fw_heal_wire->how == FW_HEAL_LOCK;
    bool counts = locks ? fw_holds.count > 0 : fw_holds.me && fw_hot.regions & FW_REGIONS_COUNTED;

    if (counts)
        fw_healer_dwells(fw_holds.me, fw_heal_now());
    fw_noise_dwell();
    if (counts)
        fw_healer_dwelt(fw_holds.me, fw_heal_now());
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

static void spend(uint64_t ns, uint64_t now, const struct fw_thread *t)
{
    atomic_fetch_add(&waited, ns);
    look_at_budget(now, t);
}

void fw_holds_come(const struct fw_thread *t)
{
    takes_part(t);
}

void fw_holds_give_way(struct fw_giving_way *way, const struct fw_thread *t, uint32_t to)
{
    memset(way, 0, sizeof *way);
    if (!takes_part(t))
        return;
    way->to = to == UINT32_MAX ? NULL : fw_healer_with(to);
    way->dwelt = fw_healer_dwelt_by(way->to);
    way->begun = fw_heal_now();
}

void fw_holds_gave_way(const struct fw_giving_way *way, const struct fw_thread *t, unsigned times)
{
    uint64_t now = fw_heal_now(), excused = fw_healer_dwelt_by(way->to) - way->dwelt;

    if (way->begun && excused < now - way->begun)
        spend((now - way->begun - excused) * times, now, t);
}

static void tell_wait(const struct fw_overlap_access *access, struct fw_heal_entry *entry,
                      uint64_t begun)
{
    uint64_t now = fw_heal_now(), excused = fw_healer_excused(fw_holds.me);

    entry->time = now;
    entry->ns = now - begun;
    entry->address = access->address & ~(uintptr_t)7;
    entry->pc = access->pc;
    entry->thread = access->thread->number;
    fw_heal_log(entry);
    fw_heal_count(FW_HEAL_NS, now - begun);
    spend(excused < now - begun ? now - begun - excused : 0, now, access->thread);
}

/* False: healing was switched off. */
static bool acquire(const struct fw_overlap_access *access, struct fw_heal_lock *lock)
{
    struct fw_heal_entry entry = { .what = FW_HEAL_LOG_WAITED };
    enum fw_heal_got got;
    uint64_t begun;

    if (FW_LIKELY(fw_heal_try(lock, fw_holds.me)))
        return true;
    for (unsigned i = 0; i < CLAIMS; i++)
        if (fw_heal_claim(lock, fw_holds.me))
            return true;
    fw_heal_count(FW_HEAL_MET, 1);
    entry.other = fw_healer_number(fw_heal_owner(lock));
    entry.section = fw_heal_section(lock);
    begun = fw_heal_now();
    got = fw_heal_wait(lock, fw_holds.me);
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
    struct fw_heal_lock *lock = takes_part(t) ? fw_heal_mutex(fw_holds.me, mutex) : NULL;
    struct fw_heal_entry entry = { .what = FW_HEAL_LOG_OWN, .thread = t->number };

    if (!lock)
        return;
    fw_heal_count(FW_HEAL_CIRCLES, 1);
    entry.time = fw_heal_now();
    entry.address = lock->word;
    for (unsigned i = 0; i < fw_holds.end; i++)
        if (fw_holds.at[i].lock == lock)
            entry.section = section_of(fw_holds.at[i].entry);
    fw_heal_log(&entry);
    fw_holds_drop();
}

/* --- taking ---------------------------------------------------------------------------------- */

/* The next hook takes the long way, and what is over goes.  Where ticks count hooks who waits sees
 * that for itself, so it is for locks alone that are often waited for. */
static void force(void)
{
    bool wanted = false;

    if (!fw_heal_alone) {
        fw_regions_force();
        return;
    }
    for (unsigned i = 0; i < fw_holds.end; i++) {
        const struct fw_hold *hold = &fw_holds.at[i];

        wanted |= hold->lock && hold->over && fw_heal_is_wanted(hold->lock);
    }
    if (!wanted)
        return;
    fw_holds.ticks = fw_hot.ticks;
    fw_hot.ticks = -1;
}

/* The ticks go on from elsewhere.  What is over is over since the hook before: it says so while
 * they are below 0, and nobody takes it for done. */
void fw_holds_forced(void)
{
    int32_t ticks = fw_holds.ticks > 0 ? fw_holds.ticks - 1 : INT32_MAX;

    for (unsigned i = 0; i < fw_holds.end; i++)
        if (fw_holds.at[i].lock && fw_holds.at[i].over)
            fw_heal_sit_over(&fw_holds.seats[i], (uint16_t)section_of(fw_holds.at[i].entry),
                             (int32_t)((uint32_t)ticks + 1));
    /* release: behind what the seats say, see seat_is_done */
    __atomic_store_n(&fw_hot.ticks, ticks, __ATOMIC_RELEASE);
    fw_holds.ticks = 0;
}

static unsigned free_place(void)
{
    unsigned i = 0;

    while (i < FW_HOLDS && fw_holds.at[i].lock)
        i++;
    return i;
}

/* Has it the lock by that? */
static bool sit(struct fw_heal_seat *seat, struct fw_heal_lock *lock, uint16_t section)
{
    uint64_t state = fw_heal_seat_state(section, fw_hot.ticks, false);

    if (fw_heal_sit_under(seat, lock, state, fw_holds.mutexes))
        return true;
    fw_heal_sit(seat, lock, state);
    return false;
}

static void add(const struct fw_overlap_access *access, struct fw_heal_lock *lock, uint32_t entry,
                uint16_t links)
{
    unsigned i = free_place();
    bool held = holds(lock);

    if (i == FW_HOLDS || !takes_part(access->thread)) {
        fw_heal_count(FW_HEAL_NO_ROOM, 1);
        return;
    }
    if (!sit(&fw_holds.seats[i], lock, (uint16_t)section_of(entry)) &&
        !(held && fw_heal_owns(lock, fw_holds.me)) && !acquire(access, lock)) {
        fw_heal_stand(&fw_holds.seats[i]);
        return;
    }
    fw_hold_set(&fw_holds.at[i], lock, entry, links);
    fw_holds.at[i].wrote = access->write ? access->pc : 0;
    fw_holds.at[i].seen = 0;
    fw_holds.count++;
    if (fw_holds.end <= i)
        fw_holds.end = i + 1;
    fw_hot.regions |= FW_HOLDING;
}

/* Every access of the word, or every write, comes by from now on. */
static void watch(uintptr_t word, bool reads)
{
    for (unsigned write = !reads; write < 2; write++)
        atomic_fetch_or(&fw_healed[write][fw_healed_cell(word)], fw_healed_bit(word));
    atomic_fetch_or(&fw_watch[fw_watch_cell(word)],
                    reads ? FW_WATCH_HEALED | FW_WATCH_READ_HEALED : FW_WATCH_HEALED);
    for (unsigned i = 0; reads && i < FW_SITE_CELLS; i++)
        if (!(atomic_load_explicit(&fw_region_sites[i], memory_order_relaxed) & FW_SITE_READS))
            atomic_fetch_or(&fw_region_sites[i], FW_SITE_READS);
}

/* reads_wait: the section does not allow them; reads_end: it may end with one. */
static struct fw_heal_lock *lock_for(uintptr_t word, bool reads_wait, bool reads_end)
{
    struct fw_heal_lock *lock = fw_heal_find(word);

    if (FW_UNLIKELY(!lock)) {
        lock = fw_heal_make(word);
        if (!lock)
            return NULL;
        watch(word, false);
    }
    if ((reads_wait || reads_end) && !fw_is_healed(word, false))
        watch(word, true);
    if (reads_wait && !atomic_load_explicit(&lock->reads_wait, memory_order_relaxed))
        atomic_store(&lock->reads_wait, 1);
    return lock;
}

void fw_holds_prepare(uintptr_t word, bool reads_wait)
{
    lock_for(word & ~(uintptr_t)7, reads_wait, false);
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

    for (unsigned i = fw_holds.end; i-- > 0;) {
        struct fw_hold *hold = &fw_holds.at[i];

        if (!hold->lock || hold->over || hold->top != fw_hot.top)
            continue;
        if (hold->lock->word == word && is_place(FW_PLACE_END, access->pc, hold->entry)) {
            fw_heal_count(FW_HEAL_ENDED, 1);
            hold->over = true;
            hold->seen = 0;
            hold->wrote = access->write ? access->pc : 0;
            if (hold->entry == fw_holds.known.entry && !fw_is_site(access->pc))
                fw_holds.known.end = access->pc;
            links = (uint16_t)(hold->links + 1);
        } else if (is_place(FW_PLACE_EXIT, access->pc, hold->entry)) {
            fw_heal_count(FW_HEAL_LEFT, 1);
            remove_at(i);
        }
    }
    return links;
}

/* A section that begins anew has not come to its end.  If another section keeps the lock meanwhile
 * the two follow each other without a gap: returns its links then, as pass_holds does. */
static uint16_t leave_former(struct fw_heal_lock *lock, uint32_t entry)
{
    uint16_t links = 0;

    for (unsigned i = fw_holds.end; i-- > 0;) {
        struct fw_hold *hold = &fw_holds.at[i];

        if (hold->over || hold->lock != lock || hold->entry != entry ||
            hold->top != fw_hot.top)
            continue;
        links = (uint16_t)(hold->links + 1);
        fw_heal_count(FW_HEAL_LEFT, 1);
        remove_at(i);
    }
    return holds(lock) ? links : 0;
}

static bool reads_wait(uint32_t entry)
{
    return !(fw_regions_entry(entry)->allow & FW_REGIONS_READS);
}

static bool has_read_end(uint32_t entry)
{
    const struct fw_regions_entry *of = fw_regions_entry(entry);

    for (uint32_t i = of->first_end; i < of->first_end + of->ends; i++)
        if (!fw_regions_end(i)->write)
            return true;
    return false;
}

static void enter(const struct fw_overlap_access *access, uintptr_t word, uint32_t entry,
                  uint16_t links)
{
    struct fw_heal_lock *lock = lock_for(word, reads_wait(entry), has_read_end(entry));
    uint16_t again;

    if (!lock) {
        fw_heal_count(FW_HEAL_ENTERED, 1);
        fw_heal_count(FW_HEAL_NO_ROOM, 1);
        return;
    }
    again = leave_former(lock, entry);
    links = again > links ? again : links;
    fw_heal_count(FW_HEAL_ENTERED, 1);
    if (links > LINKS && fw_heal_is_waited_for(lock)) {
        fw_heal_count(FW_HEAL_LONG, 1);
        return;
    }
    add(access, lock, entry, links);
}

static void pass_plainly(const struct fw_overlap_access *access, uintptr_t word)
{
    uintptr_t end = access->address + access->bytes;

    for (unsigned i = 0; i < WORDS && word < end; i++, word += 8) {
        struct fw_heal_lock *lock;

        if (!fw_is_healed(word, access->write))
            continue;
        lock = fw_heal_find(word);
        if (!lock || (!access->write && !lock->reads_wait))
            continue;
        if (!holds(lock) || !fw_heal_owns(lock, fw_holds.me))
            add(access, lock, FW_HOLD_PLAIN, 0);
    }
}

/* What is over says so, last: the access is next. */
static void say_over(void)
{
    for (unsigned i = 0; i < fw_holds.end; i++)
        if (fw_holds.at[i].lock && fw_holds.at[i].over)
            fw_heal_sit_over(&fw_holds.seats[i], (uint16_t)section_of(fw_holds.at[i].entry),
                             fw_hot.ticks);
}

/* The only section that begins here. */
static void know(uintptr_t pc, uint32_t entry)
{
    if (fw_holds.known.entry != entry)
        fw_holds.known.end = 0;
    fw_holds.known.pc = pc;
    fw_holds.known.entry = entry;
    fw_holds.known.section = (uint16_t)section_of(entry);
    fw_holds.known.reads_wait = reads_wait(entry);
}

static void enter_all(const struct fw_overlap_access *access, uintptr_t word, uint32_t entry,
                      uint16_t links)
{
    uint32_t first = entry;

    for (; entry != FW_NO_PLACE; entry = fw_place_next(FW_PLACE_ENTRY, access->pc, entry))
        enter(access, word, entry, links);
    if (fw_place_next(FW_PLACE_ENTRY, access->pc, first) == FW_NO_PLACE &&
        fw_place_next(FW_PLACE_EXIT, access->pc, FW_NO_PLACE) == FW_NO_PLACE)
        know(access->pc, first);
}

/* It may be gone from the next hook on; what was known of places before they moved is forgotten. */
static void open_quick_way(const struct fw_thread *t)
{
    /* relaxed: as fw_is_site */
    uint32_t turn = atomic_load_explicit(&fw_places_turn, memory_order_relaxed) + 1;

    if (fw_holds.turn != turn)
        memset(&fw_holds.known, 0, sizeof fw_holds.known);
    fw_holds.ends_at = 0;
    fw_holds.turn = fw_heal_alone && fw_holds.me && !t->ignored ? turn : 0;
}

void fw_holds_forget(void)
{
    fw_holds.turn = 0;
    fw_holds.ends_at = 0;
}

void fw_holds_access(const struct fw_overlap_access *access)
{
    uintptr_t word = access->address & ~(uintptr_t)7;
    uint16_t links = fw_holds.count ? pass_holds(access, word) : 0;
    uint32_t entry = fw_is_site(access->pc)
                         ? fw_place_next(FW_PLACE_ENTRY, access->pc, FW_NO_PLACE)
                         : FW_NO_PLACE;

    open_quick_way(access->thread);
    if (entry == FW_NO_PLACE)
        pass_plainly(access, word);
    else
        enter_all(access, word, entry, links);
    if (!fw_holds.count)
        return;
    force();
    say_over();
}

void fw_holds_await(const struct fw_overlap_access *accesses, unsigned count)
{
    open_quick_way(accesses[0].thread);
    for (unsigned i = 0; i < count; i++)
        pass_plainly(&accesses[i], accesses[i].address & ~(uintptr_t)7);
    if (!fw_holds.count)
        return;
    force();
    say_over();
}

/* --- ends ------------------------------------------------------------------------------------ */

void fw_holds_ended(void)
{
    if (!fw_holds.me)
        return;
    fw_holds_drop();
    fw_healer_give(fw_holds.me, fw_heal_now());
    fw_heal_counts = NULL;
    fw_holds.me = NULL;
    fw_holds.mutexes = NULL;
    fw_holds.handlers = 0;
    fw_holds_forget();
}

void fw_holds_forked(void)
{
    memset(&fw_holds, 0, sizeof fw_holds);
    fw_heal_counts = NULL;
    fw_hot.regions &= ~FW_HOLDING;
    atomic_store(&waited, 0);
    atomic_store(&looked, 0);
    fw_heal_locks_forked();
}
