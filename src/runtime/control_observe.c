/*
 * control_observe.c - tells the controller what threads did to memory and locks, in the order of
 * the run (FW_CONTROL_OBSERVE).
 *
 * Plain accesses are noted when their thread has come past their point, everything else where it
 * would be recorded (sink.c).  When there is no more room the rest is counted.
 *
 * Most memory is used by one thread, and of what that did only the latest access can matter to
 * another one.  So an access is *held back* until the next one of the thread to the same word takes
 * its place.  When another thread comes by, what is held is told, with the time when it was made,
 * and the word is *hot*: from then on everything is told at once.  Words that are only read are
 * not hot, and what is held is told when another thread reads.  All sites are treated alike, known
 * to share memory or not, also while there is only one thread.
 *
 * There is a place for each address that an access begins at; two that are 32 MiB or more apart may
 * have the same one, and the access that has to leave it is told.  A word is four bytes; whether it
 * is hot is a bit, which words a GiB or more apart may share.
 *
 * All is the holder's.
 */
#include "runtime/control.h"
#include "runtime/sink.h"
#include "runtime/wire.h"

bool fw_control_observes;

/* --- telling --------------------------------------------------------------------------------- */

static uint64_t now; /* accesses and records so far */

static void tell_of(const struct fw_control_seen *what)
{
    struct fw_control_seen *seen =
        (struct fw_control_seen *)((char *)fw_control + fw_control->seen_at);

    if (fw_control->seen_count == fw_control->seen_room)
        fw_control->seen_lost++;
    else
        seen[fw_control->seen_count++] = *what;
}

static void tell(const struct fw_thread *t, uint32_t kind, uint64_t object, uint64_t size,
                 uint32_t site)
{
    tell_of(&(struct fw_control_seen){
        .object = object,
        .when = ++now,
        .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .site = site,
        .thread = t->number,
        .kind = kind,
    });
}

/* --- what is held back ----------------------------------------------------------------------- */

#define WORD       2u  /* a word is 1 << so many bytes */
#define NEAR_BITS  23u /* words that have places of their own, for each byte of theirs */
#define HELD_BITS  (NEAR_BITS + WORD)
#define HOT_BITS   28u
#define GROUP_BITS 10u /* places, or words of hot bits, that are looked at together or not at all */
#define LONGEST    8u  /* bytes of an access that can be held */

struct held {
    uint64_t whose; /* address << 16 | thread; 0: nothing is held */
    uint64_t what;  /* time << 24 | site << 4 | log2(bytes) << 2 | flags */
};

enum {
    WRITES = 1,
    SEVERAL = 2, /* threads have read the word */
};

static struct held *held;
static uint64_t *hot;
static bool used[1u << (HELD_BITS - GROUP_BITS)];         /* groups of `held` */
static bool heated[1u << (HOT_BITS - 6u - GROUP_BITS)];   /* ... of `hot` */

void fw_control_observe_start(void)
{
    held = fw_map_memory(sizeof *held << HELD_BITS);
    hot = fw_map_memory(((size_t)1 << HOT_BITS) / 8);
    fw_control_observes = held && hot;
}

/* Words side by side, since most accesses begin with one.  The heaps of threads have like
 * addresses, but for bits that are beyond the table: these move them, by pages. */
static uint64_t place_of(uint64_t address)
{
    uint64_t beyond = (address >> (WORD + NEAR_BITS)) * 0x9e3779b1u;

    return (((address >> WORD) + (beyond << GROUP_BITS)) & ((1u << NEAR_BITS) - 1)) |
           (address & ((1u << WORD) - 1)) << NEAR_BITS;
}

/* The next address at or behind this one where something may be held, within a page or at the
 * beginning of the next one. */
static uint64_t skip(uint64_t address)
{
    const uint64_t page = (uint64_t)1 << (GROUP_BITS + WORD);

    for (uint64_t byte = 0; byte < 1u << WORD; byte++)
        if (used[place_of((address & ~UINT64_C(3)) + byte) >> GROUP_BITS])
            return address;
    return (address & ~(page - 1)) + page;
}

/* What is held of an access that begins there; NULL: nothing. */
static struct held *held_at(uint64_t address)
{
    uint64_t at = place_of(address);

    return used[at >> GROUP_BITS] && held[at].whose >> 16 == address ? &held[at] : NULL;
}

static uint64_t hot_place(uint64_t word)
{
    uint64_t beyond = (word >> HOT_BITS) * 0x9e3779b1u;

    return ((word >> 6) + (beyond << GROUP_BITS)) & ((1u << (HOT_BITS - 6)) - 1);
}

static bool is_hot(uint64_t word)
{
    return hot[hot_place(word)] >> (word & 63) & 1;
}

static void heat(uint64_t word)
{
    uint64_t at = hot_place(word);

    heated[at >> GROUP_BITS] = true;
    hot[at] |= UINT64_C(1) << (word & 63);
}

static uint32_t bytes_of(const struct held *entry)
{
    return 1u << (entry->what >> 2 & 3);
}

static uint32_t site_of_held(const struct held *entry)
{
    return (uint32_t)(entry->what >> 4 & 0xfffff);
}

static void tell_read(struct held *entry)
{
    if (entry->whose)
        tell_of(&(struct fw_control_seen){
            .object = entry->whose >> 16,
            .when = entry->what >> 24,
            .size = bytes_of(entry),
            .site = site_of_held(entry),
            .thread = (uint16_t)entry->whose,
            .kind = entry->what & WRITES ? FW_WIRE_WRITE : FW_WIRE_READ,
        });
    entry->whose = 0;
}

static void heat_all(uint64_t address, uint64_t size)
{
    for (uint64_t word = address >> WORD; word <= (address + size - 1) >> WORD; word++)
        heat(word);
}

static void tell_held(struct held *entry)
{
    if (entry->whose)
        heat_all(entry->whose >> 16, bytes_of(entry));
    tell_read(entry);
}

/* t comes to these bytes: others' accesses that are held there are told.  True: the bytes are to be
 * hot; *several: others have read them, and t does. */
static bool meet(const struct fw_thread *t, uint64_t address, uint64_t size, bool writes,
                 bool *several)
{
    bool conflicts = false;

    for (uint64_t start = skip(address - LONGEST + 1); start < address + size;
         start = size > LONGEST ? skip(start + 1) : start + 1) {
        struct held *entry = held_at(start);
        bool others, mine;

        if (!entry || start + bytes_of(entry) <= address)
            continue;
        mine = (uint16_t)entry->whose == (uint16_t)t->number;
        others = !mine || entry->what & SEVERAL;
        if (others && (writes || entry->what & WRITES || start != address ||
                       bytes_of(entry) != size)) {
            tell_held(entry);
            conflicts = true;
        } else if (others) {
            *several = true;
            if (!mine)
                tell_read(entry);
        }
    }
    return conflicts;
}

static bool are_hot(uint64_t address, uint64_t size)
{
    uint64_t last = (address + size - 1) >> WORD;

    for (uint64_t word = address >> WORD; word <= last; word++)
        if (is_hot(word))
            return true;
    return false;
}

static void hold(const struct fw_thread *t, uint64_t address, uint32_t size, bool writes,
                 bool several, uint32_t site)
{
    uint64_t at = place_of(address);
    struct held *entry = &held[at];

    used[at >> GROUP_BITS] = true;
    if (entry->whose >> 16 != address)
        tell_held(entry);
    entry->whose = address << 16 | (uint16_t)t->number;
    entry->what = ++now << 24 | (uint64_t)(site & 0xfffff) << 4 |
                  (uint64_t)(uint32_t)__builtin_ctz(size) << 2 | (several ? SEVERAL : 0) |
                  (writes ? WRITES : 0);
}

/* The same as before, by the same thread: only the time, the site and what it does may differ. */
static inline bool hold_again(const struct fw_thread *t, uint64_t address, uint64_t size,
                              bool writes, uint32_t site)
{
    struct held *entry = &held[place_of(address)];

    if (entry->whose != (address << 16 | (uint16_t)t->number) || bytes_of(entry) != size ||
        (writes && entry->what & SEVERAL))
        return false;
    entry->what = ++now << 24 | (uint64_t)(site & 0xfffff) << 4 |
                  (entry->what & (3 << 2 | SEVERAL)) | (writes ? WRITES : 0);
    return true;
}

void fw_control_observe_access(const struct fw_thread *t, uint64_t address, uint64_t size,
                               bool writes, uint32_t site)
{
    bool can_hold = size <= LONGEST && !(size & (size - 1)) && !are_hot(address, size);
    bool several = false;

    if (can_hold && hold_again(t, address, size, writes, site))
        return;
    if (!meet(t, address, size, writes, &several) && can_hold) {
        hold(t, address, (uint32_t)size, writes, several, site);
        return;
    }
    heat_all(address, size);
    tell(t, writes ? FW_WIRE_WRITE : FW_WIRE_READ, address, size, site);
}

/* --- memory that comes and goes -------------------------------------------------------------- */

/* What is held of these bytes is of no interest any more. */
static void drop_held(uint64_t address, uint64_t size)
{
    for (uint64_t at = skip(address); at < address + size; at = skip(at + 1)) {
        struct held *entry = held_at(at);

        if (entry)
            entry->whose = 0;
    }
}

/* True: something was told of these bytes.  It is forgotten. */
static bool cool(uint64_t first, uint64_t last)
{
    bool any = false;

    for (uint64_t word = first; word <= last && word - first < 1u << HOT_BITS;) {
        uint64_t at = hot_place(word), bit = UINT64_C(1) << (word & 63);

        if (!heated[at >> GROUP_BITS]) {
            word = (word | ((1u << (GROUP_BITS + 6)) - 1)) + 1;
            continue;
        }
        any |= (hot[at] & bit) != 0;
        hot[at] &= ~bit;
        word++;
    }
    return any;
}

static void renew(const struct fw_thread *t, uint32_t kind, uint64_t address, uint64_t size)
{
    drop_held(address, size);
    if (size && cool(address >> WORD, (address + size - 1) >> WORD))
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
    bool several = false;

    size = size ? size : 1;
    meet(t, object, size, kind != FW_WIRE_ATOMIC_LOAD, &several);
    heat_all(object, size);
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
    heat_all(block, size);
    tell(t, FW_WIRE_FREE, block, size, site_of(t, "free", pc));
}
