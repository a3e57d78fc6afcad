/* chunks.c - see chunks.h. */
#include "record/chunks.h"

#define FIRST_SIZE 1024u

struct fw_chunks *fw_chunks_create(void)
{
    struct fw_chunks *chunks = fw_xcalloc(1, sizeof *chunks);

    chunks->size = FIRST_SIZE;
    chunks->slots = fw_xcalloc(chunks->size, sizeof *chunks->slots);
    return chunks;
}

void fw_chunks_destroy(struct fw_chunks *chunks, void (*destroy_chunk)(void *chunk))
{
    if (!chunks)
        return;
    for (size_t i = 0; i < chunks->size; i++)
        if (chunks->slots[i].chunk)
            destroy_chunk(chunks->slots[i].chunk);
    free(chunks->slots);
    free(chunks);
}

static size_t home(const struct fw_chunks *chunks, uint64_t number)
{
    return (size_t)((number + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (chunks->size - 1);
}

struct fw_chunk_slot *fw_chunks_slot(const struct fw_chunks *chunks, uint64_t number)
{
    for (size_t i = home(chunks, number); chunks->slots[i].key; i = (i + 1) & (chunks->size - 1))
        if (chunks->slots[i].key == number + 1)
            return &chunks->slots[i];
    return NULL;
}

static struct fw_chunk_slot *place(struct fw_chunks *chunks, struct fw_chunk_slot slot)
{
    size_t i = home(chunks, slot.key - 1);

    while (chunks->slots[i].key)
        i = (i + 1) & (chunks->size - 1);
    chunks->slots[i] = slot;
    return &chunks->slots[i];
}

static void grow(struct fw_chunks *chunks)
{
    struct fw_chunk_slot *old = chunks->slots;
    size_t size = chunks->size;

    chunks->size *= 2;
    chunks->slots = fw_xcalloc(chunks->size, sizeof *chunks->slots);
    for (size_t i = 0; i < size; i++)
        if (old[i].key)
            place(chunks, old[i]);
    free(old);
}

struct fw_chunk_slot *fw_chunks_make(struct fw_chunks *chunks, uint64_t number)
{
    struct fw_chunk_slot *slot = fw_chunks_slot(chunks, number);

    if (slot)
        return slot;
    if (++chunks->count * 2 > chunks->size)
        grow(chunks);
    return place(chunks, (struct fw_chunk_slot) { .key = number + 1 });
}

/* Closes the gap: what stands behind it and could not stand in its home moves up. */
void fw_chunks_remove(struct fw_chunks *chunks, struct fw_chunk_slot *slot)
{
    size_t mask = chunks->size - 1, gap = (size_t)(slot - chunks->slots);
    size_t line = (slot->key - 1) & (FW_CHUNK_CACHE - 1);

    if (chunks->cache[line].key == slot->key)
        chunks->cache[line].key = 0;
    for (size_t i = (gap + 1) & mask; chunks->slots[i].key; i = (i + 1) & mask) {
        size_t wanted = home(chunks, chunks->slots[i].key - 1);

        if (((i - wanted) & mask) >= ((i - gap) & mask)) {
            chunks->slots[gap] = chunks->slots[i];
            gap = i;
        }
    }
    chunks->slots[gap] = (struct fw_chunk_slot) { 0 };
    chunks->count--;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t *fw_chunks_list(const struct fw_chunks *chunks, uint64_t first, uint64_t last,
                         size_t *count)
{
    bool few = last - first < chunks->size;
    uint64_t *numbers = fw_xmalloc((few ? last - first + 1 : chunks->count + 1) * sizeof *numbers);

    *count = 0;
    if (few) {
        for (uint64_t n = first; n <= last; n++)
            if (fw_chunks_slot(chunks, n))
                numbers[(*count)++] = n;
        return numbers;
    }
    for (size_t i = 0; i < chunks->size; i++) {
        uint64_t number = chunks->slots[i].key - 1;

        if (chunks->slots[i].key && number >= first && number <= last)
            numbers[(*count)++] = number;
    }
    qsort(numbers, *count, sizeof *numbers, compare_numbers);
    return numbers;
}
