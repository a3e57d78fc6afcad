/*
 * strtab.c - see strtab.h.
 *
 * Linear probing over (hash, id) slots of eight bytes; the text is compared
 * only when the 32-bit hashes agree.  Hashes come from XXH3, which is fastest
 * on the short names that traces are made of.
 */
#include "base/strtab.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define FIRST_SLOTS 64u
#define FIRST_BLOCK 1024u /* blocks double up to the last size: most tables are small */
#define LAST_BLOCK  (64u * 1024u)

/* Text blocks are chained through a pointer at their beginning. */
struct block_head {
    struct block_head *older;
};

void fw_strtab_init(struct fw_strtab *tab)
{
    memset(tab, 0, sizeof *tab);
    tab->slots = fw_xcalloc(FIRST_SLOTS, sizeof *tab->slots);
    tab->slot_mask = FIRST_SLOTS - 1;
}

void fw_strtab_release(struct fw_strtab *tab)
{
    struct block_head *block = (struct block_head *)tab->block;

    while (block) {
        struct block_head *older = block->older;

        free(block);
        block = older;
    }
    for (uint32_t i = 0; i < tab->outgrown_count; i++)
        free(tab->outgrown[i]);
    free(tab->entries);
    free(tab->slots);
    memset(tab, 0, sizeof *tab);
}

static uint32_t hash_text(const char *text, size_t len)
{
    return (uint32_t)XXH3_64bits(text, len);
}

static const char *store_text(struct fw_strtab *tab, const char *text, size_t len)
{
    size_t need = len + 1;
    char *copy;

    if (!tab->block || tab->block_size - tab->block_used < need) {
        size_t twice = tab->block ? tab->block_size * 2 : FIRST_BLOCK;
        size_t room = twice < LAST_BLOCK ? twice : LAST_BLOCK;
        size_t size = sizeof(struct block_head) + (need > room ? need : room);
        struct block_head *fresh = fw_xmalloc(size);

        fresh->older = (struct block_head *)tab->block;
        tab->block = (char *)fresh;
        tab->block_used = sizeof *fresh;
        tab->block_size = size;
        tab->text_bytes += size;
    }
    copy = tab->block + tab->block_used;
    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    tab->block_used += need;
    return copy;
}

/* The slot that holds the text, or the free one where it belongs. */
static struct fw_strtab_slot *probe(const struct fw_strtab *tab, const char *text, size_t len,
                                    uint32_t hash)
{
    uint32_t i = hash & tab->slot_mask;

    for (;; i = (i + 1) & tab->slot_mask) {
        struct fw_strtab_slot *slot = &tab->slots[i];
        const struct fw_strtab_entry *entry;

        if (!slot->id_plus_1)
            return slot;
        if (slot->hash != hash)
            continue;
        entry = &tab->entries[slot->id_plus_1 - 1];
        if (entry->len == len && (len == 0 || memcmp(entry->text, text, len) == 0))
            return slot;
    }
}

static void grow_slots(struct fw_strtab *tab)
{
    struct fw_strtab_slot *old = tab->slots;
    uint32_t old_count = tab->slot_mask + 1;

    tab->slots = fw_xcalloc((size_t)old_count * 2, sizeof *tab->slots);
    tab->slot_mask = old_count * 2 - 1;
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t j = old[i].hash & tab->slot_mask;

        if (!old[i].id_plus_1)
            continue;
        while (tab->slots[j].id_plus_1)
            j = (j + 1) & tab->slot_mask;
        tab->slots[j] = old[i];
    }
    free(old);
}

/* Other threads may be reading the old array: it stays. */
static void grow_entries(struct fw_strtab *tab)
{
    uint32_t capacity = tab->capacity ? tab->capacity * 2 : 16;
    struct fw_strtab_entry *larger = fw_xrealloc(NULL, capacity, sizeof *larger);

    if (tab->count) {
        memcpy(larger, tab->entries, tab->count * sizeof *larger);
        tab->outgrown[tab->outgrown_count++] = tab->entries;
    }
    tab->capacity = capacity;
    /* Pairs with the acquire in fw_strtab_text. */
    __atomic_store_n(&tab->entries, larger, __ATOMIC_RELEASE);
}

static uint32_t add_entry(struct fw_strtab *tab, const char *text, size_t len, uint32_t hash)
{
    uint32_t id = tab->count;

    if (len >= UINT32_MAX || id == FW_STRTAB_NONE - 1)
        FW_BUG("string table overflow");
    if (id == tab->capacity)
        grow_entries(tab);
    tab->entries[id] = (struct fw_strtab_entry) { text, (uint32_t)len, hash };
    __atomic_store_n(&tab->count, id + 1, __ATOMIC_RELAXED); /* for fw_strtab_count */
    return id;
}

uint32_t fw_strtab_intern(struct fw_strtab *tab, const char *text, size_t len)
{
    uint32_t hash = hash_text(text, len);
    struct fw_strtab_slot *slot = probe(tab, text, len, hash);
    uint32_t id;

    if (slot->id_plus_1)
        return slot->id_plus_1 - 1;
    id = add_entry(tab, store_text(tab, text, len), len, hash);
    *slot = (struct fw_strtab_slot) { hash, id + 1 };
    if (++tab->slots_used * 2 > tab->slot_mask)
        grow_slots(tab);
    return id;
}

uint32_t fw_strtab_find(const struct fw_strtab *tab, const char *text, size_t len)
{
    return probe(tab, text, len, hash_text(text, len))->id_plus_1 - 1;
}

uint32_t fw_strtab_renew(struct fw_strtab *tab, uint32_t id)
{
    struct fw_strtab_entry old = tab->entries[id];
    uint32_t fresh = add_entry(tab, old.text, old.len, old.hash);

    probe(tab, old.text, old.len, old.hash)->id_plus_1 = fresh + 1;
    return fresh;
}

uint32_t fw_strtab_append(struct fw_strtab *tab, const char *text, size_t len)
{
    uint32_t before = tab->count;
    uint32_t id = fw_strtab_intern(tab, text, len);

    return tab->count > before ? id : fw_strtab_renew(tab, id);
}

uint32_t fw_strtab_add(struct fw_strtab *tab, const char *text, size_t len)
{
    tab->unindexed = true;
    return add_entry(tab, store_text(tab, text, len), len, 0);
}

void fw_strtab_index(struct fw_strtab *tab)
{
    for (uint32_t id = 0; tab->unindexed && id < tab->count; id++) {
        struct fw_strtab_entry *entry = &tab->entries[id];
        struct fw_strtab_slot *slot;

        entry->hash = hash_text(entry->text, entry->len);
        slot = probe(tab, entry->text, entry->len, entry->hash);
        if (slot->id_plus_1)
            continue;
        *slot = (struct fw_strtab_slot) { entry->hash, id + 1 };
        if (++tab->slots_used * 2 > tab->slot_mask)
            grow_slots(tab);
    }
    tab->unindexed = false;
}
