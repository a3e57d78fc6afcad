/* hot.c - see hot.h. */
#include "guard/hot.h"
#include "guard/calls.h"
#include "guard/guard.h"
#include "guard/patch.h"
#include "guard/region.h"
#include "runtime/futex.h"
#include "runtime/sink.h"

#define MOMENTS 16u /* in a second */
#define SOON    4u  /* of all passes, in one of them */

__thread int32_t fw_guard_passes = FW_HOT_PASSES;

struct fw_guard_heat *fw_guard_heats;
_Atomic bool fw_guard_any_gone;

bool fw_guard_hot_begin(void)
{
    if (fw_guard->hot)
        fw_guard_heats =
            fw_map_memory((fw_guard->site_count + (size_t)1) * sizeof *fw_guard_heats);
    return fw_guard_heats != NULL;
}

/* In parts of a second. */
static uint32_t this_moment(void)
{
    struct timespec time = { 0, 0 };

    fw_call(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &time, 0, 0);
    return (uint32_t)time.tv_sec * MOMENTS + (uint32_t)time.tv_nsec / (FW_SECOND / MOMENTS);
}

/* FW_HOT_PASSES more.  Returns how many they are. */
static uint32_t count_at(struct fw_guard_passes *passes, uint32_t now)
{
    /* relaxed: what is lost is counted the next time */
    if (atomic_load_explicit(&passes->time, memory_order_relaxed) != now) {
        atomic_store_explicit(&passes->time, now, memory_order_relaxed);
        atomic_store_explicit(&passes->count, 0, memory_order_relaxed);
    }
    return atomic_fetch_add_explicit(&passes->count, FW_HOT_PASSES, memory_order_relaxed) +
           FW_HOT_PASSES;
}

/* Too often in a second; or so often in a moment that it need not be waited for the rest. */
static bool is_hot(struct fw_guard_heat *heat)
{
    uint32_t now = this_moment(), in_moment = count_at(&heat->moment, now);

    return count_at(&heat->second, now / MOMENTS) >= fw_guard->hot ||
           in_moment >= fw_guard->hot / SOON;
}

static void set_quiet(uint32_t site)
{
    atomic_store(&fw_guard_heats[site].quiet, true);
}

/* Who has to do with it. */
static void quiet_others(uint32_t site)
{
    for (uint64_t i = 0; i < fw_guard->pair_room; i++) {
        uint64_t pair = atomic_load_explicit(&fw_guard_pairs(fw_guard)[i], memory_order_relaxed);
        uint32_t first = (uint32_t)(pair >> 32), second = (uint32_t)(pair >> 8 & 0xffffff);

        if (pair && (first == site || second == site) && first <= fw_guard->site_count &&
            second <= fw_guard->site_count) {
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

    atomic_store(&fw_guard_any_gone, true);
    atomic_fetch_or(&fw_guard_sites(fw_guard)[site], FW_GUARD_HOT); /* for the command */
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
            if (!fw_guard->keep_calls && fw_guard_calls_last(table))
                fw_guard_patch_live(&hooks[k], table->base);
        }
        forget_regions(table, hooks, module->hook_count);
    }
    fw_regions_settle();
    atomic_fetch_add(&fw_guard->counts[FW_GUARD_RETIRED], 1);
}

void fw_guard_hot_count(uint32_t site)
{
    struct fw_guard_heat *heat;
    uint64_t mask;

    fw_guard_passes = FW_HOT_PASSES;
    if (!fw_guard_heats)
        return;
    heat = &fw_guard_heats[site];
    if (fw_guard_any_gone)
        fw_regions_settle();
    if (!is_hot(heat) || !fw_guard_patch_enter(&mask))
        return;
    if (fw_guard_tables[0].length && !atomic_exchange(&heat->gone, true))
        retire(site);
    fw_guard_patch_leave(mask);
}
