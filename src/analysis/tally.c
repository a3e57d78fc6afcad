/*
 * tally.c - see tally.h.
 *
 *     race ─► cache: (sites, variable) → how often since it came there
 *                │ not there: the sites' number is looked up, and what had
 *                ▼ the place before goes on
 *             log of (number, variable, count), sorted by number when emptied
 *
 * Sorting brings all that concerns a number together; doing it one by one, as
 * races come, would wait for memory at each.
 */
#include "analysis/tally.h"

#include "base/vec.h"

#define CACHE_BITS 14
#define FULL       (1u << 20) /* records */

/* One line of the cache; low is 0 in an empty one. */
struct place {
    uint32_t low, high, variable;
    uint32_t count; /* not in the log yet */
};

struct record {
    uint32_t number, variable, count;
};

FW_VEC_TYPE(records, struct record);

/* Sites that race: open addressing, at most half full.  The key is low << 32 | high. */
struct pairs {
    uint64_t *keys; /* 0: free */
    uint32_t *numbers;
    size_t size, count; /* a power of two */
};

struct fw_tally {
    struct place cache[1u << CACHE_BITS];
    struct pairs pairs;
    struct records log;
    uint32_t numbers; /* all are below */
};

static void init_pairs(struct pairs *pairs, size_t size)
{
    *pairs = (struct pairs) { .size = size };
    pairs->keys = fw_xcalloc(size, sizeof *pairs->keys);
    pairs->numbers = fw_xcalloc(size, sizeof *pairs->numbers);
}

static void release_pairs(struct pairs *pairs)
{
    free(pairs->keys);
    free(pairs->numbers);
}

struct fw_tally *fw_tally_create(void)
{
    struct fw_tally *tally = fw_xcalloc(1, sizeof *tally);

    init_pairs(&tally->pairs, 64);
    return tally;
}

void fw_tally_destroy(struct fw_tally *tally)
{
    if (!tally)
        return;
    release_pairs(&tally->pairs);
    fw_vec_release(&tally->log);
    free(tally);
}

static inline uint64_t key_of(uint32_t low, uint32_t high)
{
    return (uint64_t)low << 32 | high;
}

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

/* Where the key is, or would be. */
static inline size_t find_pair(const struct pairs *pairs, uint64_t key)
{
    size_t i = mix(key) & (pairs->size - 1);

    while (pairs->keys[i] && pairs->keys[i] != key)
        i = (i + 1) & (pairs->size - 1);
    return i;
}

static void add_pair(struct pairs *pairs, uint64_t key, uint32_t number)
{
    size_t i = find_pair(pairs, key);

    pairs->count += !pairs->keys[i];
    pairs->keys[i] = key;
    pairs->numbers[i] = number;
}

static void grow_pairs(struct pairs *pairs)
{
    struct pairs old = *pairs;

    init_pairs(pairs, old.size * 2);
    for (size_t i = 0; i < old.size; i++)
        if (old.keys[i])
            add_pair(pairs, old.keys[i], old.numbers[i]);
    release_pairs(&old);
}

void fw_tally_learn(struct fw_tally *tally, uint32_t a, uint32_t b, uint32_t number)
{
    if (tally->pairs.count * 2 >= tally->pairs.size)
        grow_pairs(&tally->pairs);
    add_pair(&tally->pairs, a < b ? key_of(a, b) : key_of(b, a), number);
    if (tally->numbers <= number)
        tally->numbers = number + 1;
}

/* What was counted at the place goes into the log. */
static void put_aside(struct fw_tally *tally, struct place *place)
{
    size_t i;

    if (!place->count)
        return;
    i = find_pair(&tally->pairs, key_of(place->low, place->high));
    fw_vec_push(&tally->log,
                ((struct record) { tally->pairs.numbers[i], place->variable, place->count }));
    place->count = 0;
}

bool fw_tally_count(struct fw_tally *tally, uint32_t a, uint32_t b, uint32_t variable)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = key_of(low, high);
    struct place *place =
        &tally->cache[mix(key ^ (uint64_t)variable << 16) & ((1u << CACHE_BITS) - 1)];
    size_t i;

    if (place->low == low && place->high == high && place->variable == variable) {
        place->count++;
        return true;
    }
    i = find_pair(&tally->pairs, key);
    if (!tally->pairs.keys[i])
        return false;
    put_aside(tally, place);
    fw_vec_push(&tally->log, ((struct record) { tally->pairs.numbers[i], variable, 1 }));
    *place = (struct place) { low, high, variable, 0 };
    return true;
}

bool fw_tally_is_full(const struct fw_tally *tally)
{
    return tally->log.len >= FULL;
}

/* Counting sort by number. */
static struct record *sorted_log(const struct fw_tally *tally)
{
    struct record *sorted = fw_xrealloc(NULL, tally->log.len, sizeof *sorted);
    uint32_t *starts = fw_xcalloc(tally->numbers + (size_t)1, sizeof *starts);

    for (size_t i = 0; i < tally->log.len; i++)
        starts[tally->log.at[i].number + 1]++;
    for (uint32_t i = 0; i < tally->numbers; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < tally->log.len; i++)
        sorted[starts[tally->log.at[i].number]++] = tally->log.at[i];
    free(starts);
    return sorted;
}

void fw_tally_empty(struct fw_tally *tally,
                    void (*put)(void *me, uint32_t number, uint32_t variable, uint32_t count),
                    void *me)
{
    struct record *sorted;

    for (size_t i = 0; i < 1u << CACHE_BITS; i++) {
        put_aside(tally, &tally->cache[i]);
        tally->cache[i].low = 0;
    }
    if (!tally->log.len)
        return;
    sorted = sorted_log(tally);
    for (size_t i = 0; i < tally->log.len; i++)
        put(me, sorted[i].number, sorted[i].variable, sorted[i].count);
    free(sorted);
    fw_vec_clear(&tally->log);
}
