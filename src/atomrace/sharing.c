/*
 * sharing.c - see sharing.h.
 */
#include "atomrace/sharing.h"

#include "atomrace/hits.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

#include <string.h>

#define WORDS   65536u /* places; a power of two */
#define THREADS 65536u /* numbers beyond are taken modulo */
#define PAIRS   512u   /* of words and places in the code that are kept */
#define STACK   (8u << 20)
#define KNOWN   4096u  /* hashes of pairs; a power of two */

struct tables {
    /* The latest access of each word: its place in the code; and when, by whom, how. */
    _Atomic uintptr_t places[WORDS];
    _Atomic uint64_t latest[WORDS]; /* time << 32 | thread << 1 | write, plus 1 << 17; 0: none */
    /* By thread. */
    _Atomic uint64_t births[THREADS]; /* time << 32 | creator */
    _Atomic uint64_t ended[THREADS / 64];
    _Atomic uint32_t time; /* threads created so far */
    _Atomic uint32_t known[KNOWN];
    /* Under the lock of telling. */
    struct {
        uintptr_t word, pc;
        bool less;
    } pairs[PAIRS];
    unsigned count;
};

static struct tables *tables;
bool fw_sharing_on;

void fw_sharing_begin(void)
{
    tables = fw_map_memory(sizeof *tables);
    fw_sharing_on = tables != NULL;
}

void fw_sharing_forked(void)
{
    if (fw_sharing_on)
        memset(tables, 0, sizeof *tables);
}

/* Everything here is relaxed: hints, whose order means little. */
#define GET(what)      atomic_load_explicit(&(what), memory_order_relaxed)
#define SET(what, now) atomic_store_explicit(&(what), now, memory_order_relaxed)

void fw_sharing_started(const struct fw_thread *t, const struct fw_thread *by)
{
    uint64_t time;

    if (!fw_sharing_on)
        return;
    time = atomic_fetch_add_explicit(&tables->time, 1, memory_order_relaxed);
    SET(tables->births[t->number % THREADS], time << 32 | by->number % THREADS);
}

void fw_sharing_ended(const struct fw_thread *t)
{
    uint32_t number = t->number % THREADS;

    if (fw_sharing_on)
        atomic_fetch_or_explicit(&tables->ended[number / 64], 1ull << number % 64,
                                 memory_order_relaxed);
}

static bool has_ended(uint32_t number)
{
    return GET(tables->ended[number / 64]) >> number % 64 & 1;
}

static bool is_creator(uint32_t creator, uint32_t of)
{
    return (GET(tables->births[of]) & (THREADS - 1)) == creator;
}

/* Was it done by the creator of `me` before it created it; or is the stack of `me` what was a stack
 * before? */
static bool is_handed_over(uint64_t was, uint32_t other, uint32_t me, uintptr_t address)
{
    if (is_creator(other, me) && was >> 32 <= GET(tables->births[me]) >> 32)
        return true;
    return has_ended(other) && address - (uintptr_t)__builtin_frame_address(0) < STACK;
}

static uint64_t mix(uint64_t word)
{
    word = (word ^ word >> 31) * 0x9e3779b97f4a7c15u;
    return word ^ word >> 29;
}

static void keep(uintptr_t word, uintptr_t pc, bool less)
{
    uint32_t hash = (uint32_t)mix(mix(word + less) + pc) | 1;
    _Atomic uint32_t *known = &tables->known[hash % KNOWN];

    if (atomic_exchange_explicit(known, hash, memory_order_relaxed) == hash || !pc)
        return;
    fw_telling_begin();
    if (tables->count < PAIRS) {
        tables->pairs[tables->count].word = word;
        tables->pairs[tables->count].less = less;
        tables->pairs[tables->count++].pc = pc;
    }
    fw_telling_end();
}

void fw_sharing_note(const struct fw_overlap_access *access)
{
    uintptr_t word = access->address & ~(uintptr_t)7;
    unsigned i = mix(word) % WORDS;
    uint64_t was = GET(tables->latest[i]);
    uintptr_t where = GET(tables->places[i]);
    uint32_t me = access->thread->number % THREADS, other = was >> 1 & (THREADS - 1);
    bool same = was && other == me, less;

    /* A write stands for the reads that follow it. */
    if (!same || access->write || !(was & 1)) {
        SET(tables->places[i], access->pc);
        SET(tables->latest[i],
            (uint64_t)GET(tables->time) << 32 | 1u << 17 | me << 1 | access->write);
    }
    if (!was || same || !(was & 1 || access->write) ||
        is_handed_over(was, other, me, access->address))
        return;
    less = has_ended(other) && is_creator(me, other);
    keep(word, access->pc, less);
    keep(word, where, less);
}

/* --- telling --------------------------------------------------------------------------------- */

static void tell_one(struct fw_thread *t, char kind, uintptr_t offset, const char *path)
{
    char text[512], digits[17];
    unsigned at = 0, count = 0;
    static const char key[] = "shared=";

    do
        digits[count++] = "0123456789abcdef"[offset & 15];
    while (offset >>= 4);
    memcpy(text, key, sizeof key - 1);
    at = sizeof key - 1;
    text[at++] = kind;
    while (count)
        text[at++] = digits[--count];
    text[at++] = ':';
    if (strlen(path) + at >= sizeof text)
        return;
    memcpy(text + at, path, strlen(path) + 1);
    fw_sink_put_text(t, FW_WIRE_NOTE, 0, NULL, text);
}

static bool was_told(unsigned i)
{
    for (unsigned j = 0; j < i; j++)
        if (tables->pairs[j].word == tables->pairs[i].word &&
            tables->pairs[j].less == tables->pairs[i].less)
            return true;
    return false;
}

void fw_sharing_tell(struct fw_thread *t)
{
    for (unsigned i = 0; fw_sharing_on && i < tables->count; i++) {
        uintptr_t offset;
        const char *path = fw_modules_locate(tables->pairs[i].word, &offset);

        if (*path && !was_told(i))
            tell_one(t, tables->pairs[i].less ? 'w' : 'v', offset, path);
        if (*path)
            continue;
        path = fw_modules_locate(tables->pairs[i].pc - 1, &offset);
        if (*path)
            tell_one(t, tables->pairs[i].less ? 'd' : 'c', offset, path);
    }
}
