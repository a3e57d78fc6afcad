/*
 * fuzz_sections.c - any bytes as a repository of atomic sections: read, or refused with a reason.
 *
 * What can be read is written and read once more, and must then be written the same.
 */
#include "base/bug.h"
#include "sections/sections.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_spot(const struct fw_spot *spot)
{
    FW_ASSERT(spot->file && spot->file[0] && spot->line && spot->ordinal);
}

static void check(const struct fw_sections *sections)
{
    for (size_t i = 0; i < sections->at.len; i++) {
        const struct fw_atomic_section *section = &sections->at.at[i];

        FW_ASSERT(section->file_line && section->function[0]);
        FW_ASSERT(fw_sections_find(sections, section->name) == section);
        FW_ASSERT(section->ends.len && section->origin < FW_ORIGIN_COUNT);
        check_spot(&section->entry);
        for (size_t j = 0; j < section->ends.len; j++) {
            check_spot(&section->ends.at[j].at);
            FW_ASSERT(section->ends.at[j].allow <= FW_ALLOW_ALL);
        }
        for (size_t j = 0; j < section->exits.len; j++)
            check_spot(&section->exits.at[j]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_error err = { { 0 } };
    struct fw_sections sections, again;
    struct fw_output first, second;

    if (fw_sections_read_memory(&sections, (const char *)data, size, "fuzz", &err) < 0) {
        FW_ASSERT(err.message[0]);
        return 0;
    }
    check(&sections);
    fw_output_open_memory(&first);
    fw_output_open_memory(&second);
    fw_sections_print(&sections, &first);
    if (fw_sections_read_memory(&again, first.buffer, first.used, "again", &err) < 0)
        FW_BUG("what was written is refused: %s", err.message);
    fw_sections_print(&again, &second);
    FW_ASSERT(first.used == second.used && memcmp(first.buffer, second.buffer, first.used) == 0);
    fw_output_abandon(&first);
    fw_output_abandon(&second);
    fw_sections_release(&again);
    fw_sections_release(&sections);
    return 0;
}
