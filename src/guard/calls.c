/* calls.c - see calls.h. */
#include "guard/calls.h"
#include "guard/patch.h"
#include "guard/region.h"
#include "guard/violation.h"
#include "runtime/patch.h"

_Atomic uint32_t fw_guard_changes;

static uint32_t lasting; /* tables of modules that never go */

void fw_guard_calls_begin(void)
{
    lasting = atomic_load(&fw_guard_table_count);
}

bool fw_guard_calls_last(const struct fw_guard_table *table)
{
    return table < fw_guard_tables + lasting;
}

/* What was retired stays nothing. */
static void change_table(const struct fw_guard_table *table, bool (*change)(uintptr_t returns))
{
    const struct fw_guard_module *module = &fw_guard_modules(fw_guard)[table->module];
    const struct fw_guard_hook *hooks = fw_guard_hooks(fw_guard) + module->first_hook;

    for (uint32_t i = 0; i < module->hook_count; i++)
        if (hooks[i].site && !hooks[i].jumps && table->sites[hooks[i].returns - hooks[0].returns])
            change(table->base + hooks[i].returns);
}

static void change_all(bool (*change)(uintptr_t returns))
{
    for (uint32_t i = 0; i < lasting; i++)
        change_table(&fw_guard_tables[i], change);
    fw_guard_patched();
}

static void fall_asleep(void)
{
    /* Pairs with fw_region_can: who goes back sees it, or is seen to be busy. */
    atomic_fetch_add(&fw_guard_changes, 1);
    fw_regions_blind();
    for (unsigned round = 0; fw_regions_busy(); round++) /* nobody begins to any more */
        fw_guard_pause(round);
    fw_regions_settle();
    change_all(fw_patch_call);
}

void fw_guard_calls_change(void)
{
    uint64_t mask;
    bool off;

    if (!lasting || fw_guard->keep_calls || fw_guard->mode == FW_GUARD_LIFETX ||
        fw_guard->mode == FW_GUARD_LEARN || !fw_guard_patch_enter(&mask))
        return;
    off = atomic_load(&fw_guard->off);
    if (off && !fw_guard_is_asleep()) {
        fall_asleep();
    } else if (!off && fw_guard_is_asleep()) {
        change_all(fw_patch_call_back);
        atomic_fetch_add(&fw_guard_changes, 1);
    }
    fw_guard_patch_leave(mask);
}
