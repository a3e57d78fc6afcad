/*
 * shadow.c - the table of shadow.h, segments, and accesses of any size.
 */
#include "runtime/shadow.h"

#include "runtime/sink.h"

#include <string.h>

uint64_t fw_shadow[FW_SHADOW_CELLS + 1]; /* untouched, it takes no memory */

static uint64_t last_segment;

static void renumber(struct fw_thread *t, void *context)
{
    (void)context;
    if (t->hot && t->hot->segment)
        t->hot->segment = ++last_segment << FW_SEGMENT_SHIFT;
}

void fw_segment_next(struct fw_thread *t)
{
    if (FW_UNLIKELY(last_segment + 1 >= UINT64_C(1) << FW_SEGMENT_BITS)) {
        memset(fw_shadow, 0, sizeof fw_shadow);
        last_segment = 0;
        fw_sched_lock();
        fw_thread_each(renumber, NULL);
        fw_sched_unlock();
    }
    t->hot->segment = ++last_segment << FW_SEGMENT_SHIFT;
}

/* Marks the words of a range; *first and *end bound what was not there before.  False: all was. */
static bool mark_range(uintptr_t address, size_t bytes, bool write, uintptr_t *first,
                       uintptr_t *end)
{
    uintptr_t at = address, stop = address + bytes;

    *first = stop;
    *end = address;
    while (at < stop) {
        uintptr_t next = (at | 7) + 1;

        if (next > stop)
            next = stop;
        if (!fw_shadow_mark(at, (unsigned)(next - at), write)) {
            if (at < *first)
                *first = at;
            *end = next;
        }
        at = next;
    }
    return *first < *end;
}

void fw_access(struct fw_thread *t, const void *address, size_t bytes, bool write, uintptr_t pc)
{
    uintptr_t first, end;

    if (!bytes || t->ignored & (write ? FW_IGNORE_WRITES : FW_IGNORE_READS) || !fw_sink.on)
        return;
    if (!mark_range((uintptr_t)address, bytes, write, &first, &end))
        return;
    t->hot->ticks--;
    if (end - first <= 16)
        fw_sink_put(t, write ? FW_WIRE_WRITE : FW_WIRE_READ, first, (unsigned)(end - first), 0, pc);
    else
        fw_sink_put_more(t, write ? FW_WIRE_WRITE_RANGE : FW_WIRE_READ_RANGE, first, end - first, 0,
                         pc);
    if (!write)
        t->hot->has_read = true;
}

void fw_fresh(const void *address, size_t bytes)
{
    uintptr_t at = (uintptr_t)address & ~(uintptr_t)7, stop = (uintptr_t)address + bytes;

    if (bytes >= FW_SHADOW_CELLS * 8u) {
        memset(fw_shadow, 0, sizeof fw_shadow);
        return;
    }
    for (; at < stop; at += 8)
        *fw_shadow_cell(at) = 0;
}
