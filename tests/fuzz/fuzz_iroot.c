/*
 * fuzz_iroot.c - any bytes as an iRoot: read, or refused with a reason.
 *
 * What can be read is written and read once more, and must then be the same.
 */
#include "base/alloc.h"
#include "base/bug.h"
#include "iroot/iroot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *print(const struct fw_iroot *iroot, const struct fw_strtab *table)
{
    struct fw_output out;
    char *text;

    fw_output_open_memory(&out);
    fw_iroot_print(iroot, table, &out);
    text = fw_xstrndup(out.buffer, out.used);
    fw_output_abandon(&out);
    return text;
}

static void check(const struct fw_iroot *iroot, const struct fw_strtab *table)
{
    struct fw_error err = { { 0 } };
    char *first = print(iroot, table), *second;
    struct fw_strtab other;
    struct fw_iroot again;

    fw_strtab_init(&other);
    if (fw_iroot_parse(&again, first, &other, &err) < 0)
        FW_BUG("what was written is refused: %s", err.message);
    second = print(&again, &other);
    FW_ASSERT(strcmp(first, second) == 0);
    FW_ASSERT(iroot->idiom == again.idiom && iroot->waits == again.waits);
    for (uint32_t i = 0; i < fw_strtab_count(&other); i++) {
        struct fw_access access;

        if (fw_access_parse(&access, fw_strtab_text(&other, i), &err) < 0)
            FW_BUG("an access that was written is refused: %s", err.message);
        FW_ASSERT(fw_access_intern(&other, &access) == i);
        FW_ASSERT(fw_access_does(fw_strtab_text(&other, i)) == access.does);
        fw_access_release(&access);
    }
    fw_strtab_release(&other);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fw_xstrndup((const char *)data, size);
    struct fw_error err = { { 0 } };
    struct fw_strtab table;
    struct fw_iroot iroot;

    fw_strtab_init(&table);
    if (fw_iroot_parse(&iroot, text, &table, &err) < 0)
        FW_ASSERT(err.message[0]);
    else
        check(&iroot, &table);
    fw_strtab_release(&table);
    free(text);
    return 0;
}
