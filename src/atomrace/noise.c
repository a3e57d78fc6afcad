/*
 * noise.c - see noise.h.
 */
#include "atomrace/noise.h"

#include "runtime/futex.h"

#define ELSEWHERE    50u   /* times as rare, if there are preferred places */
#define OFTEN        100u  /* per mille, from which on every access is decided for itself */
#define LOCAL        65536u /* bytes of the stack */
#define QUIET_TICKS  8192u /* between sections without noise, at most */
#define QUIET_PAUSES 16u
#define TARGETS      1024u /* ranges */
#define PLACES       4096u /* places whose being a target is remembered; a power of two */
#define PLACE_BITS   47    /* of an address in user space */

/* Only grows; the count is written last. */
struct ranges {
    struct {
        uintptr_t begin, end;
        enum fw_noise_place place;
    } at[TARGETS];
    _Atomic unsigned count;
};

static struct fw_noise noise;
static struct ranges memory, code;
/* An address, above it how many ranges were known (modulo); whether it writes: bit 1; and whether
 * it is in one of them: bit 0. */
static _Atomic uint64_t places[PLACES];
static __thread uint64_t state;

/* --- decisions ------------------------------------------------------------------------------- */

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 32) * below >> 32);
}

/* Accesses until the next section: on average 1000 / strength, itself included.  (Reads and writes
 * are counted apart, each at this rate.) */
static int32_t new_ticks(void)
{
    if (!noise.strength)
        return noise.never ? INT32_MAX : (int32_t)draw(QUIET_TICKS);
    if (!noise.everywhere)
        return INT32_MAX;
    return noise.strength >= OFTEN ? 0 : (int32_t)draw(2000 / noise.strength - 1);
}

void fw_noise_begin(const struct fw_noise *options)
{
    noise = *options;
}

/* splitmix64: seeds and threads that follow each other have nothing in common. */
static uint64_t mix(uint64_t word)
{
    word += 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

void fw_noise_thread(struct fw_thread *t)
{
    state = mix(mix(noise.seed) + t->number);
    fw_hot.ticks = new_ticks();
    fw_hot.read_ticks = new_ticks();
}

/* --- targets --------------------------------------------------------------------------------- */

static void watch(uintptr_t begin, uintptr_t end)
{
    uintptr_t at = begin >> 3, last = (end - 1) >> 3;

    if (last - at >= FW_WATCH_CELLS)
        last = at + FW_WATCH_CELLS - 1;
    for (; at <= last; at++)
        /* relaxed: a hint, as in sections.c */
        atomic_fetch_or_explicit(&fw_watch[at & (FW_WATCH_CELLS - 1)], FW_WATCH_TARGET,
                                 memory_order_relaxed);
}

void fw_noise_watch_all(void)
{
    watch(0, UINTPTR_MAX);
}

bool fw_noise_target(enum fw_noise_place place, uintptr_t begin, uintptr_t end)
{
    struct ranges *ranges = place == FW_NOISE_MEMORY ? &memory : &code;
    unsigned count = atomic_load_explicit(&ranges->count, memory_order_relaxed); /* ours alone */

    if (count == TARGETS || begin >= end)
        return false;
    ranges->at[count].begin = begin;
    ranges->at[count].end = end;
    ranges->at[count].place = place;
    /* release: pairs with count_of */
    atomic_store_explicit(&ranges->count, count + 1, memory_order_release);
    if (place == FW_NOISE_MEMORY)
        watch(begin, end);
    else
        fw_noise_watch_all(); /* whatever is accessed there */
    return true;
}

static unsigned count_of(const struct ranges *ranges)
{
    return atomic_load_explicit(&ranges->count, memory_order_acquire); /* the ranges are there */
}

/* other: a place that does not count. */
static bool is_in(const struct ranges *ranges, unsigned count, enum fw_noise_place other,
                  uintptr_t begin, uintptr_t end)
{
    for (unsigned i = 0; i < count; i++)
        if (begin < ranges->at[i].end && end > ranges->at[i].begin && ranges->at[i].place != other)
            return true;
    return false;
}

static bool in_memory(uintptr_t begin, uintptr_t end)
{
    return is_in(&memory, count_of(&memory), FW_NOISE_CODE, begin, end);
}

/* pc: a return address. */
static bool in_code(uintptr_t pc, bool write)
{
    unsigned count = count_of(&code);
    _Atomic uint64_t *place = &places[(pc >> 2 ^ pc) % PLACES];
    uint64_t known = atomic_load_explicit(place, memory_order_relaxed); /* one word, all of it */
    uint64_t key = (((uint64_t)count << PLACE_BITS | pc) << 1 | write) << 1;
    bool is;

    if (!count)
        return false;
    if ((known & ~1ull) == key)
        return known & 1;
    is = is_in(&code, count, write ? FW_NOISE_READS : FW_NOISE_WRITES, pc - 1, pc);
    atomic_store_explicit(place, key | is, memory_order_relaxed);
    return is;
}

bool fw_noise_has_target(uintptr_t address, size_t bytes)
{
    return in_memory(address, address + bytes) || count_of(&code);
}

static bool is_target(const struct fw_overlap_access *access)
{
    return in_memory(access->address, access->address + access->bytes) ||
           in_code(access->pc, access->write);
}

/* At least 1, where there is any. */
static uint32_t rarely(uint32_t strength)
{
    return (strength + ELSEWHERE - 1) / ELSEWHERE;
}

/* Variables of functions that are under way: nobody else knows of them as a rule, but loops access
 * them so often that rare noise there holds a thread up, too. */
static bool is_local(const struct fw_overlap_access *access)
{
    return access->address - (uintptr_t)__builtin_frame_address(0) < LOCAL;
}

bool fw_noise_wants(const struct fw_overlap_access *access)
{
    int32_t *ticks = fw_hot.ticks < 0 ? &fw_hot.ticks : &fw_hot.read_ticks;
    bool due = *ticks < 0;

    if (due)
        *ticks = new_ticks();
    if (!noise.strength || (noise.everywhere && noise.strength < OFTEN))
        return due;
    if (noise.everywhere)
        return due && draw(1000) < noise.strength;
    if (noise.prefer)
        return is_target(access) ? draw(1000) < noise.strength
                                 : !is_local(access) && draw(1000) < rarely(noise.strength);
    return is_target(access) && draw(1000) < noise.strength;
}

/* --- dwelling -------------------------------------------------------------------------------- */

/* As the source does it. */
static void sleep_and_yield(uint32_t micros)
{
    struct timespec time = { micros / 1000000, micros % 1000000 * 1000L };

    if (micros)
        fw_call(SYS_nanosleep, &time, NULL, 0, 0);
    fw_call(SYS_sched_yield, 0, 0, 0, 0);
}

void fw_noise_dwell(void)
{
    if (noise.strength) {
        sleep_and_yield(noise.micros);
        return;
    }
    for (unsigned i = 0; i < QUIET_PAUSES; i++)
        __builtin_ia32_pause();
}

/* Half of what others dwell: they are still there then.  Those with even numbers, or with odd ones,
 * in turns with the seed; with no period where runs differ from each other in other ways, too. */
void fw_noise_start(const struct fw_thread *t)
{
    bool often = noise.everywhere || noise.prefer || noise.learns;
    uint64_t turn = often ? (uint64_t)__builtin_parityll(noise.seed) : noise.seed;

    if (noise.strength && !((turn + t->number) & 1))
        sleep_and_yield(noise.micros / 2);
}
