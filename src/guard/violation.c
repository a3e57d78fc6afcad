/*
 * violation.c - see violation.h.
 *
 * A thread that waits holds nothing of ours, so others are never kept from going on by us; what it
 * holds of the program's may keep them, and then its time is over soon.
 */
#include "guard/violation.h"
#include "guard/budget.h"
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/rt.h"

#include <errno.h>
#include <execinfo.h>
#include <string.h>

#define LOOK   8u /* rounds between looks at a word that has not changed: others may have */
#define YIELDS 50u
#define NAP    50000u /* ns */
#define STACK  64

static struct fw_budget waits;

static uint64_t clock_now(int clock)
{
    struct timespec time = { 0, 0 };

    fw_call(SYS_clock_gettime, clock, &time, 0, 0);
    return (uint64_t)time.tv_sec * FW_SECOND + (uint64_t)time.tv_nsec;
}

uint64_t fw_guard_clock(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

void fw_guard_violations_begin(void)
{
    memset(&waits, 0, sizeof waits);
}

static void count(enum fw_guard_count what, uint64_t by)
{
    atomic_fetch_add_explicit(&fw_guard->counts[what], by, memory_order_relaxed); /* a number */
}

/* --- the log --------------------------------------------------------------------------------- */

/* Frames of modules that are known, the hook's caller first. */
static uint32_t take_frames(uint64_t *frames)
{
    void *stack[STACK];
    uint32_t taken = 0;
    int depth;

    fw_guard_calls_own = true;
    depth = backtrace(stack, STACK);
    fw_guard_calls_own = false;
    for (int i = 0; i < depth && taken < FW_GUARD_FRAMES; i++) {
        frames[taken] = fw_guard_frame((uintptr_t)stack[i]);
        taken += frames[taken] != 0;
    }
    return taken;
}

static void put(struct fw_guard_entry *entry)
{
    uint64_t number = atomic_fetch_add(&fw_guard->logged, 1);
    struct fw_guard_entry *to = &fw_guard_log(fw_guard)[number % FW_GUARD_LOG];

    entry->process = (int32_t)fw_call(SYS_getpid, 0, 0, 0, 0);
    entry->time = clock_now(CLOCK_REALTIME);
    /* Who reads it takes it for unfinished meanwhile. */
    atomic_store(&to->turn, 0);
    memcpy((char *)to + sizeof to->turn, (const char *)entry + sizeof entry->turn,
           sizeof *entry - sizeof entry->turn);
    /* release: the command reads it after its turn */
    atomic_store_explicit(&to->turn, number + 1, memory_order_release);
}

/* --- the budget ------------------------------------------------------------------------------ */

/* Of the time of all threads that take part, as many as there are now. */
static void keep_budget(uint64_t now, uint64_t waited)
{
    struct fw_guard_entry entry = { .done = FW_GUARD_DID_STOP };
    uint32_t on = FW_GUARD_ON;

    fw_budget_add(&waits, now, waited);
    if (fw_guard->budget >= 100 ||
        !fw_budget_is_spent(&waits, now, fw_guard->budget, fw_guard_threads()))
        return;
    if (atomic_compare_exchange_strong(&fw_guard->off, &on, FW_GUARD_OFF_BUDGET))
        put(&entry);
}

/* --- waiting --------------------------------------------------------------------------------- */

/* Would the access be allowed by now?  Behind whom it would come is not known while the word is
 * claimed (region.h). */
static bool may_go_on(uintptr_t word, uint64_t cell, uint32_t who, bool write)
{
    struct fw_guard_objection why;
    struct fw_word_seen seen;

    if (cell == FW_WORD_CLAIMED)
        return false;
    fw_word_look(word, cell, who, write, &seen);
    return !fw_guard_objects(fw_word_site(who), &seen, &why);
}

void fw_guard_pause(unsigned round)
{
    struct timespec nap = { 0, NAP };

    if (round < FW_GUARD_SPINS)
        __builtin_ia32_pause();
    else if (round < FW_GUARD_SPINS + YIELDS)
        fw_call(SYS_sched_yield, 0, 0, 0, 0);
    else
        fw_call(SYS_nanosleep, &nap, 0, 0, 0);
}

/* Until another access has changed the word so that it may. */
static bool wait_for_change(uintptr_t word, uint32_t who, bool write, uint64_t until)
{
    const _Atomic uint64_t *at = fw_word_cell(word);
    uint64_t cell = atomic_load_explicit(at, memory_order_relaxed);

    for (unsigned round = 0; round < FW_GUARD_SPINS || fw_guard_clock() < until; round++) {
        uint64_t now = atomic_load_explicit(at, memory_order_relaxed);

        if (atomic_load_explicit(&fw_guard->off, memory_order_relaxed))
            return false;
        if ((now != cell || round % LOOK == 0) && may_go_on(word, now, who, write)) {
            /* The other is in its hook, its access comes next. */
            fw_guard_pause(FW_GUARD_SPINS + YIELDS);
            return true;
        }
        cell = now;
        fw_guard_pause(round);
    }
    return false;
}

/* --- what is done ---------------------------------------------------------------------------- */

/* A write whose set is empty is not allowed after any access of another thread, whichever. */
static bool is_futile(uint32_t site, bool write)
{
    return fw_guard->mode == FW_GUARD_ALLOW && write &&
           !(fw_guard_sites(fw_guard)[site] & FW_GUARD_HAS_PAIRS);
}

/* What cannot be avoided is allowed from now on. */
static void relax(const struct fw_guard_entry *entry)
{
    uint64_t pair = FW_GUARD_PAIR(entry->site, entry->before);

    if (!entry->before)
        fw_guard_needs(fw_guard)[entry->site] = 0;
    if (!entry->before)
        atomic_fetch_or(&fw_guard_sites(fw_guard)[entry->site],
                        (uint8_t)(entry->also << FW_GUARD_ALSO));
    else if (fw_guard->mode == FW_GUARD_FORBID)
        atomic_fetch_or(fw_guard_pair_at(fw_guard, pair), FW_GUARD_PAIR_GONE);
    else if (!fw_guard_pair_add(fw_guard, pair, FW_GUARD_PAIR_NEW))
        count(FW_GUARD_LOST, 1);
}

/* --- going back ------------------------------------------------------------------------------ */

/* Others come first, as far as they are to be waited for: the thread has given its mutexes back. */
static void wait_outside(const struct fw_region_plan *plan)
{
    wait_for_change(plan->word, plan->who, plan->write, plan->until);
}

/* What it does now is something else only if others have gone on: at first a moment is enough, if
 * it is not, they get a part of the time that there is, twice as much each time. */
static void wait_a_little(const struct fw_region_plan *plan)
{
    uint32_t most = fw_guard->rollback, tries = plan->entry.tries;
    uint32_t left = tries < most ? most - tries : 0;
    uint64_t until = clock_now(CLOCK_MONOTONIC) + (fw_guard->stall / 2 >> (left < 20 ? left : 20));

    do
        fw_guard_pause(FW_GUARD_SPINS + YIELDS);
    while (plan->entry.tries > 1 && clock_now(CLOCK_MONOTONIC) < until &&
           !atomic_load_explicit(&fw_guard->off, memory_order_relaxed));
}

/* Returns if that cannot be done. */
static void go_back(uintptr_t region, struct fw_guard_entry *entry, uint64_t started,
                    uintptr_t word, uint32_t who, bool write)
{
    struct fw_region_plan plan = { .entry = *entry,
                                   .started = started,
                                   .word = word,
                                   .who = who,
                                   .write = write,
                                   .until = started + fw_guard->stall };

    int error = errno;

    plan.wait = fw_region_locks(region) ? wait_outside : wait_a_little;
    plan.limit = fw_region_locks(region) ? plan.until : 0;
    fw_guard_violation_frames(&plan.entry);
    errno = error;
    fw_region_back(region, &plan);
}

static enum fw_guard_done act(struct fw_guard_entry *entry, uint64_t started, uintptr_t word,
                              uint32_t who, bool write, uintptr_t region)
{
    uint64_t until = started + fw_guard->stall;
    bool futile = is_futile(fw_word_site(who), write);

    if (fw_guard->dry)
        return FW_GUARD_DID_NOTHING;
    /* With a mutex that others may need waiting is in vain. */
    if (!futile && !fw_region_locks(region) && wait_for_change(word, who, write, until))
        return FW_GUARD_DID_STALL;
    if (fw_region_can(region))
        go_back(region, entry, started, word, who, write);
    if (!futile && fw_region_locks(region) &&
        wait_for_change(word, who, write, until))
        return FW_GUARD_DID_STALL;
    return futile ? FW_GUARD_DID_NOTHING : FW_GUARD_DID_PASS;
}

void fw_guard_violation_frames(struct fw_guard_entry *entry)
{
    entry->frame_count = take_frames(entry->frames);
}

void fw_guard_violation_done(struct fw_guard_entry *entry, uint64_t started)
{
    uint64_t ended = clock_now(CLOCK_MONOTONIC);

    entry->ns = ended - started;
    count(FW_GUARD_VIOLATIONS, 1);
    count(FW_GUARD_NS, entry->ns);
    count(entry->done == FW_GUARD_DID_STALL   ? FW_GUARD_STALLED
          : entry->done == FW_GUARD_DID_AGAIN ? FW_GUARD_AGAIN
                                              : FW_GUARD_PASSED,
          1);
    if (!entry->frame_count)
        fw_guard_violation_frames(entry);
    put(entry);
    keep_budget(ended, entry->ns);
}

void fw_guard_violated(uintptr_t word, uint32_t who, bool write,
                       const struct fw_guard_objection *why, uintptr_t region)
{
    const struct fw_region_plan *before = fw_region_plan_of(fw_word_site(who));
    uint64_t started = before ? before->started : clock_now(CLOCK_MONOTONIC);
    uintptr_t flight = fw_flight_hide();
    int error = errno;
    struct fw_guard_entry entry = {
        .address = word,
        .site = fw_word_site(who),
        .before = fw_word_site(why->before),
        .thread = fw_word_thread(who),
        .other = fw_word_thread(why->before),
        .also = why->also,
    };

    if (before) { /* it has come to it again */
        entry.window = before->entry.window;
        entry.undone = before->entry.undone;
        entry.tries = before->entry.tries;
    }
    entry.done = act(&entry, started, word, who, write, region);
    if (before)
        fw_region_forget();
    if (entry.done != FW_GUARD_DID_STALL)
        relax(&entry);
    fw_guard_violation_done(&entry, started);
    fw_flight_show_again(flight);
    errno = error;
}
