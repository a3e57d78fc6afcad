/* patch.c - see patch.h. */
#include "runtime/patch.h"

#include "runtime/futex.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

static _Atomic bool busy; /* somebody stores */

/* Where hooks are (FW_HOOK); the linker's. */
extern const char __start_fw_hooks[] __attribute__((visibility("hidden")));
extern const char __stop_fw_hooks[] __attribute__((visibility("hidden")));

bool fw_patch_protect(uintptr_t begin, uintptr_t end, int how)
{
    return fw_call(SYS_mprotect, begin, end - begin, how, 0) == 0;
}

static bool is_hook(uintptr_t address)
{
    return address - (uintptr_t)__start_fw_hooks <
           (uintptr_t)(__stop_fw_hooks - __start_fw_hooks);
}

/* The 32 bits before `end`, counted from there. */
static uintptr_t relative(uintptr_t end)
{
    int32_t distance;

    memcpy(&distance, (const void *)(end - 4), sizeof distance);
    return end + (uintptr_t)(intptr_t)distance;
}

/* Is it a stub that jumps to a hook?  [endbr64] [bnd] jmp *SLOT */
static bool leads_to_hook(uintptr_t stub)
{
    static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    const uint8_t *code = (const uint8_t *)stub;

    if (memcmp(code, endbr, sizeof endbr) == 0)
        code += sizeof endbr;
    code += *code == 0xf2;
    return code[0] == 0xff && code[1] == 0x25 &&
           is_hook(*(const uintptr_t *)relative((uintptr_t)code + 6));
}

/* What takes the place of the call's first byte; *at: where.  0: it is not one that is known. */
static uint8_t substitute(uintptr_t returns, uint8_t **at)
{
    uint8_t *end = (uint8_t *)returns;

    if (end[-5] == 0xe8 && (is_hook(relative(returns)) || leads_to_hook(relative(returns)))) {
        *at = end - 5;
        return 0xa9; /* call: test $DISTANCE, %eax */
    }
    if (end[-5] == 0x15 && end[-6] == 0xff && is_hook(*(const uintptr_t *)relative(returns))) {
        *at = end - 6;
        return 0x3b; /* call *SLOT: cmp SLOT, %edx */
    }
    return 0;
}

/* The same the other way round. */
static uint8_t original(uintptr_t returns, uint8_t **at)
{
    uint8_t *end = (uint8_t *)returns;

    if (end[-5] == 0xa9 && (is_hook(relative(returns)) || leads_to_hook(relative(returns)))) {
        *at = end - 5;
        return 0xe8;
    }
    if (end[-5] == 0x15 && end[-6] == 0x3b && is_hook(*(const uintptr_t *)relative(returns))) {
        *at = end - 6;
        return 0xff;
    }
    return 0;
}

/* One store: whoever comes by sees the old byte or the new one. */
static bool put_alone(uint8_t *at, uint8_t byte)
{
    uintptr_t page;

    page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);
    if (!fw_patch_protect(page, page + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    *(volatile uint8_t *)at = byte;
    fw_patch_protect(page, page + PAGE, PROT_READ | PROT_EXEC);
    return true;
}

static bool put(uint8_t *at, uint8_t byte)
{
    bool done;

    if (!byte || atomic_exchange(&busy, true))
        return false;
    done = put_alone(at, byte);
    atomic_store(&busy, false);
    return done;
}

void fw_patch_forked(void)
{
    atomic_store(&busy, false);
}

bool fw_patch_call(uintptr_t returns)
{
    uint8_t *at = NULL, byte = substitute(returns, &at);

    return put(at, byte);
}

bool fw_patch_call_back(uintptr_t returns)
{
    uint8_t *at = NULL, byte = original(returns, &at);

    return put(at, byte);
}
