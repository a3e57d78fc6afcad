/*
 * hits.c - see hits.h.
 */
#include "atomrace/hits.h"

#include "atomrace/mask.h"
#include "atomrace/reach.h"
#include "runtime/sink.h"

#include <string.h>

#define PAIRS        4096u /* of places that are remembered */
#define PROBES       16u
#define TOLD_OF_PAIR 4u

static struct fw_lock telling;
/* Under the lock. */
static uint64_t mask; /* of who has it, as it was */
static struct {
    uint64_t key; /* 0: free */
    uint32_t count;
} pairs[PAIRS];
static uint64_t all;

/* Somebody has told something in its name, with another stack. */
static void tell_anew(struct fw_thread *t)
{
    if (!t->retell)
        return;
    t->retell = false;
    t->hot->written = t->hot->base + 1;
    t->hot->returns = FW_ALL_CALLS;
}

void fw_telling_begin(void)
{
    uint64_t before = fw_mask_set(FW_MASK_ALL);

    fw_lock(&telling);
    mask = before;
    if (fw_self)
        tell_anew(fw_self);
}

void fw_telling_end(void)
{
    uint64_t before = mask;

    fw_unlock(&telling);
    fw_mask_set(before);
}

void fw_hits_forked(void)
{
    memset(&telling, 0, sizeof telling);
    memset(pairs, 0, sizeof pairs);
    all = 0;
}

static uint64_t mix(uint64_t word)
{
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

static uint64_t place_of(const struct fw_overlap_access *access)
{
    return mix((uint64_t)access->pc << 1 | access->write);
}

/* Shall this one be told?  Where the table is full, no. */
static bool count_pair(const struct fw_overlap_access *a, const struct fw_overlap_access *b)
{
    uint64_t key = mix(place_of(a) + place_of(b)) | 1; /* whichever came first */

    for (unsigned probe = 0; probe < PROBES; probe++) {
        unsigned i = (key + probe) % PAIRS;

        if (pairs[i].key && pairs[i].key != key)
            continue;
        pairs[i].key = key;
        return ++pairs[i].count <= TOLD_OF_PAIR;
    }
    return false;
}

static uintptr_t higher(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

void fw_tell_access(const struct fw_overlap_access *access, uintptr_t begin, uintptr_t end)
{
    if (end - begin <= 16)
        fw_sink_put(access->thread, access->write ? FW_WIRE_WRITE : FW_WIRE_READ, begin,
                    (unsigned)(end - begin), 0, access->pc);
    else
        fw_sink_put_more(access->thread, access->write ? FW_WIRE_WRITE_RANGE : FW_WIRE_READ_RANGE,
                         begin, end - begin, 0, access->pc);
}

/* The bytes that both access. */
static void tell(const struct fw_overlap_access *a, const struct fw_overlap_access *b)
{
    uintptr_t begin = higher(a->address, b->address);
    uintptr_t a_end = a->address + a->bytes, b_end = b->address + b->bytes;
    uintptr_t end = a_end < b_end ? a_end : b_end;

    fw_sink_put(a->thread, FW_WIRE_BEGIN, 0, 0, 0, a->pc);
    fw_sink_put(b->thread, FW_WIRE_BEGIN, 0, 0, 0, b->pc);
    fw_tell_access(a, begin, end);
    fw_tell_access(b, begin, end);
    fw_sink_put(b->thread, FW_WIRE_END, 0, 0, 0, b->pc);
    fw_sink_put(a->thread, FW_WIRE_END, 0, 0, 0, a->pc);
}

void fw_hit(const struct fw_overlap_access *first, const struct fw_overlap_access *second)
{
    if (!fw_within_reach(first) || !fw_within_reach(second))
        return;
    fw_telling_begin();
    all++;
    tell_anew(first->thread);
    if (fw_sink.on && count_pair(first, second))
        tell(first, second);
    fw_telling_end();
}

static void put_number(char *text, uint64_t number)
{
    char digits[24];
    unsigned count = 0;

    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *text++ = digits[--count];
    *text = '\0';
}

void fw_hits_tell_count(struct fw_thread *t)
{
    char text[64] = "overlaps=";

    put_number(text + strlen(text), all);
    fw_sink_put_text(t, FW_WIRE_NOTE, 0, NULL, text);
}
