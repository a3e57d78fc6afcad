/*
 * strtab.h - interned strings with dense ids.
 *
 * The first distinct string gets id 0, the next id 1, and so on; equal strings
 * (bytes, not C strings: NUL is allowed) share one id.  Text lives in large
 * blocks that never move, so a name stays where it is for the table's life.
 * Looking up costs one hash and, nearly always, one probe: readers call this
 * three times a line.
 *
 * A table may hold several ids of the same text (fw_strtab_renew): then the
 * newest one is found, the older ones keep their names.
 *
 * Thread-safety: one thread may add while others ask for the text of ids that
 * they were handed (fw_strtab_text) and for the count (fw_strtab_count).  For
 * their sake arrays of entries that became too small are kept; everything else
 * is for the adding thread, or for all when nobody adds.
 */
#ifndef FW_BASE_STRTAB_H
#define FW_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FW_STRTAB_NONE   UINT32_MAX
#define FW_STRTAB_GROWTHS 29 /* from 16 entries, doubling, to all 32-bit ids */

struct fw_strtab_entry {
    const char *text; /* NUL behind it, for printing */
    uint32_t len;
    uint32_t hash;
};

struct fw_strtab_slot {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
};

struct fw_strtab {
    struct fw_strtab_entry *entries;
    uint32_t count, capacity;
    struct fw_strtab_entry *outgrown[FW_STRTAB_GROWTHS]; /* earlier arrays of entries */
    uint32_t outgrown_count;
    struct fw_strtab_slot *slots; /* open addressing, power of two, at most half full */
    uint32_t slot_mask;
    uint32_t slots_used;
    bool unindexed; /* fw_strtab_add has been used since the latest fw_strtab_index */
    char *block; /* current text block; full ones hang behind it in a chain */
    size_t block_used, block_size;
    size_t text_bytes; /* memory held for text, for accounting */
};

void fw_strtab_init(struct fw_strtab *tab);
void fw_strtab_release(struct fw_strtab *tab);

/* The id of the text, made if it is new. */
uint32_t fw_strtab_intern(struct fw_strtab *tab, const char *text, size_t len);

/* The id of the text or FW_STRTAB_NONE. */
uint32_t fw_strtab_find(const struct fw_strtab *tab, const char *text, size_t len);

/* A fresh id with the same text as `id`; from now on the text means the fresh one. */
uint32_t fw_strtab_renew(struct fw_strtab *tab, uint32_t id);

/* Appends the text under a fresh id even if it exists (tables read from files). */
uint32_t fw_strtab_append(struct fw_strtab *tab, const char *text, size_t len);

/*
 * Appends a text that is certainly new, without a place where it could be found:
 * for names made by the million.  fw_strtab_index makes up for it.
 */
uint32_t fw_strtab_add(struct fw_strtab *tab, const char *text, size_t len);
void fw_strtab_index(struct fw_strtab *tab);

static inline const char *fw_strtab_text(const struct fw_strtab *tab, uint32_t id)
{
    /* Pairs with the release in strtab.c that puts a larger array in place. */
    return __atomic_load_n(&tab->entries, __ATOMIC_ACQUIRE)[id].text;
}

static inline uint32_t fw_strtab_count(const struct fw_strtab *tab)
{
    return __atomic_load_n(&tab->count, __ATOMIC_RELAXED); /* orders nothing: only a number */
}

#endif
