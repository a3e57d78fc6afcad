/*
 * reach.c - see reach.h.
 */
#include "atomrace/reach.h"

#include "runtime/futex.h"
#include "runtime/intercept.h"

#include <errno.h>

#define PAGE   4096u
#define RANGES 256u

static struct fw_lock appending;
static struct {
    uintptr_t begin, end;
} withheld[RANGES];
static _Atomic unsigned count; /* RANGES + 1: there were more */

void fw_reach_withheld(const void *memory, size_t bytes)
{
    unsigned next;

    fw_lock(&appending);
    next = atomic_load_explicit(&count, memory_order_relaxed); /* under the lock */
    if (next < RANGES) {
        withheld[next].begin = (uintptr_t)memory;
        withheld[next].end = (uintptr_t)memory + bytes;
    }
    if (next <= RANGES)
        /* release: pairs with the acquire of is_withheld */
        atomic_store_explicit(&count, next + 1, memory_order_release);
    fw_unlock(&appending);
}

static bool is_withheld(uintptr_t begin, uintptr_t end)
{
    /* acquire: pairs with the release of fw_reach_withheld */
    unsigned known = atomic_load_explicit(&count, memory_order_acquire);

    if (known > RANGES)
        return true;
    for (unsigned i = 0; i < known; i++)
        if (begin < withheld[i].end && withheld[i].begin < end)
            return true;
    return false;
}

/*
 * Has the kernel add 0 to a word, in one step, as the second word of FUTEX_WAKE_OP.  Nobody waits
 * at the first one.  Who waits at the second is woken if it is -2048, which waiters stand.
 */
static bool is_writable(uintptr_t page)
{
    uint32_t word = 0;

    return fw_syscall(SYS_futex, (long)&word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 1, 1, (long)page,
                      FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, -2048)) != -EFAULT;
}

bool fw_within_reach(const struct fw_overlap_access *access)
{
    uintptr_t at = access->address & ~(uintptr_t)3, end = access->address + access->bytes;

    if (is_withheld(access->address, end))
        return false;
    if (!access->write)
        return fw_readable((const void *)access->address, access->bytes);
    for (; at < end; at = (at | (PAGE - 1)) + 1)
        if (!is_writable(at))
            return false;
    return true;
}
