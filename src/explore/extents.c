/* extents.c - see extents.h. */
#include "explore/extents.h"

#include "base/alloc.h"
#include "base/bug.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64u

void fw_extents_init(struct fw_extents *objects)
{
    *objects = (struct fw_extents) { .size = FIRST_SIZE };
    objects->pages = fw_xcalloc(FIRST_SIZE, sizeof *objects->pages);
}

void fw_extents_clear(struct fw_extents *objects)
{
    for (uint64_t i = 0; objects->count && i < objects->size; i++) {
        free(objects->pages[i].words);
        objects->pages[i].words = NULL;
    }
    objects->count = 0;
}

void fw_extents_release(struct fw_extents *objects)
{
    fw_extents_clear(objects);
    free(objects->pages);
    *objects = (struct fw_extents) { 0 };
}

/* --- words ----------------------------------------------------------------------------------- */

/* Where the page is, or the free place where it would be. */
static struct fw_extents_page *find_page(const struct fw_extents *objects, uint64_t number)
{
    uint64_t at = number * 0x9e3779b97f4a7c15u >> 20;

    for (;; at++) {
        struct fw_extents_page *page = &objects->pages[at & (objects->size - 1)];

        if (!page->words || page->number == number)
            return page;
    }
}

static void grow(struct fw_extents *objects)
{
    struct fw_extents old = *objects;

    objects->size *= 2;
    objects->pages = fw_xcalloc(objects->size, sizeof *objects->pages);
    for (uint64_t i = 0; i < old.size; i++)
        if (old.pages[i].words)
            *find_page(objects, old.pages[i].number) = old.pages[i];
    free(old.pages);
}

static struct fw_extents_word *word_get(struct fw_extents *objects, uint64_t word)
{
    struct fw_extents_page *page = find_page(objects, word / FW_EXTENTS_PAGE);

    if (FW_UNLIKELY(!page->words)) {
        if ((objects->count + 1) * 2 > objects->size) {
            grow(objects);
            page = find_page(objects, word / FW_EXTENTS_PAGE);
        }
        objects->count++;
        page->number = word / FW_EXTENTS_PAGE;
        page->words = fw_xcalloc(FW_EXTENTS_PAGE, sizeof *page->words);
    }
    return &page->words[word % FW_EXTENTS_PAGE];
}

static uint64_t number_of(uint64_t word, uint8_t part)
{
    return word * 8 + (uint64_t)__builtin_ctz(part);
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
    const struct fw_extents_page *page = find_page(objects, address / 8 / FW_EXTENTS_PAGE);

    if (page->words)
        __builtin_prefetch(&page->words[address / 8 % FW_EXTENTS_PAGE], 1);
}

unsigned fw_extents_of(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       uint64_t numbers[FW_EXTENTS_WORDS])
{
    uint64_t end = address + (bytes ? bytes : 1);
    unsigned count = 0;

    for (uint64_t word = address / 8; word * 8 < end && count < FW_EXTENTS_WORDS; word++) {
        struct fw_extents_word *at = word_get(objects, word);

        numbers[count++] = number_of(word, join(at, bytes_in(word, address, end)));
    }
    return count;
}

/* --- forgetting ------------------------------------------------------------------------------ */

struct forgetting {
    uint64_t address, end;
    void (*visit)(void *context, uint64_t number);
    void *context;
};

static void forget_in(struct fw_extents_word *at, uint64_t word, const struct forgetting *what)
{
    uint8_t gone = bytes_in(word, what->address, what->end);
    unsigned kept = 0;

    for (unsigned i = 0; i < 8 && at->parts[i]; i++) {
        if (at->parts[i] & gone)
            what->visit(what->context, number_of(word, at->parts[i]));
        else
            at->parts[kept++] = at->parts[i];
    }
    memset(at->parts + kept, 0, 8 - kept);
}

/* Those of the page from the one word to before the other. */
static void forget_page(const struct fw_extents_page *page, uint64_t first, uint64_t last,
                        const struct forgetting *what)
{
    uint64_t begin = page->number * FW_EXTENTS_PAGE, end = begin + FW_EXTENTS_PAGE;

    for (uint64_t word = first > begin ? first : begin; word < last && word < end; word++)
        forget_in(&page->words[word - begin], word, what);
}

static int by_number(const void *a, const void *b)
{
    const struct fw_extents_page *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* Of few pages, whatever lies between the words. */
static void forget_all(struct fw_extents *objects, uint64_t first, uint64_t last,
                       const struct forgetting *what)
{
    struct fw_extents_page *pages = fw_xcalloc(objects->count + 1, sizeof *pages);
    size_t count = 0;

    for (uint64_t i = 0; i < objects->size; i++)
        if (objects->pages[i].words)
            pages[count++] = objects->pages[i];
    qsort(pages, count, sizeof *pages, by_number);
    for (size_t i = 0; i < count; i++)
        forget_page(&pages[i], first, last, what);
    free(pages);
}

void fw_extents_forget(struct fw_extents *objects, uint64_t address, uint64_t bytes,
                       void (*visit)(void *context, uint64_t number), void *context)
{
    struct forgetting what = { address, address + bytes, visit, context };
    uint64_t first = address / 8, last = what.end / 8 + (what.end % 8 != 0);
    uint64_t from = first / FW_EXTENTS_PAGE, to = (last - 1) / FW_EXTENTS_PAGE;

    if (!bytes || what.end < address)
        return;
    if (to - from >= objects->size) {
        forget_all(objects, first, last, &what);
        return;
    }
    for (uint64_t number = from; number <= to; number++)
        if (find_page(objects, number)->words)
            forget_page(find_page(objects, number), first, last, &what);
}
