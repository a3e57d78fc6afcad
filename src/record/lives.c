/* lives.c - see lives.h. */
#include "record/lives.h"

void fw_lives_release(struct fw_lives *lives)
{
    fw_addrmap_release(&lives->bytes);
    fw_addrmap_release(&lives->number);
    fw_vec_release(&lives->modules);
}

static void set_range(struct fw_life *life, uint64_t start, uint64_t bytes)
{
    uint64_t end;

    start &= FW_ADDRESS_END - 1;
    end = fw_range_end(start, bytes);
    life->start = start;
    life->bytes = end - start;
    life->word = (start + 7) / 8;
    life->end = (end + 7) / 8;
    if (life->end < life->word)
        life->end = life->word;
}

static enum fw_life_event begin(struct fw_lives *lives, struct fw_life *life, uint64_t start,
                                uint64_t bytes)
{
    if (lives->count == UINT32_MAX)
        return FW_LIFE_NOTHING;
    set_range(life, start, bytes);
    life->number = ++lives->count;
    return FW_LIFE_BEGINS;
}

static enum fw_life_event allocate(struct fw_lives *lives, struct fw_life *life, uint64_t start,
                                   uint64_t bytes)
{
    life->block = ++lives->blocks;
    life->origin = start;
    fw_addrmap_set(&lives->bytes, start, bytes);
    fw_addrmap_set(&lives->number, start, life->block);
    return begin(lives, life, start, bytes);
}

/* In place: what is added begins a life as part of the same block. */
static enum fw_life_event resize(struct fw_lives *lives, struct fw_life *life, uint64_t start,
                                 uint64_t bytes)
{
    uint64_t *known = fw_addrmap_find(&lives->bytes, start), before, after;

    if (!known)
        return allocate(lives, life, start, bytes);
    before = (fw_range_end(start, *known) + 7) & ~UINT64_C(7);
    after = fw_range_end(start, bytes);
    *known = bytes;
    if (after <= before)
        return FW_LIFE_NOTHING;
    life->block = *fw_addrmap_find(&lives->number, start);
    life->origin = start;
    return begin(lives, life, before, after - before);
}

static enum fw_life_event free_block(struct fw_lives *lives, struct fw_life *life, uint64_t start)
{
    const uint64_t *bytes = fw_addrmap_find(&lives->bytes, start);

    if (!bytes)
        return FW_LIFE_NOTHING;
    set_range(life, start, *bytes);
    life->block = *fw_addrmap_find(&lives->number, start);
    life->origin = start;
    fw_addrmap_remove(&lives->bytes, start);
    fw_addrmap_remove(&lives->number, start);
    return FW_LIFE_FREED;
}

static void load(struct fw_lives *lives, uint64_t base, uint64_t bytes)
{
    for (size_t i = 0; i < lives->modules.len; i++)
        if (lives->modules.at[i].base == base) {
            lives->modules.at[i].bytes = bytes;
            return;
        }
    fw_vec_push(&lives->modules, ((struct fw_loaded) { base, bytes }));
}

static enum fw_life_event unload(struct fw_lives *lives, struct fw_life *life, uint64_t base)
{
    for (size_t i = 0; i < lives->modules.len; i++) {
        struct fw_loaded gone = lives->modules.at[i];

        if (gone.base != base)
            continue;
        lives->modules.at[i] = fw_vec_pop(&lives->modules);
        return begin(lives, life, gone.base, gone.bytes);
    }
    return FW_LIFE_NOTHING;
}

enum fw_life_event fw_lives_note(struct fw_lives *lives, const struct fw_wire_unit *record,
                                 struct fw_life *life)
{
    uint64_t operand = fw_wire_operand(record);

    life->block = 0;
    switch (fw_wire_kind(record)) {
    case FW_WIRE_ALLOC:
        return allocate(lives, life, operand, record[1].a);
    case FW_WIRE_RESIZE:
        return resize(lives, life, operand, record[1].a);
    case FW_WIRE_FREE:
        return free_block(lives, life, operand);
    case FW_WIRE_MAP:
    case FW_WIRE_UNMAP:
        return begin(lives, life, operand, record[1].a);
    case FW_WIRE_START:
        return begin(lives, life, record[1].a, record[1].b);
    case FW_WIRE_MODULE:
        load(lives, operand, record[1].a);
        return FW_LIFE_NOTHING;
    case FW_WIRE_UNLOAD:
        return unload(lives, life, operand);
    default:
        return FW_LIFE_NOTHING;
    }
}
