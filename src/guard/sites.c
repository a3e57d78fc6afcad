/*
 * sites.c - see guard.h: from where a hook returns to the number of its site.
 *
 * Each module has a flat table over its code, a number for each byte, of which only the pages with
 * hooks in them take memory: nothing is searched on the way of a hook.
 */
#include "guard/guard.h"
#include "guard/patch.h"
#include "runtime/futex.h"
#include "runtime/sink.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct fw_guard_table fw_guard_tables[FW_GUARD_MODULES];
_Atomic uint32_t fw_guard_table_count;

uint32_t fw_guard_place_elsewhere(uintptr_t pc)
{
    /* acquire: pairs with the release in add_table */
    uint32_t count = atomic_load_explicit(&fw_guard_table_count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++)
        if (pc - fw_guard_tables[i].begin < fw_guard_tables[i].length)
            return fw_guard_tables[i].sites[pc - fw_guard_tables[i].begin];
    return 0;
}

uint64_t fw_guard_region_at(uintptr_t pc)
{
    uint32_t count = atomic_load_explicit(&fw_guard_table_count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++)
        if (pc - fw_guard_tables[i].begin < fw_guard_tables[i].length)
            return fw_guard_tables[i].regions ? fw_guard_tables[i].regions[pc -
                                                                           fw_guard_tables[i].begin]
                                              : 0;
    return 0;
}

uint64_t fw_guard_frame(uintptr_t pc)
{
    uint32_t count = atomic_load_explicit(&fw_guard_table_count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++)
        if (pc >= fw_guard_tables[i].base && pc < fw_guard_tables[i].end)
            return ((uint64_t)fw_guard_tables[i].module + 1) << 48 |
                   (pc - fw_guard_tables[i].base);
    return 0;
}

static const struct fw_guard_module *find_module(const char *path, uint32_t *number)
{
    struct stat about;

    if (fw_call(SYS_newfstatat, AT_FDCWD, path, &about, 0) < 0)
        return NULL;
    for (*number = 0; *number < fw_guard->module_count; ++*number) {
        const struct fw_guard_module *module = &fw_guard_modules(fw_guard)[*number];

        if (module->device == about.st_dev && module->inode == about.st_ino)
            return module;
    }
    return NULL;
}

/* A module that was unloaded and comes back elsewhere has another table; the old one is never
 * asked any more, unless another module came to its place, which is then taken for it. */
static bool is_known(uintptr_t base, uint32_t module)
{
    for (uint32_t i = 0; i < fw_guard_table_count; i++)
        if (fw_guard_tables[i].base == base && fw_guard_tables[i].module == module)
            return true;
    return false;
}

static bool add_table(const struct fw_guard_module *module, uint32_t number, uintptr_t base)
{
    const struct fw_guard_hook *hooks = fw_guard_hooks(fw_guard) + module->first_hook;
    uint32_t count = fw_guard_table_count, first = hooks[0].returns;
    struct fw_guard_table *table = &fw_guard_tables[count];
    uintptr_t length = hooks[module->hook_count - 1].returns - first + 1;
    uint32_t *sites;
    uint64_t *regions = NULL;

    if (count == FW_GUARD_MODULES)
        return false;
    sites = fw_map_memory(length * sizeof *sites);
    if (!sites)
        return false;
    if (fw_guard->function_count)
        regions = fw_map_memory(length * sizeof *regions);
    for (uint32_t i = 0; i < module->hook_count; i++) {
        sites[hooks[i].returns - first] =
            hooks[i].site | (regions && hooks[i].frame ? FW_GUARD_REGION : 0);
        if (regions && hooks[i].frame)
            regions[hooks[i].returns - first] = (uint64_t)hooks[i].function << 16 | hooks[i].frame;
        if (hooks[i].site)
            atomic_fetch_add(&fw_guard->counts[FW_GUARD_PLACED], 1);
    }
    *table = (struct fw_guard_table){ .sites = sites,
                                      .regions = regions,
                                      .length = length,
                                      .base = base,
                                      .end = base + first + length + 4096,
                                      .module = number,
                                      .begin = base + first };
    atomic_store_explicit(&fw_guard_table_count, count + 1, memory_order_release);
    return true;
}

void fw_guard_module(const char *path, uintptr_t base)
{
    const struct fw_guard_module *module;
    uint32_t number;

    if (!fw_guard)
        return;
    module = find_module(path, &number);
    if (!module || !module->hook_count || is_known(base, number) ||
        !add_table(module, number, base))
        return;
    if (!fw_guard->keep_calls)
        fw_guard_patch(fw_guard, module, base);
}
