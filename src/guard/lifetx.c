/* lifetx.c - see lifetx.h. */
#include "guard/lifetx.h"

#include "guard/flight.h"
#include "guard/guard.h"
#include "guard/locks.h"
#include "guard/region.h"
#include "guard/transactions.h"
#include "guard/undo.h"
#include "guard/violation.h"
#include "runtime/rt.h"

#include <errno.h>

#define HEARD       1000000u /* ns that it takes at most to go back */
#define RANGE_WORDS 64u      /* of a long range the first ones are looked at */

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

/* The thread has come to the last access of its transaction.  Its hook is before it, so that the
 * transaction ends when the thread is seen next, as a rule before it gives its mutex back. */
static __thread bool ending;

static void end_in_time(void)
{
    if (FW_LIKELY(!ending))
        return;
    ending = false;
    fw_tx_cut(fw_guard_self);
}

static void cut_at(uint32_t site)
{
    uint32_t self;

    if (!site || !(marks_of(site) & FW_GUARD_CUT))
        return;
    self = self_now();
    if (self)
        fw_tx_cut(self);
}

/* What calls of a name do to transactions: nothing, end them wherever that is, give something back
 * that others may wait for, wait for what others have. */
enum {
    PLAIN = 1,
    ENDS,
    GIVES,
    BLOCKS,
};

static __thread uint8_t calls; /* what the call that has begun does; where that is, is told next */
static __thread bool blocked;  /* others may see the thread in a call that it is back from */

static void unblock(void)
{
    if (FW_LIKELY(!blocked))
        return;
    blocked = false;
    fw_tx_blocks(fw_guard_self, 0);
}

/* A cutpoint ends the transaction before the call, so there is nothing to be told of it. */
static void note_call(uint32_t site, uintptr_t pc)
{
    uint64_t frame = fw_guard_self ? fw_guard_frame(pc) : 0;

    if (!frame || (site && marks_of(site) & FW_GUARD_CUT))
        return;
    if (calls == GIVES)
        fw_tx_gives(fw_guard_self, frame);
    blocked = calls == BLOCKS;
    if (blocked)
        fw_tx_blocks(fw_guard_self, frame);
}

void fw_guard_tx_place(uintptr_t pc)
{
    uint32_t site = fw_guard_site(pc);

    cut_at(site);
    if (FW_UNLIKELY(calls >= GIVES))
        note_call(site, pc);
    calls = 0;
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

static bool is_among(const char *name, const char *const *names)
{
    while (*names && !is_text(name, *names))
        names++;
    return *names != NULL;
}

static uintptr_t look_up(const char *name)
{
    static const char *const ends[] = { "pthread_create", "thrd_create",
                                        "epoll_wait",     "epoll_pwait",
                                        "epoll_pwait2",   "poll",
                                        "ppoll",          NULL };
    static const char *const gives[] = { "pthread_mutex_unlock",   "pthread_rwlock_unlock",
                                         "pthread_spin_unlock",    "mtx_unlock",
                                         "pthread_cond_wait",      "pthread_cond_timedwait",
                                         "pthread_cond_clockwait", "cnd_wait",
                                         "cnd_timedwait",          NULL };
    static const char *const blocks[] = { "pthread_mutex_lock",
                                          "pthread_mutex_timedlock",
                                          "pthread_rwlock_rdlock",
                                          "pthread_rwlock_wrlock",
                                          "pthread_spin_lock",
                                          "mtx_lock",
                                          "pthread_join",
                                          "thrd_join",
                                          "pthread_barrier_wait",
                                          "sem_wait",
                                          NULL };

    return is_among(name, ends)     ? ENDS
           : is_among(name, gives)  ? GIVES
           : is_among(name, blocks) ? BLOCKS
                                    : PLAIN;
}

/* An interceptor's name is the same text every time: what was found is kept, above its address. */
static uintptr_t kind_of(const char *name)
{
    static _Atomic uintptr_t known[64];
    _Atomic uintptr_t *at = &known[(uintptr_t)name / 8 % 64];
    uintptr_t there = atomic_load_explicit(at, memory_order_relaxed); /* one word, which says all */

    if (FW_UNLIKELY(there >> 3 != (uintptr_t)name)) {
        there = (uintptr_t)name << 3 | look_up(name);
        atomic_store_explicit(at, there, memory_order_relaxed);
    }
    return there & 7;
}

void fw_guard_tx_call(const char *name, const void *object)
{
    calls = (uint8_t)kind_of(name);
    end_in_time();
    unblock();
    if (calls == ENDS) {
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

/* Who has claimed the word (region.h) gives it back soon. */
static uint32_t access_word(_Atomic uint64_t *cell, uintptr_t word, uint32_t self, bool write)
{
    uint32_t other;

    for (unsigned round = 0;; round++) {
        other = fw_tx_access(cell, word, fw_tx_of(self), write);
        if (FW_LIKELY(other != FW_TX_CLAIMED))
            return other;
        if (!fw_regions_busy()) {
            uint64_t left = (uint64_t)FW_TX_CLAIMED << 32;

            atomic_compare_exchange_strong(cell, &left, 0);
        }
        fw_guard_pause(round);
    }
}

/* A conflict that is being dealt with. */
struct conflict {
    _Atomic uint64_t *cell;
    uintptr_t word, region;
    uint32_t self, other;
    bool write;
    uint64_t started, until;
    struct fw_guard_entry entry;
};

enum outcome {
    ENDED,
    ASKED,
    LATE
};

/* Until the other transaction has ended. */
static enum outcome wait_for(uint32_t self, uint32_t other, uint64_t until)
{
    for (unsigned round = 0; fw_tx_runs(other); round++) {
        if (atomic_load_explicit(&fw_guard->off, memory_order_relaxed) ||
            ((round >= FW_GUARD_SPINS || !(round % 64)) && fw_guard_clock() >= until))
            return LATE;
        if (atomic_exchange(&fw_tx_threads[self].asked, 0))
            return ASKED;
        fw_guard_pause(round);
    }
    return ENDED;
}

static void wait_outside(const struct fw_region_plan *plan)
{
    for (unsigned round = 0; fw_tx_runs(plan->other) && fw_guard_clock() < plan->until; round++)
        fw_guard_pause(round);
}

/* Returns if that cannot be done. */
static void go_back(struct conflict *conflict)
{
    struct fw_region_plan plan = { .entry = conflict->entry,
                                   .started = conflict->started,
                                   .limit = conflict->until,
                                   .wait = wait_outside,
                                   .other = conflict->other,
                                   .until = fw_guard_clock() + fw_guard->stall };
    int error = errno;

    if (!fw_region_can(conflict->region))
        return;
    fw_guard_violation_frames(&plan.entry);
    errno = error;
    fw_region_back(conflict->region, &plan);
}

/* The circle of threads that wait for each other opens if one of them goes back: this one, or the
 * one that it would wait for, if that can.  That one waits, too, and hears as soon as it has a
 * processor: until then there is all the time that there is for waiting. */
static enum outcome open_circle(struct conflict *conflict)
{
    uint32_t holder = fw_tx_thread(conflict->other);
    uint64_t least = fw_guard_clock() + fw_guard->stall / 4;
    uint64_t until = conflict->until > least ? conflict->until : least;
    bool heard = false;

    go_back(conflict);
    atomic_store(&fw_tx_threads[holder].asked, conflict->self);
    for (unsigned round = 0; fw_tx_runs(conflict->other) && fw_guard_clock() < until; round++) {
        /* It goes back now, or not at all. */
        if (!heard && atomic_load(&fw_tx_threads[holder].asked) != conflict->self) {
            heard = true;
            until = fw_guard_clock() + HEARD;
        }
        fw_guard_pause(round);
    }
    return fw_tx_runs(conflict->other) ? LATE : ENDED;
}

static enum outcome wait_once(struct conflict *conflict)
{
    enum outcome outcome;

    if (fw_region_locks(conflict->region))
        go_back(conflict); /* the other may need one of them */
    if (!fw_tx_wait_begin(conflict->self, fw_tx_thread(conflict->other)))
        return open_circle(conflict);
    atomic_store(&fw_tx_threads[conflict->self].asked, 0);
    outcome = wait_for(conflict->self, conflict->other, conflict->until);
    fw_tx_wait_end(conflict->self);
    if (outcome != ENDED)
        go_back(conflict);
    return outcome;
}

/* The access is noted in the end, or has to be made all the same. */
static enum fw_guard_done win(struct conflict *conflict)
{
    while (conflict->other) {
        uintptr_t flight = fw_flight_hide();
        enum outcome outcome = wait_once(conflict);

        fw_flight_show_again(flight);
        if (outcome == LATE || (outcome == ASKED && fw_guard_clock() >= conflict->until))
            return FW_GUARD_DID_PASS;
        conflict->other =
            access_word(conflict->cell, conflict->word, conflict->self, conflict->write);
    }
    return FW_GUARD_DID_STALL;
}

static void resolve(struct conflict *conflict, uint32_t site)
{
    const struct fw_region_plan *before = fw_region_plan_of(site);
    int error = errno;

    conflict->started = before ? before->started : fw_guard_clock();
    conflict->until = conflict->started + fw_guard->stall;
    conflict->entry = (struct fw_guard_entry) {
        .address = conflict->word,
        .site = site,
        .before = fw_tx_site(fw_tx_thread(conflict->other), conflict->word),
        .thread = conflict->self,
        .other = fw_tx_thread(conflict->other),
        .done = FW_GUARD_DID_NOTHING,
        .window = before ? before->entry.window : 0,
        .undone = before ? before->entry.undone : 0,
        .tries = before ? before->entry.tries : 0,
    };
    if (is_hopeless(site, conflict->entry.before))
        return;
    if (!fw_guard->dry)
        conflict->entry.done = win(conflict);
    if (conflict->entry.done == FW_GUARD_DID_PASS)
        conflict->entry.rests = fw_tx_rests(conflict->other);
    if (conflict->entry.done == FW_GUARD_DID_PASS || conflict->entry.done == FW_GUARD_DID_NOTHING) {
        fw_guard_pair_add(fw_guard, FW_GUARD_PAIR(site, conflict->entry.before),
                          FW_GUARD_PAIR_NEW | FW_GUARD_PAIR_GONE);
        fw_tx_give_up();
        access_word(conflict->cell, conflict->word, conflict->self, conflict->write);
    }
    if (before)
        fw_region_forget();
    fw_guard_violation_done(&conflict->entry, conflict->started);
    errno = error;
}

void fw_guard_tx_access(uintptr_t address, size_t bytes, bool write, uint32_t site,
                        uintptr_t region)
{
    uintptr_t word = address & ~(uintptr_t)3, end = address + bytes;
    uint64_t cells[FW_UNDO_WORDS] = { 0 };
    uint8_t marks = marks_of(site);
    bool new = !fw_guard_self, changes = write;
    uint32_t self = self_now(), me;

    if (FW_UNLIKELY(new))
        fw_flight_show(address, bytes);
    end_in_time();
    unblock();
    if (self && marks & FW_GUARD_CUT)
        fw_tx_cut(self);
    if (!self || marks & FW_GUARD_PLACE ||
        atomic_load_explicit(&fw_guard->off, memory_order_relaxed)) {
        fw_region_end();
        return;
    }
    write |= marks & FW_GUARD_CLAIM;
    me = fw_tx_of(self);
    for (unsigned i = 0; word < end && i < RANGE_WORDS; i++, word += 4) {
        _Atomic uint64_t *cell = fw_word_cell(word);
        uint64_t there = atomic_load_explicit(cell, memory_order_relaxed);
        uint32_t other;

        if (i < FW_UNDO_WORDS)
            cells[i] = there;
        if (fw_tx_repeats(there, me, write))
            continue;
        other = access_word(cell, word, self, write);
        if (FW_UNLIKELY(other != 0)) {
            struct conflict conflict = { .cell = cell,
                                         .word = word,
                                         .region = region,
                                         .self = self,
                                         .other = other,
                                         .write = write };

            resolve(&conflict, site);
            me = fw_tx_of(self);
        }
        fw_tx_note(self, word, site);
    }
    ending = marks & FW_GUARD_END;
    if (region && changes)
        fw_region_write(region, address, bytes, cells);
    if (FW_UNLIKELY(fw_region_pending))
        fw_region_judged(site);
}
