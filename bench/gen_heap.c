/*
 * gen_heap.c - short-lived objects of the style `recorded`.
 *
 * An address that is allocated again is a new variable of the old name, so the
 * table of names grows with every allocation, here and in whoever reads the
 * trace.  Some objects are passed on to another thread, which frees them: the
 * mailbox of a shared object holds one of them, under the object's lock.
 */
#include "gen_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t variable_in(const struct recorded *r, uint32_t slot)
{
    return r->heap[slot] - 1;
}

static void name_object(struct gen *g, uint32_t slot)
{
    struct recorded *r = g->recorded;
    struct fw_strtab *names = &g->symbols->table[FW_SPACE_VARIABLE];
    char name[32];

    if (r->heap[slot]) {
        r->heap[slot] = fw_strtab_renew(names, variable_in(r, slot)) + 1;
        return;
    }
    snprintf(name, sizeof name, "H%" PRIu32, slot);
    r->heap[slot] = fw_strtab_append(names, name, strlen(name)) + 1;
}

void run_heap_alloc(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;
    struct thread *thread = &r->threads[t];
    uint32_t slot;

    do /* at most half of them are taken */
        slot = t * HEAP_SLOTS + thread->next_slot++ % HEAP_SLOTS;
    while (r->slot_taken[slot]);
    r->slot_taken[slot] = true;
    thread->heap_slot = slot;
    name_object(g, slot);
    gen_emit(g, FW_ALLOC, t, variable_in(r, slot), program_site(g, LIB_ALLOC));
}

static void free_slot(struct gen *g, uint32_t t, uint32_t slot)
{
    gen_emit(g, FW_FREE, t, variable_in(g->recorded, slot), program_site(g, LIB_FREE));
    g->recorded->slot_taken[slot] = false;
}

void run_heap_drop(struct gen *g, uint32_t t)
{
    struct thread *thread = &g->recorded->threads[t];

    if (thread->parcel || thread->passed_on >= HEAP_SLOTS / 2 || !gen_one_in(g, 8)) {
        free_slot(g, t, thread->heap_slot);
        return;
    }
    thread->parcel = thread->heap_slot + 1;
    thread->passed_on++;
}

void run_heap_exchange(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;
    struct thread *thread = &r->threads[t];
    uint32_t object = thread->object[0], field = run_field(r, object, MAILBOX);
    uint32_t *mailbox = &r->mailbox[object];

    if (*mailbox && !thread->gift && (*mailbox - 1) / HEAP_SLOTS != t) {
        gen_emit(g, FW_READ, t, field, program_site(g, LIB_LOOK));
        gen_emit(g, FW_WRITE, t, field, program_site(g, LIB_TAKE));
        thread->gift = *mailbox;
        *mailbox = 0;
    } else if (thread->parcel && !*mailbox) {
        gen_emit(g, FW_WRITE, t, field, program_site(g, LIB_PUT));
        *mailbox = thread->parcel;
        thread->parcel = 0;
    }
}

void run_heap_use_gift(struct gen *g, uint32_t t)
{
    struct recorded *r = g->recorded;
    uint32_t slot = r->threads[t].gift - 1;

    gen_emit(g, FW_READ, t, variable_in(r, slot), program_site(g, LIB_USE));
    free_slot(g, t, slot);
    r->threads[slot / HEAP_SLOTS].passed_on--;
    r->threads[t].gift = 0;
}
