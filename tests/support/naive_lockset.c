/* naive_lockset.c - see naive_lockset.h. */
#include "support/naive_lockset.h"

#include "base/alloc.h"

#include <stdlib.h>

/* A variable on its way through the machine. */
struct machine {
    enum {
        VIRGIN,
        EXCLUSIVE,
        SHARED,
        SHARED_MODIFIED
    } state;
    uint32_t owner;
    bool *candidates; /* by lock */
};

/* Does the event's thread hold the lock, in exclusive mode if that is asked for? */
static bool holds(const struct fw_trace *trace, uint32_t event, uint32_t lock, bool exclusive)
{
    int any = 0, alone = 0;

    for (uint32_t i = 0; i < event; i++) {
        const struct fw_event *e = &trace->events[i];
        bool acquires = fw_is_class(e->kind, FW_CLASS_ACQUIRE);

        if (e->thread != trace->events[event].thread || e->target != lock ||
            !fw_is_class(e->kind, FW_CLASS_ACQUIRE | FW_CLASS_RELEASE))
            continue;
        any += acquires ? 1 : -1;
        if (!fw_is_class(e->kind, FW_CLASS_SHARED))
            alone += acquires ? 1 : -1;
    }
    return (exclusive ? alone : any) > 0;
}

/* Keeps of the candidates what the event holds; is anything left? */
static bool refine(const struct fw_trace *trace, uint32_t event, bool write, bool *candidates)
{
    uint32_t locks = fw_symbols_count(trace->symbols, FW_SPACE_LOCK);
    bool left = false;

    for (uint32_t lock = 0; lock < locks; lock++) {
        candidates[lock] = candidates[lock] && holds(trace, event, lock, write);
        left = left || candidates[lock];
    }
    return left;
}

/* An access to the variable; does the machine warn? */
static bool access(struct machine *machine, const struct fw_trace *trace, uint32_t i)
{
    const struct fw_event *event = &trace->events[i];
    bool write = event->kind != FW_READ, left;

    if (machine->state == VIRGIN) {
        machine->state = EXCLUSIVE;
        machine->owner = event->thread;
    }
    if (machine->state == EXCLUSIVE && event->thread == machine->owner)
        return false;
    if (write)
        machine->state = SHARED_MODIFIED;
    else if (machine->state == EXCLUSIVE)
        machine->state = SHARED;
    left = refine(trace, i, write, machine->candidates);
    return machine->state == SHARED_MODIFIED && !left;
}

/* The access to the variable at which the machine warns for the first time. */
static uint32_t warning(const struct fw_trace *trace, uint32_t variable)
{
    uint32_t locks = fw_symbols_count(trace->symbols, FW_SPACE_LOCK), found = FW_NO_EVENT;
    struct machine machine = { .candidates = fw_xcalloc(locks + (size_t)1, sizeof(bool)) };

    for (uint32_t i = 0; i < locks; i++)
        machine.candidates[i] = true;
    for (uint32_t i = 0; i < trace->count && found == FW_NO_EVENT; i++) {
        const struct fw_event *event = &trace->events[i];
        bool plain = event->kind == FW_READ || event->kind == FW_WRITE || event->kind == FW_FREE;

        if (plain && event->target == variable && access(&machine, trace, i))
            found = i;
    }
    free(machine.candidates);
    return found;
}

uint32_t *fw_naive_lockset(const struct fw_trace *trace)
{
    uint32_t variables = fw_symbols_count(trace->symbols, FW_SPACE_VARIABLE);
    uint32_t *found = fw_xcalloc(variables + (size_t)1, sizeof *found);

    for (uint32_t v = 0; v < variables; v++)
        found[v] = warning(trace, v);
    return found;
}
