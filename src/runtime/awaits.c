/*
 * awaits.c - what a thread in the kernel waits for: can only this process let it go on?
 *
 * /proc/self/task/TID/syscall tells the call and its arguments.  Waiting for a futex in memory of
 * this process alone, and for bytes or room in a pipe, a connection or a counter that has both its
 * ends here, is waiting for one of our own threads.  In every doubt others may come as well.
 */
#include "runtime/channel.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"
#include "runtime/thread.h"

#include <fcntl.h>
#include <poll.h>

#define AT_ONCE (FW_SECOND / 50) /* that it takes to be back */
#define BY_NET  (FW_SECOND / 10) /* if bytes may wait for the receipt of earlier ones */
#define MOST    64u              /* descriptors that are looked at */

/* The n-th word of the text, from 0, as a number. */
static uint64_t number_at(const char *text, unsigned n)
{
    uint64_t number = 0;
    unsigned base = n ? 16 : 10;

    while (n && *text)
        n -= *text++ == ' ';
    if (base == 16 && text[0] == '0' && text[1] == 'x')
        text += 2;
    for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
        number = number * base + (unsigned)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return number;
}

/* Is the memory of this process alone?  In doubt it is not. */
static bool is_ours(uint64_t address)
{
    uint64_t page = UINT64_MAX;
    long fd = fw_call(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0, 0), got;

    if (fd < 0)
        return false;
    got = fw_call(SYS_pread64, fd, &page, sizeof page, address / 4096 * sizeof page);
    fw_call(SYS_close, fd, 0, 0, 0);
    return got == sizeof page && !(page >> 61 & 1); /* of a file, or shared */
}

static uint64_t by_futex(const char *call)
{
    uint64_t operation = number_at(call, 2) & FUTEX_CMD_MASK;

    return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) &&
                   number_at(call, 4) == 0 && is_ours(number_at(call, 1))
               ? AT_ONCE
               : UINT64_MAX;
}

static uint64_t by_descriptor(int fd)
{
    switch (fw_channel_within(fd)) {
    case FW_WITHIN_AT_ONCE:
        return AT_ONCE;
    case FW_WITHIN_NET:
        return BY_NET;
    default:
        return UINT64_MAX;
    }
}

/* All of them have to be ours. */
static uint64_t by_descriptors(const struct pollfd *at, uint64_t count)
{
    uint64_t most = 0;

    if (!count || count > MOST || !fw_readable(at, count * sizeof *at))
        return UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t takes = at[i].fd < 0 ? 0 : by_descriptor(at[i].fd);

        most = takes > most ? takes : most;
    }
    return most ? most : UINT64_MAX;
}

uint64_t fw_awaits_us(const struct fw_thread *t)
{
    char call[160];

    if (!fw_watchdog_call(t, call, sizeof call))
        return UINT64_MAX;
    switch (number_at(call, 0)) {
    case SYS_futex:
        return by_futex(call);
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_accept:
    case SYS_accept4:
        return by_descriptor((int)number_at(call, 1));
    case SYS_poll:
        return (int)number_at(call, 3) < 0
                   ? by_descriptors((const struct pollfd *)(uintptr_t)number_at(call, 1),
                                    number_at(call, 2))
                   : UINT64_MAX;
    default:
        return UINT64_MAX;
    }
}
