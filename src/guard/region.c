/* region.c - see region.h. */
#include "guard/region.h"
#include "guard/calls.h"
#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/lifetx.h"
#include "guard/locks.h"
#include "guard/region_jump.h"
#include "guard/shared_maps.h"
#include "guard/transactions.h"
#include "guard/undo.h"
#include "guard/violation.h"
#include "runtime/futex.h"
#include "runtime/rt.h"
#include "runtime/sink.h"

#include <signal.h>

#define LOCKS 4u /* that a region may take */

struct fw_region {
    struct fw_jump jump;
    uint32_t serial;   /* counts beginnings */
    uint32_t function;
    uintptr_t end; /* of the function's frame */
    uint32_t generation, changes; /* of the switch, and of the calls (calls.h) */
    uint64_t disturbed; /* when it wrote first */
    uint32_t window; /* places that were passed behind the one that began it */
    unsigned tries;
    uint64_t limit; /* of the first */
    unsigned locks;
    pthread_mutex_t *lock[LOCKS]; /* that were taken since, in order */
    struct fw_undo undo;
    struct fw_region_plan plan;
    uint64_t mask; /* of signals, while it goes back */
};

__thread struct fw_region *fw_region_own;
__thread uintptr_t fw_region_live;
__thread bool fw_region_pending;

static _Atomic uint8_t *broken; /* by function; NULL: there are no regions */
static _Atomic uint32_t busy;
static _Atomic bool blind;
static _Atomic uint64_t disturbed; /* counts */

bool fw_regions_begin(void)
{
    if (fw_guard->rollback && fw_guard->function_count && fw_jump_works())
        broken = fw_map_memory(fw_guard->function_count + (size_t)1);
    fw_flights_on = broken != NULL;
    return broken != NULL;
}

bool fw_regions_busy(void)
{
    return atomic_load(&busy);
}

void fw_regions_forked(void)
{
    atomic_store(&busy, 0);
    fw_region_end();
}

void fw_region_break(uint32_t function)
{
    if (broken && function && function <= fw_guard->function_count)
        atomic_store(&broken[function], 1);
}

void fw_regions_blind(void)
{
    atomic_store(&blind, true);
}

/* seq_cst: of one that goes back and this one, either sees the other. */
void fw_regions_disturb(void)
{
    atomic_fetch_add(&disturbed, 1);
    for (unsigned round = 0; fw_regions_busy(); round++)
        fw_guard_pause(round);
}

/* Who goes back from now on sees that nothing is taken back (seq_cst, both). */
void fw_regions_settle(void)
{
    if (atomic_load(&blind) && !atomic_load(&busy))
        fw_flights_on = false;
}

bool fw_region_is_broken(uint32_t function)
{
    return !broken || function > fw_guard->function_count || atomic_load(&broken[function]);
}

/* --- what a violation came to ---------------------------------------------------------------- */

/* The thread has gone back, and has not come to it again. */
void fw_region_avoided(void)
{
    struct fw_region_plan *plan = &fw_region_own->plan;

    fw_region_pending = false;
    plan->entry.done = FW_GUARD_DID_AGAIN;
    fw_guard_violation_done(&plan->entry, plan->started);
}

const struct fw_region_plan *fw_region_plan_of(uint32_t site)
{
    return fw_region_pending && fw_region_own->plan.entry.site == site ? &fw_region_own->plan
                                                                        : NULL;
}

void fw_region_judged(uint32_t site)
{
    if (fw_region_plan_of(site))
        fw_region_avoided();
}

void fw_region_forget(void)
{
    fw_region_pending = false;
}

void fw_region_release(void)
{
    struct fw_region *region = fw_region_own;

    fw_region_end();
    fw_region_own = NULL;
    if (region)
        fw_call(SYS_munmap, region, sizeof *region, 0, 0);
}

/* --- beginning ------------------------------------------------------------------------------- */

/* At the place that began it, with nothing done. */
static void come_back(struct fw_region *region)
{
    struct fw_region_plan plan = region->plan; /* a handler may make another one */

    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &region->mask, 0, 8);
    if (plan.wait)
        plan.wait(&plan);
}

/* Returns once more whenever the thread goes back, with the stack up to `kept` as it is now. */
static __attribute__((noinline)) void begin(struct fw_region *region, uint32_t function,
                                            uintptr_t end, uintptr_t kept)
{
    uint32_t serial = ++region->serial;
    int how;

    fw_region_end();
    region->function = function;
    region->end = end;
    region->generation = atomic_load_explicit(&fw_guard->generation, memory_order_relaxed);
    region->changes = atomic_load(&fw_guard_changes);
    region->window = region->tries = region->locks = region->undo.count = 0;
    how = fw_jump_save(&region->jump, kept);
    if (how > 0)
        come_back(fw_region_own);
    /* Else a handler has begun one meanwhile. */
    if (how >= 0 && fw_region_own->serial == serial)
        fw_region_live = end;
}

static struct fw_region *region_of_thread(void)
{
    if (!fw_region_own)
        fw_region_own = fw_map_memory(sizeof *fw_region_own);
    return fw_region_own;
}

/* The place that returns there; the region that it is in. */
static uintptr_t enter(uintptr_t pc, uintptr_t stack)
{
    uint64_t about = fw_guard_region_at(pc);
    uint32_t function = (uint32_t)(about >> 16);
    uintptr_t end = stack + (about & FW_GUARD_FRAME);
    struct fw_region *region = region_of_thread();

    if (!region || !function || fw_region_is_broken(function) ||
        *(const uintptr_t *)(stack - 8) != pc) {
        fw_region_end();
        return 0;
    }
    if (about & FW_GUARD_BEGINS)
        begin(region, function, end, about & FW_GUARD_BARE ? stack : end);
    else if (fw_region_live == end && region->function == function)
        region->window++;
    else
        fw_region_end();
    return fw_region_live == end ? end : 0;
}

/* --- places ---------------------------------------------------------------------------------- */

static bool is_forced(void)
{
    static __thread uint64_t state;

    if (!fw_guard->force)
        return false;
    if (!state)
        state = (fw_guard->seed + fw_guard_self) * 0x9e3779b97f4a7c15u | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % 1000 < fw_guard->force;
}

/* For no reason: the program must not notice. */
static void force(uintptr_t region)
{
    static const struct fw_region_plan nothing;

    if (fw_region_can(region) && is_forced())
        fw_region_back(region, &nothing);
}

uintptr_t fw_region_pass(uintptr_t pc, uintptr_t stack)
{
    uintptr_t region = enter(pc, stack);

    if (FW_UNLIKELY(fw_guard->force) && region)
        force(region);
    return region;
}

static bool is_own_since(const struct fw_undo *undo, uintptr_t address, size_t bytes,
                         const uint64_t *cells)
{
    return fw_guard_tx ? fw_undo_is_own(undo, address, bytes, cells, fw_tx_owns,
                                        fw_tx_of(fw_guard_self))
                       : fw_undo_is_own(undo, address, bytes, cells, fw_word_owns, fw_guard_self);
}

/* Who came to its hook before may still be about to access one of the words.  What a transaction
 * wrote is nobody's when it is taken back, since it ends then. */
void fw_region_write(uintptr_t end, uintptr_t address, size_t bytes, const uint64_t *cells)
{
    static const uint64_t nobody[FW_UNDO_WORDS];
    struct fw_region *region = fw_region_own;

    if (fw_region_live != end)
        return;
    if (!region->undo.count)
        region->disturbed = atomic_load(&disturbed); /* before it looks at what others show */
    if (atomic_load(&blind) || fw_flight_any(address, bytes) ||
        fw_shared_maps_have(address, bytes) ||
        !is_own_since(&region->undo, address, bytes, cells) ||
        !fw_undo_note(&region->undo, address, bytes, fw_guard_tx ? nobody : cells))
        fw_region_end();
}

void fw_region_lock(void *mutex, uintptr_t pc, uintptr_t stack)
{
    pthread_mutex_t *lock = mutex;
    struct fw_region *region;

    if (FW_UNLIKELY(fw_guard_calls_own))
        return;
    fw_guard_calls_look();
    fw_flight_hide();
    if (!(fw_guard_place(pc) & FW_GUARD_REGION)) {
        fw_region_end();
        return;
    }
    if (!enter(pc, stack))
        return;
    region = fw_region_own;
    if (region->locks == LOCKS || !fw_guard_lock_is_free(lock))
        fw_region_end();
    else
        region->lock[region->locks++] = lock;
}

/* --- going back ------------------------------------------------------------------------------ */

/* Who gives its mutexes back and lets others come first may find them there again, each time. */
static bool may_try(const struct fw_region *region)
{
    return region->tries < fw_guard->rollback ||
           (region->tries && region->limit && fw_guard_clock() < region->limit);
}

bool fw_region_can(uintptr_t end)
{
    const struct fw_region *region = fw_region_own;

    return end && fw_region_live == end && region->end == end && region->window &&
           may_try(region) && region->generation == atomic_load(&fw_guard->generation) &&
           region->changes == atomic_load(&fw_guard_changes) && !fw_guard_is_asleep() &&
           !fw_region_is_broken(region->function);
}

unsigned fw_region_locks(uintptr_t end)
{
    return fw_region_can(end) ? fw_region_own->locks : 0;
}

/* All of it, or nothing. */
static bool undo_writes(struct fw_region *region)
{
    struct fw_undo *undo = &region->undo;
    uint64_t mark = fw_guard_tx ? (uint64_t)FW_TX_CLAIMED << 32 : FW_WORD_CLAIMED;
    uint32_t me = fw_guard_tx ? fw_tx_of(fw_guard_self) : fw_guard_self;

    if (!undo->count)
        return true;
    if (atomic_load(&blind) || atomic_load(&disturbed) != region->disturbed ||
        !fw_undo_claim(undo, fw_guard_tx ? fw_tx_owns : fw_word_owns, me, mark))
        return false;
    fw_undo_write_back(undo);
    return true;
}

static bool holds_locks(const struct fw_region *region)
{
    for (unsigned i = 0; i < region->locks; i++)
        if (!fw_guard_lock_is_own(region->lock[i]))
            return false;
    return true;
}

/* The violation that it goes back for, until it is known what it comes to. */
static void take_plan(struct fw_region *region, const struct fw_region_plan *plan, uint32_t undone)
{
    uint16_t window = region->plan.entry.window, all = region->plan.entry.undone;
    bool again = fw_region_plan_of(plan->entry.site) != NULL;

    if (fw_region_pending && !again)
        fw_region_avoided();
    region->plan = *plan;
    region->plan.entry.window = again && window > region->window ? window
                                                                 : (uint16_t)region->window;
    region->plan.entry.undone = (uint16_t)((again ? all : 0) + undone);
    if (!region->tries)
        region->limit = plan->limit;
    region->plan.entry.tries = ++region->tries;
    fw_region_pending = plan->entry.site != 0;
    if (!fw_region_pending)
        atomic_fetch_add(&fw_guard->counts[FW_GUARD_FORCED], 1);
}

void fw_region_back(uintptr_t end, const struct fw_region_plan *plan)
{
    struct fw_region *region = fw_region_own;
    uint32_t undone = region->undo.count;
    uint64_t all = UINT64_MAX, mask;
    bool good;

    /* A handler would find the region half undone, or use it. */
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, 8);
    atomic_fetch_add(&busy, 1);
    good = fw_region_can(end) && holds_locks(region) && undo_writes(region);
    atomic_fetch_sub(&busy, 1);
    if (!good) {
        fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
        return;
    }
    /* What it has accessed is free before its mutexes are: who gets one of them must not find the
     * transaction in its way that has just made room for it. */
    if (fw_guard_tx)
        fw_tx_cut(fw_guard_self);
    while (region->locks)
        fw_guard_lock_give(region->lock[--region->locks]);
    take_plan(region, plan, undone);
    region->mask = mask;
    region->window = 0;
    fw_region_live = 0; /* until it is back */
    fw_jump_back(&region->jump);
}
