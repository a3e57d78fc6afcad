/* std_names.c - see std_names.h. */
#include "trace/std_names.h"

#include "base/alloc.h"

#include <stdlib.h>

#define FIRST_BITS 4u
#define LAST_BITS  18u /* sets: 6 MiB */

/* The array by number: its first size, and how thinly it may be filled beyond that. */
#define FIRST_NUMBERS    256u
#define NUMBERS_PER_NAME 16u

const uint64_t fw_std_word_masks[FW_STD_SHORT + 1] = {
    0x0,          0xff,           0xffff,           0xffffff,           0xffffffff,
    0xffffffffff, 0xffffffffffff, 0xffffffffffffff, 0xffffffffffffffff,
};

static void make_sets(struct fw_std_cache *cache, unsigned bits)
{
    free(cache->sets);
    cache->sets = fw_xcalloc((size_t)1 << bits, sizeof *cache->sets);
    cache->shift = 64 - bits;
}

void fw_std_cache_init(struct fw_std_cache *cache)
{
    cache->sets = NULL;
    make_sets(cache, FIRST_BITS);
}

void fw_std_cache_release(struct fw_std_cache *cache)
{
    free(cache->sets);
    cache->sets = NULL;
}

void fw_std_cache_put(struct fw_std_cache *cache, uint64_t word, uint32_t id, uint32_t names)
{
    unsigned bits = 64 - cache->shift;
    struct fw_std_set *set;

    if (names > 1u << bits >> 1 && bits < LAST_BITS)
        make_sets(cache, bits + 1);
    set = fw_std_cache_set(cache, word);
    if (set->word[0] != word) {
        set->word[1] = set->word[0];
        set->id[1] = set->id[0];
    }
    set->word[0] = word;
    set->id[0] = id;
}

/* Forms that no name has. */
void fw_std_numbers_init(struct fw_std_numbers *numbers)
{
    memset(numbers, 0, sizeof *numbers);
    for (size_t len = 0; len <= FW_STD_SHORT; len++) {
        numbers->forms[len].carry = 1;
        numbers->forms[len].check = UINT64_MAX;
    }
}

void fw_std_numbers_release(struct fw_std_numbers *numbers)
{
    free(numbers->ids);
    numbers->ids = NULL;
}

/* Takes on the form of one letter and at least one digit. */
static void choose_form(struct fw_std_numbers *numbers, unsigned char letter)
{
    uint64_t names_of_len = 1, offset = 0;

    for (unsigned len = 2; len <= FW_STD_SHORT; len++) {
        unsigned letter_at = 64 - 8 * len;
        uint64_t digit_bytes = UINT64_MAX << letter_at << 8;

        names_of_len *= 10;
        numbers->forms[len] = (struct fw_std_form) {
            .pattern = (digit_bytes & UINT64_C(0x3030303030303030)) | (uint64_t)letter << letter_at,
            .carry = digit_bytes & UINT64_C(0x0606060606060606),
            .check = (digit_bytes & UINT64_C(0xf0f0f0f0f0f0f0f0)) | UINT64_C(0xff) << letter_at,
            .offset = offset,
        };
        offset += names_of_len;
    }
}

static void grow_numbers(struct fw_std_numbers *numbers, uint64_t limit)
{
    numbers->ids = fw_xrealloc(numbers->ids, limit, sizeof *numbers->ids);
    memset(numbers->ids + numbers->limit, 0xff, (limit - numbers->limit) * sizeof *numbers->ids);
    numbers->limit = limit;
}

bool fw_std_numbers_put(struct fw_std_numbers *numbers, uint64_t word, size_t len, uint32_t id,
                        uint32_t names)
{
    uint64_t limit = numbers->limit ? numbers->limit : FIRST_NUMBERS, place;

    if (!numbers->limit)
        choose_form(numbers, (unsigned char)word);
    place = fw_std_numbers_place(numbers, word, len);
    if (place == UINT64_MAX)
        return false;
    while (limit <= place)
        limit *= 2;
    if (limit > FIRST_NUMBERS && limit / NUMBERS_PER_NAME > names)
        return false;
    if (limit > numbers->limit)
        grow_numbers(numbers, limit);
    numbers->ids[place] = id;
    return true;
}
