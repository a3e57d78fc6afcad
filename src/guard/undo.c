/* undo.c - see undo.h. */
#include "guard/undo.h"
#include "guard/words.h"

static uint32_t words_of(uintptr_t address, size_t bytes)
{
    return (uint32_t)(((address & 3) + bytes + 3) / 4);
}

/* One store or load where the program's own would be one: others may read it meanwhile. */
static void copy(volatile void *to, const volatile void *from, size_t bytes)
{
    uintptr_t both = (uintptr_t)to | (uintptr_t)from;

    if (bytes == 8 && !(both & 7))
        *(volatile uint64_t *)to = *(const volatile uint64_t *)from;
    else if (bytes == 4 && !(both & 3))
        *(volatile uint32_t *)to = *(const volatile uint32_t *)from;
    else if (bytes == 2 && !(both & 1))
        *(volatile uint16_t *)to = *(const volatile uint16_t *)from;
    else
        for (size_t i = 0; i < bytes; i++)
            ((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)from)[i];
}

bool fw_undo_note(struct fw_undo *undo, uintptr_t address, size_t bytes, const uint64_t *cells)
{
    struct fw_undo_write *write = &undo->writes[undo->count];

    if (undo->count == FW_UNDO_WRITES || bytes > FW_UNDO_BYTES)
        return false;
    write->address = address;
    write->bytes = (uint32_t)bytes;
    write->words = words_of(address, bytes);
    copy(write->old, (const void *)address, bytes);
    for (uint32_t i = 0; i < write->words; i++)
        write->cells[i] = cells[i];
    undo->count++;
    return true;
}

static bool is_noted(const struct fw_undo *undo, const _Atomic uint64_t *cell)
{
    for (unsigned i = 0; i < undo->count; i++)
        if ((uintptr_t)(cell - fw_word_cell(undo->writes[i].address)) < undo->writes[i].words)
            return true;
    return false;
}

bool fw_undo_is_own(const struct fw_undo *undo, uintptr_t address, size_t bytes,
                    const uint64_t *cells, fw_undo_owns *owns, uint32_t me)
{
    uint32_t words = words_of(address, bytes);

    for (uint32_t i = 0; i < words && i < FW_UNDO_WORDS; i++)
        if (!owns(cells[i], me) && is_noted(undo, fw_word_cell(address) + i))
            return false;
    return true;
}

static bool is_claimed(const struct fw_undo *undo, const _Atomic uint64_t *cell)
{
    for (unsigned i = 0; i < undo->claims; i++)
        if (undo->claimed[i].cell == cell)
            return true;
    return false;
}

/* seq_cst: who accesses the word has noted that by an exchange, or sees the claim. */
static bool claim(struct fw_undo *undo, const struct fw_undo_write *write, uint32_t word,
                  fw_undo_owns *owns, uint32_t me, uint64_t mark)
{
    _Atomic uint64_t *cell = fw_word_cell(write->address) + word;
    uint64_t was = atomic_load(cell);

    if (is_claimed(undo, cell))
        return true;
    if (!owns(was, me) || !atomic_compare_exchange_strong(cell, &was, mark))
        return false;
    undo->claimed[undo->claims++] = (struct fw_undo_claim) { cell, was, write->cells[word] };
    return true;
}

bool fw_undo_claim(struct fw_undo *undo, fw_undo_owns *owns, uint32_t me, uint64_t mark)
{
    bool good = true;

    undo->claims = 0;
    for (unsigned i = 0; i < undo->count && good; i++)
        for (uint32_t k = 0; k < undo->writes[i].words && good; k++)
            good = claim(undo, &undo->writes[i], k, owns, me, mark);
    if (!good)
        fw_undo_unclaim(undo, mark);
    return good;
}

void fw_undo_unclaim(struct fw_undo *undo, uint64_t mark)
{
    for (unsigned i = 0; i < undo->claims; i++) {
        uint64_t there = mark;

        atomic_compare_exchange_strong(undo->claimed[i].cell, &there, undo->claimed[i].was);
    }
    undo->claims = 0;
}

void fw_undo_write_back(struct fw_undo *undo)
{
    for (unsigned i = undo->count; i-- > 0;)
        copy((void *)undo->writes[i].address, undo->writes[i].old, undo->writes[i].bytes);
    /* release: who comes to the word next finds what was written back */
    for (unsigned i = 0; i < undo->claims; i++)
        atomic_store_explicit(undo->claimed[i].cell, undo->claimed[i].before,
                              memory_order_release);
    undo->claims = 0;
    undo->count = 0;
}
