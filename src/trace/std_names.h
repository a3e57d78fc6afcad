/*
 * std_names.h - what stands before a string table to make known names fast.
 *
 * Most names in a trace have at most eight bytes and come again and again.  As
 * a word, padded with zeros (text has no NUL), such a name is compared and
 * hashed without a loop.  How fast the rest is depends on how much of it fits
 * into the processor's own caches, so memory for a name is kept small.
 *
 * A cache maps words to ids, in sets of two.  It grows with the table up to a
 * limit, loses everything when it does, and forgets one of three names that
 * compete for a set: the string table behind it knows them all.  Names of up to
 * 32 bytes have a cache too, by a hash; what it says must be compared.
 *
 * Where names are many they are often numbers with a letter in front (V1234):
 * an array by number holds these, four bytes for a name.
 */
#ifndef FW_TRACE_STD_NAMES_H
#define FW_TRACE_STD_NAMES_H

#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FW_STD_SHORT 8u
#define FW_STD_LONG  32u

extern const uint64_t fw_std_word_masks[FW_STD_SHORT + 1];

/* Eight bytes, the first one lowest. */
static inline uint64_t fw_std_load(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The word of a name of at most FW_STD_SHORT bytes; so many can be read from `name` on. */
static inline uint64_t fw_std_word(const char *name, size_t len)
{
    return fw_std_load(name) & fw_std_word_masks[len];
}

/* A hash, not 0, of a name of more than FW_STD_SHORT and at most FW_STD_LONG bytes. */
static inline uint64_t fw_std_hash(const char *name, size_t len)
{
    uint64_t hash = fw_std_load(name) * 0x9fb21c651e98df25u ^ fw_std_load(name + len - 8);

    if (len > 16)
        hash ^= (fw_std_load(name + 8) ^ hash >> 32) * 0xd6e8feb86659fd93u +
                fw_std_load(name + len - 16) * 0xa0761d6478bd642fu;
    return (hash ^ hash >> 29) | 1;
}

/* Are two names of this length, more than FW_STD_SHORT and at most FW_STD_LONG, the same? */
static inline bool fw_std_same(const char *a, const char *b, size_t len)
{
    uint64_t diff =
        (fw_std_load(a) ^ fw_std_load(b)) | (fw_std_load(a + len - 8) ^ fw_std_load(b + len - 8));

    if (len > 16)
        diff |= (fw_std_load(a + 8) ^ fw_std_load(b + 8)) |
                (fw_std_load(a + len - 16) ^ fw_std_load(b + len - 16));
    return diff == 0;
}

struct fw_std_set {
    uint64_t word[2]; /* 0: free, since no name is empty */
    uint32_t id[2];
};

struct fw_std_cache {
    struct fw_std_set *sets;
    unsigned shift; /* 64 - binary logarithm of the number of sets */
};

void fw_std_cache_init(struct fw_std_cache *cache);
void fw_std_cache_release(struct fw_std_cache *cache);

/* The set where a word belongs. */
static inline struct fw_std_set *fw_std_cache_set(const struct fw_std_cache *cache, uint64_t word)
{
    return &cache->sets[word * 0x9e3779b97f4a7c15u >> cache->shift];
}

/*
 * The id of a name's word or FW_STRTAB_NONE.  Which of the two it is cannot be predicted, so this
 * is done without a jump.
 */
static inline uint32_t fw_std_cache_find(const struct fw_std_cache *cache, uint64_t word)
{
    const struct fw_std_set *set = fw_std_cache_set(cache, word);
    uint32_t first = 0u - (set->word[0] == word), second = 0u - (set->word[1] == word);

    return (set->id[0] & first) | (set->id[1] & second) | ~(first | second);
}

/* From now on the word means this id; `names` is how many there are in the table. */
void fw_std_cache_put(struct fw_std_cache *cache, uint64_t word, uint32_t id, uint32_t names);

/* What a numbered name of a certain length looks like. */
struct fw_std_form {
    uint64_t pattern; /* the name with its digits all zero, at the high end of the word */
    uint64_t carry;   /* added to digits to see which are above nine */
    uint64_t check;   /* bits that are zero in a name of this form without its pattern */
    uint64_t offset;  /* place of the first name of this length: "01" is not "1" */
};

struct fw_std_numbers {
    uint32_t *ids;  /* by offset + number; FW_STRTAB_NONE: not known */
    uint64_t limit; /* size of the array; 0: no name has decided the form yet */
    struct fw_std_form forms[FW_STD_SHORT + 1];
};

void fw_std_numbers_init(struct fw_std_numbers *numbers);
void fw_std_numbers_release(struct fw_std_numbers *numbers);

/*
 * The place of a name of 1 to FW_STD_SHORT bytes, which are the first bytes of the word, or
 * UINT64_MAX if it is not of the form.  Digits are added up in pairs, fours, and eights.
 */
static inline uint64_t fw_std_numbers_place(const struct fw_std_numbers *numbers, uint64_t word,
                                            size_t len)
{
    const struct fw_std_form *form = &numbers->forms[len];
    uint64_t digits = (word << (64 - 8 * len)) ^ form->pattern;

    if (((digits + form->carry) | digits) & form->check)
        return UINT64_MAX;
    digits = digits * 10 + (digits >> 8);
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
    digits = (digits & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
    return digits + form->offset;
}

/* The id of such a name or FW_STRTAB_NONE. */
static inline uint32_t fw_std_numbers_find(const struct fw_std_numbers *numbers, uint64_t word,
                                           size_t len)
{
    uint64_t place = fw_std_numbers_place(numbers, word, len);

    return place < numbers->limit ? numbers->ids[place] : FW_STRTAB_NONE;
}

/* From now on the name means this id; false if it is not of the form, or too far from others. */
bool fw_std_numbers_put(struct fw_std_numbers *numbers, uint64_t word, size_t len, uint32_t id,
                        uint32_t names);

#endif
