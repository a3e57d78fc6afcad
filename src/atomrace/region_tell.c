/*
 * region_tell.c - see region_state.h: violated sections, on their way to the recorder.
 *
 * A violation is told as it could be seen: the thread begins a block that has the section's name
 * ("section NAME"), makes the access of the entry, the other thread makes its access, the thread
 * makes that of the end.  Each of the latter two stands in a block of its own, since its thread may
 * have done anything before it; nothing here says that two of the accesses were next at the same
 * moment (src/analysis/overlap.c).
 *
 * The other thread has gone on or has ended: its stack was copied when it was noted.
 */
#include "atomrace/hits.h"
#include "atomrace/region_state.h"
#include "runtime/sink.h"

#include <string.h>

#define TRIPLES        1024u /* of places that are remembered */
#define PROBES         16u
#define TOLD_OF_TRIPLE 4u

/* Under the lock of telling. */
static struct {
    uint64_t key; /* 0: free */
    uint32_t count;
} triples[TRIPLES];

void fw_violations_forked(void)
{
    memset(triples, 0, sizeof triples);
}

static uint64_t mix(uint64_t word, uint64_t more)
{
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u + more;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

/* Shall this one be told?  Where the table is full, no. */
static bool count_triple(uintptr_t first, uintptr_t by, uintptr_t last, uint32_t section)
{
    uint64_t key = mix(mix(mix(section, first), by), last) | 1;

    for (unsigned probe = 0; probe < PROBES; probe++) {
        unsigned i = (key + probe) % TRIPLES;

        if (triples[i].key && triples[i].key != key)
            continue;
        triples[i].key = key;
        return ++triples[i].count <= TOLD_OF_TRIPLE;
    }
    return false;
}

/* The label's address, which stands for its text in this trace. */
static uintptr_t tell_name(struct fw_thread *t, uint32_t section)
{
    const char *name = fw_regions_name(section);
    static char text[256] = "section ";
    size_t length = strlen(name), room = sizeof text - strlen("section ") - 1;

    memcpy(text + strlen("section "), name, length < room ? length : room);
    text[strlen("section ") + (length < room ? length : room)] = '\0';
    fw_sink_put_text(t, FW_WIRE_TEXT, (uintptr_t)name, NULL, text);
    return (uintptr_t)name;
}

static uintptr_t higher(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

static uintptr_t lower(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

/* In the other thread's name, with the stack it had; its own story is told anew from then on. */
static void tell_suspect(const struct fw_suspect *by, uintptr_t begin, uintptr_t end)
{
    struct fw_frame *frames = (struct fw_frame *)by->frames;
    struct fw_hot hot = { .base = frames,
                          .written = frames,
                          .top = frames + by->frame_count,
                          .returns = FW_ALL_CALLS };
    struct fw_thread thread = { .number = by->number, .hot = &hot };
    struct fw_overlap_access access = by->access;

    access.thread = &thread;
    fw_sink_put(&thread, FW_WIRE_BEGIN, 0, 0, 0, access.pc);
    fw_tell_access(&access, begin, end);
    fw_sink_put(&thread, FW_WIRE_END, 0, 0, 0, access.pc);
    if (by->access.thread->number == by->number)
        by->access.thread->retell = true;
}

static void tell(const struct fw_overlap_access *first, const struct fw_suspect *by,
                 const struct fw_overlap_access *last, uint32_t section)
{
    uintptr_t begin = higher(higher(first->address, last->address), by->access.address);
    uintptr_t end = lower(lower(first->address + first->bytes, last->address + last->bytes),
                          by->access.address + by->access.bytes);
    struct fw_thread *t = first->thread;
    uintptr_t name;

    if (begin >= end)
        return;
    name = tell_name(t, section);
    fw_sink_put(t, FW_WIRE_BEGIN, name, 0, 0, first->pc);
    fw_tell_access(first, begin, end);
    tell_suspect(by, begin, end);
    fw_sink_put(t, FW_WIRE_BEGIN, 0, 0, 0, last->pc);
    fw_tell_access(last, begin, end);
    fw_sink_put(t, FW_WIRE_END, 0, 0, 0, last->pc);
    fw_sink_put(t, FW_WIRE_END, name, 0, 0, last->pc);
}

void fw_violation(const struct fw_overlap_access *first, const struct fw_suspect *by,
                  const struct fw_overlap_access *last, uint32_t section)
{
    fw_telling_begin();
    if (fw_sink.on && count_triple(first->pc, by->access.pc, last->pc, section))
        tell(first, by, last, section);
    fw_telling_end();
}
