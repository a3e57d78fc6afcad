/* observe_object.c - objects by number, and who accessed them. */
#include "iroot/observe_state.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>
#include <string.h>

#define FEW_READERS 8u /* looked through one by one */

/* --- by number ------------------------------------------------------------------------------- */

static uint32_t first_slot(const struct objects *objects, uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) & (objects->size - 1);
}

/* Where the page is, or the free slot where it would be. */
static struct object_slot *find_slot(const struct objects *objects, uint64_t number)
{
    uint32_t i = first_slot(objects, number);

    while (objects->slots[i].page && objects->slots[i].number != number)
        i = (i + 1) & (objects->size - 1);
    return &objects->slots[i];
}

/* Where the object's id stands; NULL: its page is not there. */
static uint32_t *find_place(const struct objects *objects, uint64_t key)
{
    struct object_slot *slot = objects->size ? find_slot(objects, key / OBJECT_PAGE) : NULL;

    return slot && slot->page ? &slot->page->id_plus_1[key % OBJECT_PAGE] : NULL;
}

static void grow(struct objects *objects)
{
    struct objects old = *objects;

    objects->size = old.size ? old.size * 2 : 64;
    objects->slots = fw_xcalloc(objects->size, sizeof *objects->slots);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].page)
            *find_slot(objects, old.slots[i].number) = old.slots[i];
    free(old.slots);
}

static struct object_page *get_page(struct objects *objects, uint64_t number)
{
    struct object_slot *slot = objects->size ? find_slot(objects, number) : NULL;

    if (slot && slot->page)
        return slot->page;
    if (objects->count * 2 >= objects->size)
        grow(objects);
    slot = find_slot(objects, number);
    *slot = (struct object_slot) { number, fw_xcalloc(1, sizeof *slot->page) };
    objects->count++;
    return slot->page;
}

struct object *fw_objects_find(const struct objects *objects, uint64_t key)
{
    const uint32_t *place = find_place(objects, key);

    return place && *place ? fw_stable_at(&objects->at, *place - 1) : NULL;
}

void fw_objects_fetch_place(const struct objects *objects, uint64_t key)
{
    const uint32_t *place = find_place(objects, key);

    if (place)
        __builtin_prefetch(place);
}

void fw_objects_fetch(const struct objects *objects, uint64_t key)
{
    const char *object = (const char *)fw_objects_find(objects, key);

    if (!object)
        return;
    __builtin_prefetch(object, 1);
    __builtin_prefetch(object + 64, 1);
    __builtin_prefetch(object + 128, 1);
}

struct object *fw_objects_get(struct objects *objects, uint64_t key)
{
    struct object *object = fw_objects_find(objects, key);
    struct object_page *page;
    uint32_t id;

    if (FW_LIKELY(object))
        return object;
    page = get_page(objects, key / OBJECT_PAGE);
    objects->at.item_size = sizeof *object;
    id = objects->spare.len ? fw_vec_pop(&objects->spare) : fw_stable_add_run(&objects->at, 1);
    page->id_plus_1[key % OBJECT_PAGE] = id + 1;
    page->live++;
    object = fw_stable_at(&objects->at, id);
    object->key = key;
    return object;
}

void fw_object_own(struct objects *objects, struct object *object)
{
    objects->owners += !object->owns;
    object->owns = true;
}

static void release_object(struct objects *objects, struct object *object)
{
    if (object->owns) {
        objects->owners--;
        if (object->holds)
            fw_vec_release(object->holds);
        free(object->holds);
        if (object->read != object->few)
            free(object->read);
        free(object->place);
    }
    *object = (struct object) { 0 };
}

/* Those behind move up, as far as they would have been here. */
static void drop_page(struct objects *objects, struct object_slot *slot)
{
    struct object_slot *slots = objects->slots;
    uint32_t mask = objects->size - 1, hole = (uint32_t)(slot - slots);

    free(slot->page);
    objects->count--;
    for (uint32_t i = (hole + 1) & mask; slots[i].page; i = (i + 1) & mask) {
        if (((i - first_slot(objects, slots[i].number)) & mask) < ((i - hole) & mask))
            continue;
        slots[hole] = slots[i];
        hole = i;
    }
    slots[hole].page = NULL;
}

void fw_objects_drop(struct objects *objects, uint64_t key)
{
    struct object_slot *slot = objects->size ? find_slot(objects, key / OBJECT_PAGE) : NULL;
    uint32_t *place = slot && slot->page ? &slot->page->id_plus_1[key % OBJECT_PAGE] : NULL;

    if (!place || !*place)
        return;
    release_object(objects, fw_stable_at(&objects->at, *place - 1));
    fw_vec_push(&objects->spare, *place - 1);
    *place = 0;
    if (!--slot->page->live)
        drop_page(objects, slot);
}

void fw_objects_release(struct objects *objects)
{
    for (uint32_t i = 0; objects->owners && i < objects->at.count; i++)
        release_object(objects, fw_stable_at(&objects->at, i));
    for (uint32_t i = 0; i < objects->size; i++)
        free(objects->slots[i].page);
    free(objects->slots);
    fw_stable_release(&objects->at);
    fw_vec_release(&objects->spare);
}

/* --- reads and writes ------------------------------------------------------------------------ */

struct touch *fw_object_read(const struct object *object, uint32_t thread)
{
    if (object->place && object->reads > FEW_READERS) {
        uint32_t place = thread < object->threads ? object->place[thread] : UINT32_MAX;

        /* Places are not cleared with the reads: is this one of today's? */
        return place < object->reads && object->read[place].thread == thread ? &object->read[place]
                                                                            : NULL;
    }
    for (uint32_t i = 0; i < object->reads; i++)
        if (object->read[i].thread == thread)
            return &object->read[i];
    return NULL;
}

static void note_place(struct object *object, uint32_t place)
{
    uint32_t thread = object->read[place].thread;

    if (thread >= object->threads) {
        uint32_t threads = thread + 1 > 2 * object->threads ? thread + 1 : 2 * object->threads;

        object->place = fw_xrealloc(object->place, threads, sizeof *object->place);
        memset(object->place + object->threads, 0xff,
               (threads - object->threads) * sizeof *object->place);
        object->threads = threads;
    }
    object->place[thread] = place;
}

static void make_room(struct objects *objects, struct object *object)
{
    bool is_few = object->read == object->few;

    if (!object->read) {
        object->capacity = sizeof object->few / sizeof *object->few;
        object->read = object->few;
        return;
    }
    fw_object_own(objects, object);
    object->capacity *= 2;
    object->read = fw_xrealloc(is_few ? NULL : object->read, object->capacity,
                               sizeof *object->read);
    if (is_few)
        memcpy(object->read, object->few, sizeof object->few);
}

void fw_object_add_read(struct objects *objects, struct object *object, const struct touch *touch)
{
    if (object->reads == object->capacity)
        make_room(objects, object);
    object->read[object->reads++] = *touch;
    if (object->reads == FEW_READERS + 1)
        for (uint32_t i = 0; i < object->reads; i++)
            note_place(object, i);
    else if (object->reads > FEW_READERS)
        note_place(object, object->reads - 1);
}

void fw_object_set_write(struct object *object, const struct touch *touch)
{
    object->write = *touch;
    object->written = true;
    object->writer_reads = false;
    object->reads = 0;
}
