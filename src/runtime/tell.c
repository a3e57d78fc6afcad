/*
 * tell.c - what functions without hooks read and write, told by their interceptors, and what is
 * said apart from events.  (src/atomrace/overlap.c is the other kind.)
 */
#include "runtime/annotate.h"
#include "runtime/control.h"
#include "runtime/shadow.h"
#include "runtime/sink.h"
#include "runtime/values.h"

struct fw_thread *fw_tell_at(uintptr_t pc, const char *name)
{
    return fw_enter_at(pc, name, NULL);
}

struct fw_thread *fw_tell_after_at(uintptr_t pc, const char *name)
{
    return fw_enter_at(pc, name, NULL);
}

bool fw_tells_first; /* never: nobody runs between the call and what is told of it */

void fw_await_turn(const struct fw_extent *extents, unsigned count, uintptr_t pc)
{
    (void)extents;
    (void)count;
    (void)pc;
}

struct fw_thread *fw_say_at(uintptr_t pc, const char *name, const void *object)
{
    return fw_enter_at(pc, name, object);
}

void fw_said(struct fw_thread *t)
{
    fw_leave(t);
}

/* No point: between what a lock's annotations tell and what its code does nobody else is let in. */
void fw_annotate_ignore(unsigned what, int by)
{
    struct fw_thread *t = fw_enter_again();

    if (!t)
        return;
    fw_ignore(t, what, by);
    fw_segment_next(t);
    fw_leave(t);
}

void fw_access(struct fw_thread *t, const void *address, size_t bytes, bool write, uintptr_t pc)
{
    uintptr_t first, end;

    if (FW_UNLIKELY(fw_control_on))
        fw_control_access(t, (uintptr_t)address, bytes, write, pc);
    if (!bytes || t->ignored & (write ? FW_IGNORE_WRITES : FW_IGNORE_READS) || !fw_sink.on) {
        if (write && fw_values_on)
            fw_values_forget((uintptr_t)address, bytes);
        return;
    }
    if (!fw_shadow_note_range(t, (uintptr_t)address, bytes, write, pc, &first, &end))
        return;
    if (end - first <= 16)
        fw_sink_put(t, write ? FW_WIRE_WRITE : FW_WIRE_READ, first, (unsigned)(end - first), 0, pc);
    else
        fw_sink_put_more(t, write ? FW_WIRE_WRITE_RANGE : FW_WIRE_READ_RANGE, first, end - first, 0,
                         pc);
    if (!write)
        t->hot->has_read = true;
    if (write && fw_values_on)
        fw_values_write(t, first, end - first);
}
