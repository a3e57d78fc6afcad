/*
 * heal_healer.c - see heal_state.h: threads that take part in healing.
 */
#include "atomrace/heal_state.h"

#include <string.h>

struct fw_healer fw_healers[FW_HEALERS];
_Atomic unsigned fw_healer_room;

static struct fw_lock gate;
static uint64_t gate_mask;  /* signals of who is in, as they were */
static uint64_t time_ended; /* ns that those that have ended lived; under the gate */

void fw_heal_gate_enter(void)
{
    uint64_t mask = fw_mask_set(FW_MASK_ALL);

    fw_lock(&gate);
    gate_mask = mask;
}

void fw_heal_gate_leave(void)
{
    uint64_t mask = gate_mask;

    fw_unlock(&gate);
    fw_mask_set(mask);
}

bool fw_heal_gate_is(uint64_t address)
{
    return address == (uintptr_t)&gate.word;
}

uint32_t fw_healer_id(const struct fw_healer *healer)
{
    return (uint32_t)(healer - fw_healers) + 1;
}

struct fw_healer *fw_healer_take(uint32_t number, int32_t tid, uint64_t now, const int32_t *ticks)
{
    struct fw_healer *healer = NULL;

    fw_heal_gate_enter();
    for (unsigned i = 0; i < FW_HEALERS && !healer; i++)
        if (!fw_healers[i].taken)
            healer = &fw_healers[i];
    if (healer) {
        atomic_store(&healer->mutex, NULL);
        healer->taken = true;
        healer->number = number;
        healer->tid = tid;
        healer->ticks = ticks;
        atomic_store(&healer->handlers, 0);
        healer->waits = NULL;
        memset(&healer->mutexes, 0, sizeof healer->mutexes);
        healer->begun = now;
        if (fw_healer_room < fw_healer_id(healer))
            atomic_store(&fw_healer_room, fw_healer_id(healer));
    }
    fw_heal_gate_leave();
    return healer;
}

void fw_healer_give(struct fw_healer *healer, uint64_t now)
{
    fw_heal_gate_enter();
    healer->taken = false;
    healer->ticks = NULL; /* the thread's memory, which goes */
    for (unsigned i = 0; i < FW_HEAL_SEATS; i++)
        fw_heal_stand(&healer->seats[i]); /* a handler that jumped away may have left one */
    atomic_store(&healer->mutex, NULL);
    time_ended += now - healer->begun;
    fw_heal_gate_leave();
}

/* Before ticks change, and when they are what they were: pairs with seat_is_done. */
void fw_healer_interrupted(struct fw_healer *me)
{
    atomic_fetch_add(&me->handlers, 1);
}

void fw_healer_resumed(struct fw_healer *me)
{
    atomic_fetch_add(&me->handlers, 1);
}

uint32_t fw_healer_number(uint32_t owner)
{
    const struct fw_healer *healer = fw_healer_of(owner);

    return healer ? healer->number : UINT32_MAX;
}

const struct fw_healer *fw_healer_with(uint32_t number)
{
    const struct fw_healer *healer = NULL;

    fw_heal_gate_enter();
    for (unsigned i = 0; i < fw_healer_room && !healer; i++)
        if (fw_healers[i].taken && fw_healers[i].number == number)
            healer = &fw_healers[i];
    fw_heal_gate_leave();
    return healer;
}

uint64_t fw_healers_time(uint64_t now)
{
    uint64_t time;

    fw_heal_gate_enter();
    time = time_ended;
    for (unsigned i = 0; i < fw_healer_room; i++)
        if (fw_healers[i].taken)
            time += now - fw_healers[i].begun;
    fw_heal_gate_leave();
    return time;
}

struct fw_heal_seat *fw_healer_seats(struct fw_healer *healer)
{
    return healer->seats;
}

struct fw_heal_mutexes *fw_healer_mutexes(struct fw_healer *healer)
{
    return &healer->mutexes;
}

struct fw_heal_counts *fw_healer_counts(struct fw_healer *healer)
{
    if (!healer->counts)
        healer->counts = fw_heal_counts_new();
    return healer->counts;
}

void fw_healer_dwells(struct fw_healer *me, uint64_t now)
{
    atomic_store(&me->dwells, now);
}

void fw_healer_dwelt(struct fw_healer *me, uint64_t now)
{
    uint64_t since = atomic_exchange(&me->dwells, 0);

    if (since) /* a handler may have dwelt in between */
        atomic_fetch_add(&me->dwelt, now - since);
}

uint64_t fw_healer_dwelt_by(const struct fw_healer *healer)
{
    uint64_t since = healer ? atomic_load(&healer->dwells) : 0;

    return healer ? atomic_load(&healer->dwelt) + (since ? fw_heal_now() - since : 0) : 0;
}

uint64_t fw_healer_excused(const struct fw_healer *me)
{
    return me->excused;
}

void fw_healers_forked(void)
{
    memset(&gate, 0, sizeof gate);
    memset(fw_healers, 0, fw_healer_room * sizeof *fw_healers);
    atomic_store(&fw_healer_room, 0);
    time_ended = 0;
}
