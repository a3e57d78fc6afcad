/*
 * fuzz_constraints.c - any bytes as constraints: read, or refused with a reason.
 *
 * What can be read is written and read once more, and must then be written the same; merged into
 * itself it brings nothing new.
 */
#include "base/bug.h"
#include "learn/constraints.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct fw_constraints *constraints)
{
    for (uint32_t i = 0; i < fw_constraints_site_count(constraints); i++) {
        const struct fw_learnt_site *site = fw_constraints_get(constraints, i);
        const uint32_t *before;
        size_t count = fw_constraints_pset(constraints, i, &before);

        FW_ASSERT(site->module[0] && site->function[0] && site->at.file[0] && site->at.line);
        FW_ASSERT(fw_constraints_find(constraints, site) == i);
        for (size_t k = 0; k < count; k++)
            FW_ASSERT(fw_constraints_has_pair(constraints, i, before[k]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fw_error err = { { 0 } };
    struct fw_constraints *constraints, *again;
    struct fw_output first, second;
    struct fw_learnt_news news;

    constraints = fw_constraints_read_memory((const char *)data, size, "fuzz", &err);
    if (!constraints) {
        FW_ASSERT(err.message[0]);
        return 0;
    }
    check(constraints);
    fw_output_open_memory(&first);
    fw_output_open_memory(&second);
    fw_constraints_print(constraints, &first);
    again = fw_constraints_read_memory(first.buffer, first.used, "again", &err);
    if (!again)
        FW_BUG("what was written is refused: %s", err.message);
    fw_constraints_print(again, &second);
    FW_ASSERT(first.used == second.used && memcmp(first.buffer, second.buffer, first.used) == 0);
    news = fw_constraints_merge(again, constraints);
    FW_ASSERT(!news.sites && !news.shared && !news.pairs && !news.also && !news.cuts);
    fw_output_abandon(&first);
    fw_output_abandon(&second);
    fw_constraints_destroy(again);
    fw_constraints_destroy(constraints);
    return 0;
}
