/* symbols.c - see symbols.h. */
#include "trace/symbols.h"

#include "base/alloc.h"
#include "trace/places.h"

#include <stdlib.h>
#include <string.h>

static void make_tables(struct fw_symbols *symbols)
{
    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_strtab_init(&symbols->table[i]);
    fw_strtab_intern(&symbols->table[FW_SPACE_BLOCK], "", 0);
    fw_strtab_intern(&symbols->table[FW_SPACE_SITE], "", 0);
}

struct fw_symbols *fw_symbols_create(void)
{
    struct fw_symbols *symbols = fw_xcalloc(1, sizeof *symbols);

    make_tables(symbols);
    return symbols;
}

void fw_symbols_clear(struct fw_symbols *symbols)
{
    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_strtab_release(&symbols->table[i]);
    make_tables(symbols);
}

void fw_symbols_destroy(struct fw_symbols *symbols)
{
    if (!symbols)
        return;
    for (int i = 0; i < FW_SPACE_COUNT; i++)
        fw_strtab_release(&symbols->table[i]);
    fw_places_destroy(symbols->places);
    free(symbols);
}

const char *fw_event_text(const struct fw_symbols *symbols, const struct fw_event *event,
                          char *text, size_t size)
{
    const struct fw_kind_info *info = &fw_kind_info[event->kind];
    const char *target = "";

    if (info->space != FW_SPACE_NONE)
        target = fw_symbols_name(symbols, info->space, event->target);
    if (*target)
        snprintf(text, size, "%s(%s)", info->std_name, target);
    else
        snprintf(text, size, "%s", info->std_name);
    return text;
}

static bool all_digits(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (name[i] < '0' || name[i] > '9')
            return false;
    return len > 0;
}

uint32_t fw_symbols_intern_thread(struct fw_symbols *symbols, const char *name, size_t len)
{
    struct fw_strtab *threads = &symbols->table[FW_SPACE_THREAD];
    char full[32];

    if (!all_digits(name, len) || len > sizeof full - 1)
        return fw_strtab_intern(threads, name, len);
    full[0] = 'T';
    memcpy(full + 1, name, len);
    return fw_strtab_intern(threads, full, len + 1);
}
