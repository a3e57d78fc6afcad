/* patch.c - see patch.h. */
#include "guard/patch.h"
#include "runtime/futex.h"
#include "runtime/patch.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

static _Atomic bool busy; /* somebody changes calls while threads run */

/* As the processors' makers advise. */
static const uint8_t nothing[8][8] = {
    { 0 },
    { 0x90 },
    { 0x66, 0x90 },
    { 0x0f, 0x1f, 0x00 },
    { 0x0f, 0x1f, 0x40, 0x00 },
    { 0x0f, 0x1f, 0x44, 0x00, 0x00 },
    { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
    { 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
};

/* Is this the call or jump that the file has there? */
static bool is_as_expected(const uint8_t *at, const struct fw_guard_hook *hook)
{
    uint8_t kind = hook->jumps ? 0x20 : 0x10; /* of the second byte behind ff */
    const uint8_t *code = at;

    if (hook->length < 2 || hook->length > 7)
        return false;
    if (hook->length == 5 && *code == (hook->jumps ? 0xe9 : 0xe8))
        return true;
    while (code < at + 2 && ((*code & 0xf0) == 0x40 || *code == 0x67)) /* prefixes */
        code++;
    return code[0] == 0xff && (code[1] & 0x38) == kind;
}

static void make_nothing(uint8_t *at, const struct fw_guard_hook *hook)
{
    memcpy(at, nothing[hook->length], hook->length);
    if (hook->jumps)
        *at = 0xc3; /* returns; what is behind it is never come to */
}

/* Hooks from `i` on that lie in pages next to each other; returns the next. */
static uint32_t patch_pages(struct fw_guard_head *head, const struct fw_guard_hook *hooks,
                            uint32_t count, uint32_t i, uintptr_t base)
{
    uintptr_t begin = (base + hooks[i].returns - 7) & ~(uintptr_t)(PAGE - 1), end = begin;
    uint32_t last = i;

    for (; last < count && base + hooks[last].returns - 7 <= end + PAGE; last++)
        end = (base + hooks[last].returns + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (!fw_patch_protect(begin, end, PROT_READ | PROT_WRITE)) {
        atomic_fetch_add(&head->counts[FW_GUARD_KEPT], last - i);
        return last;
    }
    for (; i < last; i++) {
        uint8_t *at = (uint8_t *)(base + hooks[i].returns - hooks[i].length);
        bool good = !hooks[i].site && is_as_expected(at, &hooks[i]);

        if (good)
            make_nothing(at, &hooks[i]);
        if (!hooks[i].site)
            atomic_fetch_add(&head->counts[good ? FW_GUARD_PATCHED : FW_GUARD_KEPT], 1);
    }
    fw_patch_protect(begin, end, PROT_READ | PROT_EXEC);
    return last;
}

void fw_guard_patch_live(const struct fw_guard_hook *hook, uintptr_t base)
{
    if (!hook->jumps && fw_patch_call(base + hook->returns))
        fw_guard_patched();
}

void fw_guard_patched(void)
{
    fw_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0, 0);
}

bool fw_guard_patch_enter(uint64_t *mask)
{
    uint64_t all = UINT64_MAX;

    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, mask, 8);
    if (!atomic_exchange(&busy, true))
        return true;
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, mask, 0, 8);
    return false;
}

void fw_guard_patch_leave(uint64_t mask)
{
    atomic_store(&busy, false);
    fw_call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

void fw_guard_patch_forked(void)
{
    atomic_store(&busy, false);
}

void fw_guard_patch(struct fw_guard_head *head, const struct fw_guard_module *module,
                    uintptr_t base)
{
    const struct fw_guard_hook *hooks = fw_guard_hooks(head) + module->first_hook;

    for (uint32_t i = 0; i < module->hook_count;)
        i = patch_pages(head, hooks, module->hook_count, i, base);
}
