/* wire_check.c - see guard_wire.h: is the file of a guard one that can be used? */
#include "guard/guard_wire.h"

static bool fits(const struct fw_guard_head *head, uint64_t at, uint64_t count, uint64_t size)
{
    return at % 8 == 0 && at >= sizeof *head && at <= head->bytes && count <= head->bytes &&
           count * size <= head->bytes - at;
}

bool fw_guard_is_whole(const struct fw_guard_head *head, uint64_t bytes)
{
    return head->bytes == bytes && head->module_count <= FW_GUARD_MODULES &&
           head->site_count <= FW_GUARD_SITES && head->mode <= FW_GUARD_LIFETX &&
           head->pair_room && !(head->pair_room & (head->pair_room - 1)) &&
           fits(head, head->modules_at, head->module_count, sizeof(struct fw_guard_module)) &&
           fits(head, head->hooks_at, head->hook_count, sizeof(struct fw_guard_hook)) &&
           fits(head, head->sites_at, head->site_count + UINT64_C(1), 1) &&
           fits(head, head->needs_at, head->site_count + UINT64_C(1), 4) &&
           fits(head, head->pairs_at, head->pair_room, 8) &&
           fits(head, head->log_at, FW_GUARD_LOG, sizeof(struct fw_guard_entry));
}

bool fw_guard_is_sound(const struct fw_guard_head *head)
{
    const struct fw_guard_hook *hooks = fw_guard_hooks(head);

    for (uint32_t i = 0; i < head->module_count; i++) {
        const struct fw_guard_module *module = &fw_guard_modules(head)[i];

        if (module->first_hook > head->hook_count ||
            module->hook_count > head->hook_count - module->first_hook)
            return false;
        for (uint32_t k = 1; k < module->hook_count; k++)
            if (hooks[module->first_hook + k].returns <= hooks[module->first_hook + k - 1].returns)
                return false;
    }
    for (uint32_t i = 0; i <= head->site_count; i++)
        if (fw_guard_needs(head)[i] > head->site_count)
            return false;
    for (uint32_t i = 0; i < head->hook_count; i++)
        if (hooks[i].site > head->site_count || hooks[i].length > hooks[i].returns)
            return false;
    return true;
}
