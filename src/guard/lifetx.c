/* lifetx.c - see lifetx.h. */
#include "guard/lifetx.h"

#include "guard/guard.h"
#include "guard/locks.h"
#include "guard/transactions.h"
#include "guard/violation.h"
#include "runtime/rt.h"

#include <errno.h>

#define RANGE_WORDS 64u /* of a long range the first ones are looked at */

bool fw_guard_tx;

static uint8_t marks_of(uint32_t site)
{
    /* relaxed: set before the program began */
    return atomic_load_explicit(&fw_guard_sites(fw_guard)[site], memory_order_relaxed);
}

static uint32_t self_now(void)
{
    return FW_LIKELY(fw_guard_self != 0) ? fw_guard_self : fw_guard_self_new();
}

/* --- cutpoints ------------------------------------------------------------------------------- */

static void cut_at(uint32_t site)
{
    uint32_t self;

    if (!site || !(marks_of(site) & FW_GUARD_CUT))
        return;
    self = self_now();
    if (self)
        fw_tx_cut(self);
}

void fw_guard_tx_place(uintptr_t pc)
{
    cut_at(fw_guard_site(pc));
}

/* Not strcmp, which is an interceptor itself. */
static bool is_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

void fw_guard_tx_call(const char *name, const void *object)
{
    if (is_text(name, "pthread_create") || is_text(name, "thrd_create")) {
        uint32_t self = self_now();

        if (self)
            fw_tx_cut(self);
    }
    fw_guard_locks_call(name, object);
}

void fw_guard_tx_entry(uintptr_t call, uintptr_t pc)
{
    cut_at(fw_guard_site(call));
    cut_at(fw_guard_site(pc));
}

void fw_guard_tx_thread(uint32_t thread)
{
    fw_tx_cut(thread);
}

/* --- conflicts ------------------------------------------------------------------------------- */

/* Was it waited for in vain before? */
static bool is_hopeless(uint32_t site, uint32_t before)
{
    const _Atomic uint64_t *at = fw_guard_pair_at(fw_guard, FW_GUARD_PAIR(site, before));

    return at && (atomic_load_explicit(at, memory_order_relaxed) & FW_GUARD_PAIR_GONE);
}

/* Until the other transaction has ended.  False: it has not, in the time there is. */
static bool wait_for(uint32_t other, uint64_t until)
{
    for (unsigned round = 0; fw_tx_runs(other); round++) {
        if (atomic_load_explicit(&fw_guard->off, memory_order_relaxed) ||
            (!(round % 64) && fw_guard_clock() >= until))
            return false;
        fw_guard_pause(round);
    }
    return true;
}

/* The access is noted in the end, or has to be made all the same. */
static enum fw_guard_done win(_Atomic uint64_t *cell, uintptr_t word, uint32_t self, bool write,
                              uint32_t other, uint64_t until, uint32_t *tries)
{
    pthread_mutex_t *lock = fw_guard_lock_fresh();

    while (other) {
        bool won;

        if (!fw_tx_wait_begin(self, fw_tx_thread(other)))
            return FW_GUARD_DID_PASS;
        if (lock)
            fw_guard_lock_give(lock);
        won = wait_for(other, until);
        fw_tx_wait_end(self);
        if (lock) {
            fw_guard_lock_take(lock);
            ++*tries;
        }
        if (!won)
            return FW_GUARD_DID_PASS;
        other = fw_tx_access(cell, word, fw_tx_of(self), write);
    }
    return lock ? FW_GUARD_DID_ROLL : FW_GUARD_DID_STALL;
}

static void conflict(_Atomic uint64_t *cell, uintptr_t word, uint32_t self, bool write,
                     uint32_t site, uint32_t other)
{
    uint32_t holder = fw_tx_thread(other);
    uint64_t started = fw_guard_clock();
    int error = errno;
    struct fw_guard_entry entry = {
        .address = word,
        .site = site,
        .before = atomic_load_explicit(&fw_tx_threads[holder].site, memory_order_relaxed),
        .thread = self,
        .other = holder,
        .done = FW_GUARD_DID_NOTHING,
    };

    if (is_hopeless(site, entry.before))
        return;
    if (!fw_guard->dry)
        entry.done = win(cell, word, self, write, other, started + fw_guard->stall, &entry.tries);
    if (entry.done == FW_GUARD_DID_PASS || entry.done == FW_GUARD_DID_NOTHING) {
        fw_guard_pair_add(fw_guard, FW_GUARD_PAIR(site, entry.before),
                          FW_GUARD_PAIR_NEW | FW_GUARD_PAIR_GONE);
        fw_tx_give_up();
        fw_tx_access(cell, word, fw_tx_of(self), write);
    }
    fw_guard_violation_done(&entry, started);
    errno = error;
}

void fw_guard_tx_access(uintptr_t address, size_t bytes, bool write, uint32_t site)
{
    uintptr_t word = address & ~(uintptr_t)3, end = address + bytes;
    uint8_t marks = marks_of(site);
    uint32_t self = self_now(), me;

    if (self && marks & FW_GUARD_CUT)
        fw_tx_cut(self);
    if (!self || marks & FW_GUARD_PLACE ||
        atomic_load_explicit(&fw_guard->off, memory_order_relaxed))
        return;
    write |= marks & FW_GUARD_CLAIM;
    me = fw_tx_of(self);
    for (unsigned i = 0; word < end && i < RANGE_WORDS; i++, word += 4) {
        _Atomic uint64_t *cell = fw_word_cell(word);
        uint64_t there = atomic_load_explicit(cell, memory_order_relaxed);
        uint32_t other;

        if (fw_tx_repeats(there, me, write))
            continue;
        other = fw_tx_access(cell, word, me, write);
        if (FW_UNLIKELY(other != 0)) {
            conflict(cell, word, self, write, site, other);
            me = fw_tx_of(self);
        }
    }
    atomic_store_explicit(&fw_tx_threads[self].site, site, memory_order_relaxed);
    fw_guard_locks_pass();
}
