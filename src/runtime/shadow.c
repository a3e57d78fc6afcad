/*
 * shadow.c - the table of shadow.h, segments, and accesses of any size.
 */
#include "runtime/shadow.h"

#include "runtime/control.h"
#include "runtime/sink.h"
#include "runtime/values.h"

#include <string.h>

#define INDEX_MASK   (FW_SHADOW_CELLS - 1)
#define SEGMENT_MASK ((1u << FW_SEGMENT_BITS) - 1)

/* Untouched, they take no memory. */
uint64_t fw_shadow[FW_SHADOW_CELLS + 1];
bool fw_shadow_unused;
uint64_t fw_shadow_whole;
static uintptr_t again_pc[FW_SHADOW_CELLS];         /* of a write that is to be said again */
static uint64_t open_bits[(SEGMENT_MASK + 1) / 64]; /* segments that are a thread's present one */

static uint64_t last_segment;

/* --- segments -------------------------------------------------------------------------------- */

static void set_open(uint64_t segment, bool open)
{
    uint64_t bit = UINT64_C(1) << segment % 64;

    if (open)
        open_bits[segment / 64] |= bit;
    else
        open_bits[segment / 64] &= ~bit;
}

static bool is_open(uint64_t segment)
{
    return open_bits[segment / 64] >> segment % 64 & 1;
}

static void begin_segment(struct fw_thread *t)
{
    t->again_count = 0;
    if (fw_values_on)
        t->ignored |= FW_IGNORE_NOTHING;
    t->hot->segment = ++last_segment << FW_SEGMENT_SHIFT;
    set_open(last_segment, true);
}

static void renumber(struct fw_thread *t, void *context)
{
    (void)context;
    if (t->hot && t->hot->segment)
        begin_segment(t);
}

static void close_one(struct fw_thread *t, void *context)
{
    (void)context;
    if (t->hot && t->hot->segment)
        fw_segment_close(t);
}

/* Numbers have run out: everything is said, and everybody starts anew. */
static __attribute__((noinline)) void start_over(void)
{
    fw_sched_lock();
    fw_thread_each(close_one, NULL);
    memset(fw_shadow, 0, sizeof fw_shadow);
    memset(open_bits, 0, sizeof open_bits);
    last_segment = 0;
    fw_thread_each(renumber, NULL);
    fw_sched_unlock();
}

void fw_segment_next(struct fw_thread *t)
{
    if (fw_values_on)
        fw_values_settle(t);
    if (fw_control_on)
        return; /* nothing is recorded, and no hook takes the short way */
    set_open(t->hot->segment >> FW_SEGMENT_SHIFT, false);
    if (FW_UNLIKELY(last_segment + 1 >= SEGMENT_MASK))
        start_over();
    begin_segment(t);
}

/* --- saying again ---------------------------------------------------------------------------- */

static uintptr_t cell_word(uint32_t index)
{
    uint64_t above = fw_shadow[index] & ~FW_SHADOW_AGAIN;

    return (uintptr_t)(above >> 40 << 24 | (uint64_t)index << 3);
}

static uint64_t cell_segment(uint32_t index)
{
    return (fw_shadow[index] >> FW_SEGMENT_SHIFT ^ index) & SEGMENT_MASK;
}

/* The bytes that the cell's segment has written, as writes of t. */
static void say_again(struct fw_thread *t, uint32_t index)
{
    uintptr_t word = cell_word(index);
    unsigned written = fw_shadow[index] >> 8 & 0xff;

    fw_shadow[index] &= ~FW_SHADOW_AGAIN;
    fw_sink_nowhere(t);
    for (unsigned from = 0; from < 8;) {
        unsigned to = from;

        while (to < 8 && written >> to & 1)
            to++;
        if (to > from)
            fw_sink_put(t, FW_WIRE_WRITE, word + from, to - from, FW_WIRE_AGAIN, again_pc[index]);
        from = to + 1;
    }
    t->hot->told = 0;
}

struct search {
    uint64_t segment; /* as in fw_hot */
    struct fw_thread *found;
};

static void search(struct fw_thread *t, void *context)
{
    struct search *search = context;

    if (t->hot && t->hot->segment == search->segment)
        search->found = t;
}

/* The cell is about to be overwritten. */
static __attribute__((noinline)) void lose_again(uint32_t index)
{
    struct search who = { cell_segment(index) << FW_SEGMENT_SHIFT, NULL };

    if (!is_open(cell_segment(index)))
        return; /* it has been said */
    fw_sched_lock();
    fw_thread_each(search, &who);
    fw_sched_unlock();
    if (who.found)
        say_again(who.found, index);
}

static bool still_marked(const struct fw_thread *t, uint32_t index)
{
    return fw_shadow[index] & FW_SHADOW_AGAIN &&
           cell_segment(index) == t->hot->segment >> FW_SEGMENT_SHIFT;
}

void fw_segment_close(struct fw_thread *t)
{
    for (uint32_t i = 0; i < t->again_count; i++)
        if (still_marked(t, t->again[i]))
            say_again(t, t->again[i]);
    t->again_count = 0;
}

void fw_segment_close_block(struct fw_thread *t, uintptr_t address, size_t bytes)
{
    for (uint32_t i = 0; i < t->again_count; i++)
        if (still_marked(t, t->again[i]) && cell_word(t->again[i]) - address < bytes)
            say_again(t, t->again[i]);
}

static void mark_again(struct fw_thread *t, uint32_t index, uintptr_t pc)
{
    if (t->again_count == FW_MAX_AGAIN)
        fw_segment_close(t);
    t->again[t->again_count++] = index;
    again_pc[index] = pc;
    fw_shadow[index] |= FW_SHADOW_AGAIN;
}

/* --- from when on ---------------------------------------------------------------------------- */

void fw_shadow_tell(void)
{
    if (fw_sink.on && !fw_shadow_unused)
        atomic_store(&fw_sink.ring->elides, 1);
}

/* True: everything is recorded still. */
static bool stays_whole(void)
{
    if (fw_sink.count < fw_shadow_whole)
        return true;
    fw_shadow_unused = false;
    fw_shadow_tell();
    return false;
}

/* --- accesses -------------------------------------------------------------------------------- */

bool fw_shadow_note(struct fw_thread *t, uintptr_t address, unsigned size, bool write,
                    uintptr_t pc)
{
    uint32_t index = address >> 3 & INDEX_MASK;
    uint64_t *cell = &fw_shadow[index];
    uint64_t bits = fw_shadow_bits(address, size, write);
    uint64_t key = fw_shadow_key(address & ~(uintptr_t)7);

    if (FW_UNLIKELY(fw_shadow_unused) && stays_whole())
        return true;
    if (((*cell ^ key) & fw_shadow_mask(0, false)) != 0) {
        if (*cell & FW_SHADOW_AGAIN)
            lose_again(index);
        *cell = key | bits;
        return true;
    }
    if ((*cell & bits) != bits) {
        *cell |= bits;
        return true;
    }
    if (write && !(*cell & FW_SHADOW_AGAIN))
        mark_again(t, index, pc);
    return false;
}

void fw_shadow_forget(uintptr_t address)
{
    uint32_t index = address >> 3 & INDEX_MASK;

    if (fw_shadow[index] & FW_SHADOW_AGAIN)
        lose_again(index);
    fw_shadow[index] = 0;
    if (fw_values_on)
        fw_values_forget(address, 8);
}

bool fw_shadow_note_range(struct fw_thread *t, uintptr_t address, size_t bytes, bool write,
                          uintptr_t pc, uintptr_t *first, uintptr_t *end)
{
    uintptr_t at = address, stop = address + bytes;

    *first = stop;
    *end = address;
    while (at < stop) {
        uintptr_t next = (at | 7) + 1;

        if (next > stop)
            next = stop;
        if (fw_shadow_note(t, at, (unsigned)(next - at), write, pc)) {
            if (at < *first)
                *first = at;
            *end = next;
        }
        at = next;
    }
    return *first < *end;
}

void fw_fresh(const void *address, size_t bytes)
{
    uintptr_t at = (uintptr_t)address & ~(uintptr_t)7, stop = (uintptr_t)address + bytes;

    if (fw_values_on)
        fw_values_forget((uintptr_t)address, bytes);
    if (bytes >= FW_SHADOW_CELLS * 8u) {
        memset(fw_shadow, 0, sizeof fw_shadow);
        return;
    }
    for (; at < stop; at += 8)
        *fw_shadow_cell(at) = 0;
}
