/*
 * sections.c - see sections.h.
 */
#include "atomrace/sections.h"

#include "atomrace/hits.h"
#include "atomrace/mask.h"

#include <string.h>

#define SECTIONS  64u /* bits of a word */
#define MAX_WORDS 64u /* of a range that are watched: its first ones */

_Atomic uint16_t fw_watch[FW_WATCH_CELLS];

enum state {
    CLOSED,
    OPEN,
    HELD, /* open, and somebody looks at it */
};

/* They stay where they are: who comes late finds a closed one, or another. */
static struct fw_section {
    _Atomic uint32_t state;
    uint64_t mask; /* signals, as they were */
    /* For who wants to know whether to take hold of it: its bytes, and its thread's number twice,
     * plus 1 if it writes. */
    _Atomic uintptr_t begin, end;
    _Atomic uint64_t who;
    struct fw_overlap_access access; /* for its owner, and for who holds it */
} sections[SECTIONS];

static _Atomic uint64_t taken; /* a bit for each that has an owner */

/* --- opening and closing --------------------------------------------------------------------- */

static struct fw_section *take(void)
{
    uint64_t now = atomic_load_explicit(&taken, memory_order_relaxed);

    while (~now) {
        unsigned i = (unsigned)__builtin_ctzll(~now);

        /* acquire: its former owner is done with it (give) */
        if (atomic_compare_exchange_weak_explicit(&taken, &now, now | 1ull << i,
                                                  memory_order_acquire, memory_order_relaxed))
            return &sections[i];
    }
    return NULL;
}

static void give(struct fw_section *section)
{
    /* release: pairs with take */
    atomic_fetch_and_explicit(&taken, ~(1ull << (section - sections)), memory_order_release);
}

static void count_words(const struct fw_overlap_access *access, int by)
{
    uintptr_t at = access->address >> 3, last = (access->address + access->bytes - 1) >> 3;

    if (last - at >= MAX_WORDS)
        last = at + MAX_WORDS - 1;
    for (; at <= last; at++)
        /* relaxed: a hint; the section itself is looked at with acquire */
        atomic_fetch_add_explicit(&fw_watch[at & (FW_WATCH_CELLS - 1)], (uint16_t)by,
                                  memory_order_relaxed);
}

static uint64_t who_of(const struct fw_overlap_access *access)
{
    return (uint64_t)access->thread->number << 1 | access->write;
}

struct fw_section *fw_section_open(const struct fw_overlap_access *access)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);
    struct fw_section *section = take();

    if (!section) {
        fw_mask_set(mask);
        return NULL;
    }
    section->mask = mask;
    section->access = *access;
    /* relaxed: who takes them for those of another section looks again when it holds this one */
    atomic_store_explicit(&section->who, who_of(access), memory_order_relaxed);
    atomic_store_explicit(&section->begin, access->address, memory_order_relaxed);
    atomic_store_explicit(&section->end, access->address + access->bytes, memory_order_relaxed);
    /* release: who takes hold of it sees what is in it */
    atomic_store_explicit(&section->state, OPEN, memory_order_release);
    count_words(access, 1);
    /* Of two that open at once, the later one here sees the other in fw_sections_look. */
    atomic_thread_fence(memory_order_seq_cst);
    return section;
}

void fw_section_close(struct fw_section *section)
{
    uint64_t mask = section->mask;
    uint32_t is = OPEN;

    count_words(&section->access, -1);
    /* acquire: what who held it did with this thread's frames is done (let_go) */
    while (!atomic_compare_exchange_weak_explicit(&section->state, &is, CLOSED,
                                                  memory_order_acquire, memory_order_relaxed)) {
        is = OPEN;
        fw_call(SYS_sched_yield, 0, 0, 0, 0);
    }
    give(section);
    fw_mask_set(mask);
}

void fw_sections_forked(void)
{
    memset(sections, 0, sizeof sections);
    atomic_store(&taken, 0);
    for (unsigned i = 0; i < FW_WATCH_CELLS; i++)
        atomic_fetch_and(&fw_watch[i], FW_WATCH_TARGET | FW_WATCH_HEALED | FW_WATCH_READ_HEALED |
                                           FW_WATCH_SITED);
}

/* --- looking --------------------------------------------------------------------------------- */

/* Takes hold of it if it is open, waiting while somebody else holds it. */
static bool hold(struct fw_section *section)
{
    for (;;) {
        uint32_t is = OPEN;

        /* acquire: its access is written, and its owner's frames are */
        if (atomic_compare_exchange_strong_explicit(&section->state, &is, HELD,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        if (is != HELD)
            return false;
        fw_call(SYS_sched_yield, 0, 0, 0, 0);
    }
}

static void let_go(struct fw_section *section)
{
    /* release: pairs with the acquires of the owner as it closes, and of who holds it next */
    atomic_store_explicit(&section->state, OPEN, memory_order_release);
}

static bool conflict(const struct fw_overlap_access *a, const struct fw_overlap_access *b)
{
    return a->thread != b->thread && (a->write || b->write) &&
           a->address < b->address + b->bytes && b->address < a->address + a->bytes;
}

/* Nothing is held while somebody is waited for, so nobody waits in a circle. */
static void look_at(struct fw_section *section, const struct fw_overlap_access *access)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    if (hold(section)) {
        if (conflict(&section->access, access))
            fw_hit(&section->access, access);
        let_go(section);
    }
    fw_mask_set(mask);
}

bool fw_sections_any(void)
{
    return atomic_load_explicit(&taken, memory_order_relaxed); /* as fw_watched */
}

/* relaxed, here and below: what was opened before the fence of an open is seen by who opens later;
 * what is read here of a section that is closed just now decides nothing. */
static bool may_conflict(struct fw_section *section, const struct fw_overlap_access *access)
{
    uintptr_t begin = atomic_load_explicit(&section->begin, memory_order_relaxed);
    uintptr_t end = atomic_load_explicit(&section->end, memory_order_relaxed);
    uint64_t who = atomic_load_explicit(&section->who, memory_order_relaxed);

    return begin < access->address + access->bytes && access->address < end &&
           (who & 1 || access->write) && who >> 1 != access->thread->number;
}

void fw_sections_look(const struct fw_overlap_access *access)
{
    uint64_t left = atomic_load_explicit(&taken, memory_order_relaxed);

    for (; left; left &= left - 1) {
        struct fw_section *section = &sections[__builtin_ctzll(left)];

        if (may_conflict(section, access))
            look_at(section, access);
    }
}
