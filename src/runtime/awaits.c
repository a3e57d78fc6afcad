/*
 * awaits.c - what a thread in the kernel waits for: can only this process let it go on?
 *
 * /proc/self/task/TID/syscall tells the call and its arguments.  Waiting for a futex in memory of
 * this process alone, and for bytes or room in a pipe, a connection or a counter that has both its
 * ends here, is waiting for one of our own threads; so is waiting for a signal, if neither a timer
 * nor a child may send one (other processes seldom do).  A limit that no step has the patience for
 * is as good as none.  In every other doubt others may come as well.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"
#include "runtime/thread.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

#define AT_ONCE (FW_SECOND / 50) /* that it takes to be back */
#define BY_NET  (FW_SECOND / 10) /* if bytes may wait for the receipt of earlier ones */
#define MOST    64u              /* descriptors that are looked at */
#define FAR     5                /* seconds that nobody waits */

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

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* All of them have to be ours. */
static uint64_t by_polled(const struct pollfd *at, uint64_t count)
{
    uint64_t most = 0;

    if (count > MOST || (count && !fw_readable(at, count * sizeof *at)))
        return UINT64_MAX;
    for (uint64_t i = 0; i < count; i++)
        most = later(most, at[i].fd < 0 ? 0 : by_descriptor(at[i].fd));
    return most;
}

/* One of three sets, or none. */
static uint64_t by_set(uint64_t address, uint64_t count)
{
    const fd_set *set = (const fd_set *)(uintptr_t)address;
    uint64_t most = 0;

    if (!set)
        return 0;
    if (count > FD_SETSIZE || !fw_readable(set, sizeof *set))
        return UINT64_MAX;
    for (int fd = 0; fd < (int)count; fd++)
        most = later(most, FD_ISSET(fd, set) ? by_descriptor(fd) : 0);
    return most;
}

static uint64_t by_selected(const char *call)
{
    uint64_t count = number_at(call, 1), most = by_set(number_at(call, 2), count);

    most = later(most, by_set(number_at(call, 3), count));
    return later(most, by_set(number_at(call, 4), count));
}

static int decimal_at(const char *text)
{
    int number = 0;

    while (*text == ' ')
        text++;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (*text - '0');
    return number;
}

/* What an epoll descriptor watches is in /proc/self/fdinfo, in lines that begin with "tfd:". */
static uint64_t by_watched(int epoll)
{
    char path[32] = "/proc/self/fdinfo/", text[4096], *end = path + strlen(path);
    uint64_t most = 0;
    long fd, got;

    end += fw_put_number(end, (unsigned)epoll);
    *end = '\0';
    fd = fw_call(SYS_open, path, O_RDONLY | O_CLOEXEC, 0, 0);
    if (fd < 0)
        return UINT64_MAX;
    got = fw_call(SYS_read, fd, text, sizeof text - 1, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    if (got <= 0 || got >= (long)sizeof text - 1)
        return UINT64_MAX; /* there are more */
    text[got] = '\0';
    for (const char *at = text; (at = strstr(at, "tfd:")); at += 4)
        most = later(most, by_descriptor(decimal_at(at + 4)));
    return most;
}

static uint64_t by_signal(void)
{
    return fw_channel_has_children() || fw_control_signal_may_come() ? UINT64_MAX : AT_ONCE;
}

/* A limit in milliseconds; a struct timespec or timeval. */
static bool is_far(uint64_t milliseconds)
{
    return (int)milliseconds < 0 || (int)milliseconds >= FAR * 1000;
}

static bool is_far_at(uint64_t address)
{
    const struct timespec *limit = (const struct timespec *)(uintptr_t)address;

    return !limit || (fw_readable(limit, sizeof *limit) && limit->tv_sec >= FAR);
}

/* Descriptors, and signals if a mask is given for the wait; 0: there is neither. */
static uint64_t by_either(uint64_t descriptors, uint64_t mask)
{
    uint64_t most = mask ? later(descriptors, by_signal()) : descriptors;

    return most ? most : UINT64_MAX;
}

/* Calls that wait for several things. */
static uint64_t by_several(const char *call)
{
    const struct pollfd *polled = (const struct pollfd *)(uintptr_t)number_at(call, 1);

    switch (number_at(call, 0)) {
    case SYS_poll:
        return is_far(number_at(call, 3)) ? by_either(by_polled(polled, number_at(call, 2)), 0)
                                          : UINT64_MAX;
    case SYS_ppoll:
        return is_far_at(number_at(call, 3))
                   ? by_either(by_polled(polled, number_at(call, 2)), number_at(call, 4))
                   : UINT64_MAX;
    case SYS_select:
        return is_far_at(number_at(call, 5)) ? by_either(by_selected(call), 0) : UINT64_MAX;
    case SYS_pselect6:
        return is_far_at(number_at(call, 5)) ? by_either(by_selected(call), number_at(call, 6))
                                             : UINT64_MAX;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        return is_far(number_at(call, 4)) ? by_either(by_watched((int)number_at(call, 1)), 0)
                                          : UINT64_MAX;
    default:
        return UINT64_MAX;
    }
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
    case SYS_pause:
    case SYS_rt_sigsuspend:
        return by_signal();
    case SYS_rt_sigtimedwait:
        return is_far_at(number_at(call, 3)) ? by_signal() : UINT64_MAX;
    default:
        return by_several(call);
    }
}
