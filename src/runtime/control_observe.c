/*
 * control_observe.c - tells the controller what threads did to memory and locks, in the order of
 * the run (FW_CONTROL_OBSERVE).
 *
 * Plain accesses are noted when their thread has come past their point, everything else where it
 * would be recorded (sink.c).  When there is no more room nothing more is observed.
 *
 * Most memory is used by one thread, and of what that did only the latest access can matter to
 * another one.  So an access is *held back* until the next one of the thread to the same word takes
 * its place.  When another thread comes by, what is held is told, with the time when it was made,
 * and the word is *hot*: from then on everything is told at once, since between two accesses that
 * others depend on all matter.  Words that are only read are not hot, and what is held is told when
 * another thread reads.  All sites are treated alike, known to share memory or not, also while
 * there is only one thread.
 *
 * There is a place for each address that an access begins at, and each size (control_held.h); two
 * that are 32 MiB or more apart may have the same one, and the access that has to leave it is told.
 * In hot words nothing is held.
 *
 * All is the holder's.
 */
#include "runtime/control_held.h"
#include "runtime/sink.h"
#include "runtime/wire.h"

bool fw_control_observes;
uint64_t fw_observed_now;

/* --- telling --------------------------------------------------------------------------------- */

static void tell_of(const struct fw_control_seen *what)
{
    struct fw_control_seen *seen =
        (struct fw_control_seen *)((char *)fw_control + fw_control->seen_at);

    if (FW_UNLIKELY(fw_control->seen_count == fw_control->seen_room)) {
        fw_control->seen_lost = 1;
        fw_control_observes = false;
        return;
    }
    seen[fw_control->seen_count++] = *what;
}

static void tell(const struct fw_thread *t, uint32_t kind, uint64_t object, uint64_t size,
                 uint32_t site)
{
    tell_of(&(struct fw_control_seen){
        .object = object,
        .when = ++fw_observed_now,
        .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .site = site,
        .thread = t->number,
        .kind = kind,
    });
}

/* --- what is held back ----------------------------------------------------------------------- */

#define WORD    FW_WORD_SHIFT
#define GROUPS  (1u << (FW_HELD_NEAR - FW_HELD_GROUP))
#define LONGEST 8u /* bytes of an access that can be held */

struct fw_held *fw_held;
static uint16_t used[GROUPS]; /* of places: a bit for each form that something is held in */

void fw_control_observe_start(bool wanted)
{
    fw_held = fw_map_memory(FW_HELD_FORMS * sizeof *fw_held << FW_HELD_NEAR);
    fw_control_observes = wanted && fw_held && fw_control_has_words;
}

struct range {
    uint64_t first, last; /* words */
};

static struct range range_of(uint64_t address, uint64_t size)
{
    return (struct range){ address >> WORD, (address + size - 1) >> WORD };
}

/* Goes through what is held. */
struct cursor {
    uint64_t word, last;
    unsigned form; /* of the word: those from this one on */
    uint64_t start, end; /* bytes of what was found */
};

/* All that overlaps the words, and some before them. */
static struct cursor cursor_at(struct range words)
{
    return (struct cursor){ .word = words.first - LONGEST / 4, .last = words.last };
}

/* The next one; NULL: there is none. */
static struct fw_held *next_held(struct cursor *at)
{
    for (; at->word <= at->last; at->word++) {
        unsigned forms = used[fw_held_place(at->word) >> FW_HELD_GROUP];

        if (!forms)
            at->word |= (1u << FW_HELD_GROUP) - 1;
        for (forms &= ~0u << at->form; forms; forms &= forms - 1) {
            unsigned form = (unsigned)__builtin_ctz(forms);
            struct fw_held *entry = fw_held_at(at->word, form);

            at->start = at->word << WORD | (form & 3);
            at->end = at->start + (1u << (form >> 2));
            if (entry->whose >> 16 != at->start)
                continue;
            at->form = form + 1;
            return entry;
        }
        at->form = 0;
    }
    return NULL;
}

static uint64_t start_of(const struct fw_held *entry)
{
    return entry->whose >> 16;
}

static uint64_t bytes_of(const struct fw_held *entry)
{
    return UINT64_C(1) << ((uint64_t)(entry - fw_held) >> (FW_HELD_NEAR + 2));
}

static void tell_read(struct fw_held *entry)
{
    if (entry->whose)
        tell_of(&(struct fw_control_seen){
            .object = start_of(entry),
            .when = entry->what >> FW_HELD_TIME,
            .size = (uint32_t)bytes_of(entry),
            .site = (uint32_t)(entry->what / FW_HELD_SITE & 0xfffff),
            .thread = (uint16_t)entry->whose,
            .kind = entry->what & FW_HELD_WRITES ? FW_WIRE_WRITE : FW_WIRE_READ,
        });
    entry->whose = 0;
}

/* --- hot words ------------------------------------------------------------------------------- */

/* Tells what is held in these words; *all grows by what reaches beyond. */
static void empty(struct range words, struct range *all)
{
    struct cursor at = cursor_at(words);
    struct fw_held *entry;

    while ((entry = next_held(&at))) {
        struct range its = range_of(at.start, at.end - at.start);

        if (its.last < words.first)
            continue;
        tell_read(entry);
        all->first = its.first < all->first ? its.first : all->first;
        all->last = its.last > all->last ? its.last : all->last;
    }
}

static void heat(struct range words)
{
    struct range all = words, more;

    empty(words, &all);
    while (all.first < words.first) {
        more = (struct range){ all.first, words.first - 1 };
        words.first = all.first;
        empty(more, &all);
    }
    while (all.last > words.last) {
        more = (struct range){ words.last + 1, all.last };
        words.last = all.last;
        empty(more, &all);
    }
    for (uint64_t word = words.first; word <= words.last; word++)
        *fw_control_word(word) |= FW_WORD_HOT;
}

static unsigned count_hot(struct range words)
{
    unsigned count = 0;

    for (uint64_t word = words.first; word <= words.last; word++)
        count += *fw_control_word(word) & FW_WORD_HOT ? 1 : 0;
    return count;
}

static void tell_held(struct fw_held *entry)
{
    struct range words = range_of(start_of(entry), bytes_of(entry));

    if (!entry->whose)
        return;
    tell_read(entry);
    heat(words);
}

/* --- accesses -------------------------------------------------------------------------------- */

/* t comes to these bytes: others' accesses that are held there are told.  True: the bytes are to be
 * hot; *several: others have read them, and t does. */
static bool meet(const struct fw_thread *t, uint64_t address, uint64_t size, bool writes,
                 bool *several)
{
    struct cursor at = cursor_at(range_of(address, size));
    struct fw_held *entry;
    bool conflicts = false;

    while ((entry = next_held(&at))) {
        bool mine = (uint16_t)entry->whose == (uint16_t)t->number;
        bool others = !mine || entry->what & FW_HELD_SEVERAL;

        if (at.end <= address || at.start >= address + size || !others)
            continue;
        if (writes || entry->what & FW_HELD_WRITES || at.start != address ||
            at.end != address + size) {
            tell_held(entry);
            conflicts = true;
        } else {
            *several = true;
            if (!mine)
                tell_read(entry);
        }
    }
    return conflicts;
}

static void hold(const struct fw_thread *t, uint64_t address, uint32_t size, bool writes,
                 bool several, uint32_t site)
{
    unsigned form = fw_held_form(address, size);
    struct fw_held *entry = fw_held_at(address >> WORD, form);

    used[fw_held_place(address >> WORD) >> FW_HELD_GROUP] |= (uint16_t)(1u << form);
    if (start_of(entry) != address)
        tell_held(entry);
    entry->whose = fw_held_whose(t, address);
    entry->what = fw_held_stamp(site) | (several ? FW_HELD_SEVERAL : 0) |
                  (writes ? FW_HELD_WRITES : 0);
}

void fw_control_observe_access(const struct fw_thread *t, uint64_t address, uint64_t size,
                               bool writes, uint32_t site)
{
    bool can_hold = size <= LONGEST && !(size & (size - 1)), several = false;
    struct range words = range_of(address, size);
    unsigned hot;

    if (can_hold && fw_held_repeats(t, address, (unsigned)size, writes, site))
        return;
    hot = can_hold ? count_hot(words) : 0;
    if (can_hold && !hot && !meet(t, address, size, writes, &several)) {
        hold(t, address, (uint32_t)size, writes, several, site);
        return;
    }
    if (hot <= words.last - words.first)
        heat(words);
    tell(t, writes ? FW_WIRE_WRITE : FW_WIRE_READ, address, size, site);
}

/* --- memory that comes and goes -------------------------------------------------------------- */

/* What is held of these bytes is of no interest any more. */
static void drop_held(uint64_t address, uint64_t size)
{
    struct cursor at = cursor_at(range_of(address, size));
    struct fw_held *entry;

    while ((entry = next_held(&at)))
        if (at.start >= address && at.start < address + size)
            entry->whose = 0;
}

static void renew(const struct fw_thread *t, uint32_t kind, uint64_t address, uint64_t size)
{
    struct range words = range_of(address, size);

    if (!size)
        return;
    drop_held(address, size);
    if (fw_control_cool(words.first, words.last))
        tell(t, kind, address, size, FW_CONTROL_NONE);
}

/* --- records --------------------------------------------------------------------------------- */

static bool is_told(enum fw_wire_kind kind)
{
    switch (kind) {
    case FW_WIRE_ACQUIRE:
    case FW_WIRE_RELEASE:
    case FW_WIRE_TRY_ACQUIRE:
    case FW_WIRE_SHARED_ACQUIRE:
    case FW_WIRE_SHARED_RELEASE:
    case FW_WIRE_TRY_SHARED_ACQUIRE:
    case FW_WIRE_DESTROY:
    case FW_WIRE_FINISH:
    case FW_WIRE_REQUEST:
    case FW_WIRE_SHARED_REQUEST:
        return true;
    default:
        return false;
    }
}

/* Where the thread is: its latest point, if that is the same call. */
static uint32_t site_of(const struct fw_thread *t, const char *name, uintptr_t pc)
{
    struct fw_op op = { .pc = pc, .name = name };

    if (!pc)
        return FW_CONTROL_NONE;
    return t->plan.pc == pc ? t->plan.site : fw_control_site_of(&op);
}

static void observe_atomic(const struct fw_thread *t, unsigned kind, uint64_t object, uint64_t size,
                           uintptr_t pc)
{
    size = size ? size : 1;
    heat(range_of(object, size));
    tell(t, kind, object, size, site_of(t, "call", pc));
}

void fw_control_observe_record(const struct fw_thread *t, unsigned kind, uint64_t object,
                               uint64_t size, uintptr_t pc)
{
    if (kind == FW_WIRE_ATOMIC_LOAD || kind == FW_WIRE_ATOMIC_STORE || kind == FW_WIRE_ATOMIC_RMW)
        observe_atomic(t, kind, object, size, pc);
    else if (kind == FW_WIRE_ALLOC || kind == FW_WIRE_MAP || kind == FW_WIRE_UNMAP)
        renew(t, kind, object, size);
    else if (is_told(kind))
        tell(t, kind, object, size, site_of(t, "call", pc));
}

/* Who uses the block from now on meets this. */
void fw_control_observe_free(const struct fw_thread *t, uint64_t block, uint64_t size, uintptr_t pc)
{
    bool several = false;

    if (!size)
        return;
    meet(t, block, size, true, &several);
    drop_held(block, size);
    heat(range_of(block, size));
    tell(t, FW_WIRE_FREE, block, size, site_of(t, "free", pc));
}
