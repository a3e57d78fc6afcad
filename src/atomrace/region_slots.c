/*
 * region_slots.c - see region_state.h: open regions as all threads see them.
 *
 * A region's place in the table is given by its word, so that who accesses the word looks at one
 * slot.  Words that share a slot cannot both have one at the same time: the later one is missed.
 *
 * The state says whose it is and goes CLOSED, OPENING, OPEN, CLOSED by its owner alone, with HELD
 * in between for who notes itself as a suspect.  The owner waits while it is held, for as long as
 * it takes to copy a stack: who holds it has handlers kept out and waits for nobody.
 */
#include "atomrace/mask.h"
#include "atomrace/region_state.h"

#include <string.h>

#define SLOTS 256u /* a power of two */

enum phase {
    CLOSED,
    OPENING, /* not for others yet */
    OPEN,
    HELD,
    PHASES, /* bits of the state below the owner */
};

static struct fw_region {
    _Atomic uint64_t state; /* (owner's number + 1) * PHASES + phase; 0: closed */
    _Atomic uintptr_t word;
    _Atomic uint32_t count; /* of suspects */
    _Atomic uint32_t entry; /* of the section that was entered first */
    _Atomic uint32_t turn;  /* futex word: closed so often ... */
    _Atomic uint32_t waiting; /* ... and so many wait for that */
    bool watched; /* its owner's: it is counted in fw_watch */
    struct fw_suspect suspects[FW_SUSPECTS];
} slots[SLOTS];

static _Atomic uint64_t open_slots[SLOTS / 64]; /* a bit each: a hint */

static uint64_t state_of(uint32_t number, enum phase phase)
{
    return ((uint64_t)number + 1) * PHASES + phase;
}

struct fw_region *fw_slot_of(uintptr_t word)
{
    return &slots[word * 0x9e3779b97f4a7c15u >> 56 & (SLOTS - 1)];
}

/* --- the owner's ----------------------------------------------------------------------------- */

/* relaxed: hints, as in sections.c */
static void watch(struct fw_region *region, uintptr_t word)
{
    unsigned i = (unsigned)(region - slots);

    atomic_fetch_or_explicit(&open_slots[i / 64], 1ull << i % 64, memory_order_relaxed);
    atomic_fetch_add_explicit(&fw_watch[word & (FW_WATCH_CELLS - 1)], 1, memory_order_relaxed);
    region->watched = true;
}

static void unwatch(struct fw_region *region, uintptr_t word)
{
    unsigned i = (unsigned)(region - slots);

    if (!region->watched)
        return;
    region->watched = false;
    atomic_fetch_and_explicit(&open_slots[i / 64], ~(1ull << i % 64), memory_order_relaxed);
    atomic_fetch_sub_explicit(&fw_watch[word & (FW_WATCH_CELLS - 1)], 1, memory_order_relaxed);
}

static bool is_own(const struct fw_region *region, const struct fw_thread *t, uintptr_t word)
{
    uint64_t state = atomic_load_explicit(&region->state, memory_order_relaxed); /* ours, or not */

    return state / PHASES == (uint64_t)t->number + 1 &&
           atomic_load_explicit(&region->word, memory_order_relaxed) == word;
}

bool fw_slot_open(struct fw_region *region, const struct fw_thread *t, uintptr_t word,
                  uint32_t entry)
{
    uint64_t closed = CLOSED;

    if (is_own(region, t, word))
        return true;
    /* acquire: its former owner is done with it (fw_slot_close) */
    if (!atomic_compare_exchange_strong_explicit(&region->state, &closed,
                                                 state_of(t->number, OPENING),
                                                 memory_order_acquire, memory_order_relaxed))
        return false;
    /* relaxed: who takes them for those of another region looks again when it holds this one */
    atomic_store_explicit(&region->word, word, memory_order_relaxed);
    atomic_store_explicit(&region->entry, entry, memory_order_relaxed);
    atomic_store_explicit(&region->count, 0, memory_order_relaxed);
    region->watched = false;
    /* release: who holds it sees that it has no suspects */
    atomic_store_explicit(&region->state, state_of(t->number, OPEN), memory_order_release);
    watch(region, word);
    return true;
}

static void wake(struct fw_region *region)
{
    /* seq_cst, as in fw_region_await: either it sees the new turn or we see that it waits */
    atomic_fetch_add(&region->turn, 1);
    if (atomic_load(&region->waiting))
        fw_call(SYS_futex, &region->turn, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, 0);
}

void fw_slot_close(struct fw_region *region, const struct fw_thread *t)
{
    uint64_t state = atomic_load_explicit(&region->state, memory_order_relaxed);

    if (state / PHASES != (uint64_t)t->number + 1)
        return;
    unwatch(region, atomic_load_explicit(&region->word, memory_order_relaxed));
    for (;;) {
        if (state % PHASES == HELD) {
            fw_call(SYS_sched_yield, 0, 0, 0, 0);
            state = atomic_load_explicit(&region->state, memory_order_relaxed);
            continue;
        }
        /* acq_rel: what who held it wrote there is written (note), and we have read it */
        if (atomic_compare_exchange_weak_explicit(&region->state, &state, CLOSED,
                                                  memory_order_acq_rel, memory_order_relaxed))
            break;
    }
    wake(region);
}

/*
 * A read-modify-write of what note() modifies: who comes later in that order is after what this
 * thread has done before (release here, acquire there), so after its access of the entry.
 */
uint32_t fw_slot_count(struct fw_region *region)
{
    return atomic_fetch_add_explicit(&region->count, 0, memory_order_acq_rel);
}

uint32_t fw_slot_seen(struct fw_region *region)
{
    return atomic_load_explicit(&region->count, memory_order_acquire); /* pairs with note */
}

const struct fw_suspect *fw_slot_suspect(const struct fw_region *region, uint32_t i)
{
    return &region->suspects[i];
}

void fw_slots_forked(void)
{
    memset(slots, 0, sizeof slots);
    memset(open_slots, 0, sizeof open_slots);
}

/* --- others' --------------------------------------------------------------------------------- */

bool fw_regions_any(void)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < SLOTS / 64; i++)
        any |= atomic_load_explicit(&open_slots[i], memory_order_relaxed); /* as fw_watched */
    return any;
}

/* Another thread's, open or held, on this word?  Its state then, or 0. */
static uint64_t foreign(const struct fw_region *region, const struct fw_thread *t, uintptr_t word)
{
    /* acquire: pairs with the release of fw_slot_open, the word is that of this state or later */
    uint64_t state = atomic_load_explicit(&region->state, memory_order_acquire);

    if (state % PHASES < OPEN || state / PHASES == (uint64_t)t->number + 1 ||
        atomic_load_explicit(&region->word, memory_order_relaxed) != word)
        return 0;
    return state - state % PHASES + OPEN;
}

/* Takes hold of it while it is `open`, waiting for who else holds it. */
static bool hold(struct fw_region *region, uint64_t open)
{
    for (;;) {
        uint64_t is = open;

        /* acquire: what the former holder wrote is written */
        if (atomic_compare_exchange_strong_explicit(&region->state, &is, open - OPEN + HELD,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        if (is != open - OPEN + HELD)
            return false;
        fw_call(SYS_sched_yield, 0, 0, 0, 0);
    }
}

static void copy_stack(struct fw_suspect *suspect, const struct fw_hot *hot)
{
    size_t depth = (size_t)(hot->top - hot->base);
    size_t count = depth < FW_SUSPECT_FRAMES ? depth : FW_SUSPECT_FRAMES;

    suspect->frame_count = (uint32_t)count;
    memcpy(suspect->frames, hot->top - count, count * sizeof *suspect->frames);
}

static bool note(struct fw_region *region, const struct fw_overlap_access *access)
{
    /* relaxed: who holds it is alone with it */
    uint32_t count = atomic_load_explicit(&region->count, memory_order_relaxed);
    struct fw_suspect *suspect = &region->suspects[count % FW_SUSPECTS];

    if (count == FW_SUSPECTS)
        return false;
    suspect->access = *access;
    suspect->number = access->thread->number;
    /* relaxed: its own */
    suspect->passed = atomic_load_explicit(&access->thread->passed, memory_order_relaxed);
    copy_stack(suspect, access->thread->hot);
    /* release: it is written; acquire: see fw_slot_count */
    atomic_fetch_add_explicit(&region->count, 1, memory_order_acq_rel);
    return true;
}

static bool look_at(struct fw_region *region, uintptr_t word,
                    const struct fw_overlap_access *access)
{
    uint64_t open = foreign(region, access->thread, word), mask;
    struct fw_region_view view;
    bool noted = false;

    if (open && fw_region_healing && fw_region_healing->met && fw_region_at(word << 3, &view)) {
        fw_region_healing->met(access, &view);
        open = foreign(region, access->thread, word);
    }
    if (!open)
        return false;
    mask = fw_mask_set(FW_MASK_ALL);
    if (hold(region, open)) {
        /* The state has its owner's number, which may have another region here by now. */
        if (atomic_load_explicit(&region->word, memory_order_relaxed) == word)
            noted = note(region, access);
        /* release: pairs with the acquires of hold and of fw_slot_close */
        atomic_store_explicit(&region->state, open, memory_order_release);
    }
    fw_mask_set(mask);
    return noted;
}

static bool look_everywhere(uintptr_t first, uintptr_t last, const struct fw_overlap_access *access)
{
    bool noted = false;

    for (unsigned i = 0; i < SLOTS / 64; i++) {
        uint64_t left = atomic_load_explicit(&open_slots[i], memory_order_relaxed);

        for (; left; left &= left - 1) {
            struct fw_region *region = &slots[i * 64 + (unsigned)__builtin_ctzll(left)];
            uintptr_t word = atomic_load_explicit(&region->word, memory_order_relaxed);

            if (word >= first && word <= last)
                noted |= look_at(region, word, access);
        }
    }
    return noted;
}

bool fw_regions_look(const struct fw_overlap_access *access)
{
    uintptr_t first = fw_word_of(access->address);
    uintptr_t last = fw_word_of(access->address + access->bytes - 1);
    bool noted = false;

    if (last - first > 2)
        return look_everywhere(first, last, access);
    for (uintptr_t word = first; word <= last; word++)
        noted |= look_at(fw_slot_of(word), word, access);
    return noted;
}

/* --- for healing ----------------------------------------------------------------------------- */

bool fw_region_at(uintptr_t address, struct fw_region_view *view)
{
    uintptr_t word = fw_word_of(address);
    struct fw_region *region = fw_slot_of(word);
    uint64_t state = fw_self ? foreign(region, fw_self, word) : 0;

    if (!state)
        return false;
    *view = (struct fw_region_view){ .region = region,
                                     .owner = (uint32_t)(state / PHASES - 1),
                                     .word = word };
    view->entry = atomic_load_explicit(&region->entry, memory_order_relaxed); /* a hint */
    return true;
}

static bool is_still(const struct fw_region_view *view)
{
    uint64_t state = atomic_load(&view->region->state);

    return state / PHASES == (uint64_t)view->owner + 1 &&
           atomic_load_explicit(&view->region->word, memory_order_relaxed) == view->word;
}

/* May come back early: somebody else may have been woken for. */
void fw_region_await(const struct fw_region_view *view, uint64_t ns)
{
    struct fw_region *region = view->region;
    uint32_t turn = atomic_load(&region->turn);

    atomic_fetch_add(&region->waiting, 1); /* see wake */
    if (is_still(view))
        fw_futex_wait(&region->turn, turn, ns, 0);
    atomic_fetch_sub(&region->waiting, 1);
}
