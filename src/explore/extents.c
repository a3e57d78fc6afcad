/* extents.c - see extents.h. */
#include "explore/extents.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 1024u

void fw_extents_init(struct fw_extents *objects)
{
    *objects = (struct fw_extents) { .size = FIRST_SIZE };
    objects->words = fw_xcalloc(FIRST_SIZE, sizeof *objects->words);
}

void fw_extents_release(struct fw_extents *objects)
{
    free(objects->words);
    *objects = (struct fw_extents) { 0 };
}

void fw_extents_clear(struct fw_extents *objects)
{
    if (objects->count)
        memset(objects->words, 0, objects->size * sizeof *objects->words);
    objects->count = 0;
}

/* --- words ----------------------------------------------------------------------------------- */

/* Neighbours lie side by side. */
static uint64_t first_slot(uint64_t word)
{
    return ((word >> 3) * 0x9e3779b97f4a7c15u >> 20 << 3) + (word & 7);
}

static struct fw_extents_word *slot_of(const struct fw_extents *objects, uint64_t word)
{
    uint64_t at = first_slot(word);

    for (;; at++) {
        struct fw_extents_word *slot = &objects->words[at & (objects->size - 1)];

        if (!slot->word || slot->word == word + 1)
            return slot;
    }
}

static void grow(struct fw_extents *objects)
{
    struct fw_extents old = *objects;

    objects->size *= 2;
    objects->words = fw_xcalloc(objects->size, sizeof *objects->words);
    for (uint64_t i = 0; i < old.size; i++)
        if (old.words[i].word)
            *slot_of(objects, old.words[i].word - 1) = old.words[i];
    free(old.words);
}

static struct fw_extents_word *word_get(struct fw_extents *objects, uint64_t word)
{
    struct fw_extents_word *slot = slot_of(objects, word);

    if (slot->word)
        return slot;
    if ((objects->count + 1) * 2 > objects->size) {
        grow(objects);
        slot = slot_of(objects, word);
    }
    objects->count++;
    slot->word = word + 1;
    return slot;
}

static uint64_t number_of(const struct fw_extents_word *word, uint8_t part)
{
    return (word->word - 1) * 8 + (uint64_t)__builtin_ctz(part);
}

/* The part that these bytes belong to, made one with all that they touch. */
static uint8_t join(struct fw_extents_word *word, uint8_t bytes)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < 8 && word->parts[i]; i++) {
        if (word->parts[i] & bytes)
            bytes |= word->parts[i];
        else
            word->parts[kept++] = word->parts[i];
    }
    word->parts[kept++] = bytes;
    memset(word->parts + kept, 0, 8 - kept);
    return bytes;
}

/* Bytes of the word that lie in the range. */
static uint8_t bytes_in(uint64_t word, uint64_t address, uint64_t end)
{
    uint64_t from = word * 8 < address ? address - word * 8 : 0;
    uint64_t to = end - word * 8 < 8 ? end - word * 8 : 8;

    return (uint8_t)((0xffu << from) & (0xffu >> (8 - to)));
}

void fw_extents_fetch(const struct fw_extents *objects, uint64_t address)
{
    __builtin_prefetch(&objects->words[first_slot(address / 8) & (objects->size - 1)]);
}

unsigned fw_extents_of(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       uint64_t numbers[FW_EXTENTS_WORDS])
{
    uint64_t end = address + (bytes ? bytes : 1);
    unsigned count = 0;

    for (uint64_t word = address / 8; word * 8 < end && count < FW_EXTENTS_WORDS; word++) {
        struct fw_extents_word *at = word_get(objects, word);

        numbers[count++] = number_of(at, join(at, bytes_in(word, address, end)));
    }
    return count;
}

/* --- forgetting ------------------------------------------------------------------------------ */

struct forgetting {
    uint64_t address, end;
    void (*visit)(void *context, uint64_t number);
    void *context;
};

/* The word keeps its place: what was put behind it is still found. */
static void forget_in(struct fw_extents_word *word, const struct forgetting *what)
{
    uint8_t gone = bytes_in(word->word - 1, what->address, what->end);
    unsigned kept = 0;

    for (unsigned i = 0; i < 8 && word->parts[i]; i++) {
        if (word->parts[i] & gone)
            what->visit(what->context, number_of(word, word->parts[i]));
        else
            word->parts[kept++] = word->parts[i];
    }
    memset(word->parts + kept, 0, 8 - kept);
}

void fw_extents_forget(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       void (*visit)(void *context, uint64_t number), void *context)
{
    struct forgetting what = { address, address + bytes, visit, context };
    uint64_t first = address / 8, last = (what.end + 7) / 8;

    if (!bytes || what.end < address)
        return;
    if (last - first < objects->size) {
        for (uint64_t word = first; word < last; word++)
            if (slot_of(objects, word)->word)
                forget_in(slot_of(objects, word), &what);
        return;
    }
    for (uint64_t i = 0; i < objects->size; i++)
        if (objects->words[i].word > first && objects->words[i].word <= last)
            forget_in(&objects->words[i], &what);
}
