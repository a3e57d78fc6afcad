/* hot.c - see hot.h. */
#include "guard/hot.h"
#include "guard/guard.h"
#include "guard/patch.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/sink.h"

/* Of a site, in the second that it was last counted in. */
struct heat {
    _Atomic uint32_t second, passes;
};

__thread int32_t fw_guard_passes = FW_HOT_PASSES;

static struct heat *heats; /* by site; NULL: nothing is retired */
static _Atomic uint32_t busy;

bool fw_guard_hot_begin(void)
{
    if (fw_guard->hot)
        heats = fw_map_memory((fw_guard->site_count + (size_t)1) * sizeof *heats);
    return heats != NULL;
}

static uint32_t this_second(void)
{
    struct timespec time = { 0, 0 };

    fw_call(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &time, 0, 0);
    return (uint32_t)time.tv_sec;
}

static void set_quiet(uint32_t site)
{
    atomic_fetch_or(&fw_guard_sites(fw_guard)[site], FW_GUARD_QUIET);
}

/* Who has to do with it. */
static void quiet_others(uint32_t site)
{
    for (uint64_t i = 0; i < fw_guard->pair_room; i++) {
        uint64_t pair = atomic_load_explicit(&fw_guard_pairs(fw_guard)[i], memory_order_relaxed);
        uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)(pair >> 8 & 0xffffff);

        if (pair && (first == site || second == site)) {
            set_quiet(first);
            set_quiet(second);
        }
    }
}

/* Places of functions without regions any more are places like others, and calls none at all. */
static void forget_regions(const struct fw_guard_table *table, const struct fw_guard_hook *hooks,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *place = &table->sites[hooks[i].returns - hooks[0].returns];

        if (*place & FW_GUARD_REGION && fw_region_is_broken(hooks[i].function))
            *place = hooks[i].length ? *place & ~FW_GUARD_REGION : 0;
    }
}

static void retire(uint32_t site)
{
    uint32_t count = atomic_load(&fw_guard_table_count);

    set_quiet(site);
    quiet_others(site);
    fw_regions_blind();
    for (uint32_t i = 0; i < count; i++) {
        const struct fw_guard_table *table = &fw_guard_tables[i];
        const struct fw_guard_module *module = &fw_guard_modules(fw_guard)[table->module];
        const struct fw_guard_hook *hooks = fw_guard_hooks(fw_guard) + module->first_hook;

        for (uint32_t k = 0; k < module->hook_count; k++) {
            if (hooks[k].site != site)
                continue;
            fw_region_break(hooks[k].function);
            table->sites[hooks[k].returns - hooks[0].returns] = 0;
            if (!fw_guard->keep_calls)
                fw_guard_patch_live(&hooks[k], table->base);
        }
        forget_regions(table, hooks, module->hook_count);
    }
    atomic_fetch_add(&fw_guard->counts[FW_GUARD_RETIRED], 1);
}

void fw_guard_hot_count(uint32_t site)
{
    uint32_t now;

    fw_guard_passes = FW_HOT_PASSES;
    if (!heats)
        return;
    now = this_second();
    /* relaxed: what is lost is counted the next time */
    if (atomic_load_explicit(&heats[site].second, memory_order_relaxed) != now) {
        atomic_store_explicit(&heats[site].second, now, memory_order_relaxed);
        atomic_store_explicit(&heats[site].passes, 0, memory_order_relaxed);
    }
    if (atomic_fetch_add_explicit(&heats[site].passes, FW_HOT_PASSES, memory_order_relaxed) +
            FW_HOT_PASSES < fw_guard->hot ||
        atomic_exchange(&busy, 1))
        return;
    if (fw_guard_tables[0].length && !(fw_guard_sites(fw_guard)[site] & FW_GUARD_GONE)) {
        atomic_fetch_or(&fw_guard_sites(fw_guard)[site], FW_GUARD_GONE);
        retire(site);
    }
    atomic_store(&busy, 0);
}
