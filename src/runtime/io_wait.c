/*
 * io_wait.c - calls that wait: for descriptors, for time, for children, for connections.
 *
 * A call that might be over at once is first made with no time to wait; only if that finds nothing
 * the token is given away.  So a program whose descriptors are always ready runs the same way
 * again.  Whoever is told that a descriptor is ready comes after who made it so.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/counter.h"
#include "runtime/effect.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE        ((uintptr_t)4096)
#define MILLISECOND (FW_SECOND / 1000)

int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t room);

/* --- will it wait? -------------------------------------------------------------------------- */

bool fw_fd_waits(int fd, short events)
{
    struct pollfd one = { .fd = fd, .events = events };
    long flags;

    if (fw_syscall(SYS_poll, (long)&one, 1, 0, 0, 0, 0) != 0)
        return false; /* ready, or an error that the call itself will tell */
    flags = fw_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

/* A pipe or socket is "ready" when a page fits. */
bool fw_fd_waits_write(int fd, size_t bytes)
{
    struct stat about;
    long flags;

    if (fw_fd_waits(fd, POLLOUT))
        return true;
    if (bytes <= 4096 || fw_syscall(SYS_fstat, fd, (long)&about, 0, 0, 0, 0) < 0 ||
        !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)))
        return false;
    flags = fw_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_NONBLOCK);
}

static bool is_zero(const struct timespec *timeout)
{
    return timeout && fw_readable(timeout, sizeof *timeout) && timeout->tv_sec == 0 &&
           timeout->tv_nsec == 0;
}

/* --- what can be read? ---------------------------------------------------------------------- */

/* The kernel copies a set of signals before it looks what to do with it, which makes no sense. */
static bool word_is_readable(uintptr_t word)
{
    return word && fw_syscall(SYS_rt_sigprocmask, -1, (long)word, 0, 8, 0, 0) != -EFAULT;
}

bool fw_readable(const void *address, size_t bytes)
{
    uintptr_t at = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;

    if (!bytes)
        return true;
    if (end < bytes || bytes > SSIZE_MAX)
        return false;
    for (; at < end; at = (at | (PAGE - 1)) + 1)
        if (!word_is_readable(at))
            return false;
    return true;
}

const char *fw_readable_text(const char *text)
{
    for (const char *at = text; fw_readable(at, 1); at++) {
        while (*at && ((uintptr_t)at & (PAGE - 1)) != PAGE - 1)
            at++;
        if (!*at)
            return text;
    }
    return NULL;
}

/* --- descriptors ---------------------------------------------------------------------------- */

/* What poll says of a descriptor. */
static void tell_ready(struct fw_thread *t, int fd, short events, uintptr_t pc)
{
    if (events & ~(POLLOUT | POLLWRNORM | POLLNVAL))
        fw_channel_after(t, fw_channel_in(fd), pc);
    if (events & (POLLOUT | POLLWRNORM))
        fw_channel_has_room(t, fd, pc);
}

/* What it has been asked for in vain: to find out later is to learn something. */
static void tell_waits(const struct pollfd *fds, nfds_t count)
{
    for (nfds_t i = 0; i < count; i++)
        if (fds[i].events & (POLLOUT | POLLWRNORM) && !(fds[i].revents & (POLLOUT | POLLWRNORM)))
            fw_channel_wants_room(fds[i].fd);
}

static int polled(struct fw_thread *t, struct pollfd *fds, nfds_t count, int ready, uintptr_t pc)
{
    if (ready >= 0)
        fw_reads(t, fds, count * sizeof *fds, pc);
    for (nfds_t i = 0; t && ready > 0 && i < count; i++)
        if (fds[i].revents)
            tell_ready(t, fds[i].fd, fds[i].revents, pc);
    if (t && ready >= 0)
        tell_waits(fds, count);
    for (nfds_t i = 0; t && ready >= 0 && i < count; i++)
        fw_writes(t, &fds[i].revents, sizeof fds[i].revents, pc);
    fw_done(t);
    return ready;
}

static int interrupted(void)
{
    errno = EINTR;
    return -1;
}

static uint64_t in_nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * FW_SECOND + (uint64_t)time->tv_usec * 1000;
}

/* Waits with a limit that has not to be the kernel's: it is for the strategy to say that it has
 * passed, and nobody out of sight can end them (control_expire.c). */
struct polling {
    struct pollfd *fds;
    nfds_t count;
};

static bool polls_within(const struct polling *polling, int timeout)
{
    if (timeout < 0 || !fw_control_times((uint64_t)timeout * MILLISECOND))
        return false;
    for (nfds_t i = 0; i < polling->count; i++)
        if (polling->fds[i].fd >= 0 && !fw_channel_is_inner(polling->fds[i].fd))
            return false;
    return true;
}

static bool is_polled(const void *context)
{
    const struct polling *polling = context;

    return fw_syscall(SYS_poll, (long)polling->fds, (long)polling->count, 0, 0, 0, 0) != 0;
}

FW_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    struct polling polling = { fds, count };
    int ready;

    if (!t)
        return REAL(poll)(fds, count, timeout);
    FW_PLAINLY(t, ready = REAL(poll)(fds, count, 0));
    if (t && ready == 0 && timeout != 0) {
        tell_waits(fds, count);
        if (!polls_within(&polling, timeout))
            FW_AWAY(t, ready = REAL(poll)(fds, count, timeout));
        else if (fw_control_stay(t, (uint64_t)timeout * MILLISECOND, is_polled, &polling))
            FW_PLAINLY(t, ready = REAL(poll)(fds, count, 0));
        else
            ready = interrupted();
    }
    return polled(t, fds, count, ready, FW_PC);
}

FW_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    int ready;

    if (!t)
        return REAL(__poll_chk)(fds, count, timeout, room);
    FW_PLAINLY(t, ready = REAL(__poll_chk)(fds, count, 0, room));
    if (t && ready == 0 && timeout != 0) {
        tell_waits(fds, count);
        FW_AWAY(t, ready = REAL(__poll_chk)(fds, count, timeout, room));
    }
    return polled(t, fds, count, ready, FW_PC);
}

/* A mask may let a signal in that must end the wait, so these are made once; but it is asked first
 * whether they would wait. */
static bool poll_waits(struct pollfd *fds, nfds_t count)
{
    if (fw_syscall(SYS_poll, (long)fds, (long)count, 0, 0, 0, 0) != 0)
        return false;
    tell_waits(fds, count);
    return true;
}

FW_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                    const sigset_t *mask)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    int ready;

    if (!t)
        return REAL(ppoll)(fds, count, timeout, mask);
    FW_PASS(t, !is_zero(timeout) && poll_waits(fds, count),
            ready = REAL(ppoll)(fds, count, timeout, mask));
    return polled(t, fds, count, ready, FW_PC);
}

FW_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                          const sigset_t *mask, size_t room)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    int ready;

    if (!t)
        return REAL(__ppoll_chk)(fds, count, timeout, mask, room);
    FW_PASS(t, !is_zero(timeout) && poll_waits(fds, count),
            ready = REAL(__ppoll_chk)(fds, count, timeout, mask, room));
    return polled(t, fds, count, ready, FW_PC);
}

int fw_fd_table_size(void)
{
    static const char label[] = "\nFDSize:\t";
    char text[512], *at;
    long fd = fw_syscall(SYS_open, (long)"/proc/self/status", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    long length = fd < 0 ? 0 : fw_syscall(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    int size = 0;

    if (fd >= 0)
        fw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    text[length > 0 ? length : 0] = 0;
    at = REAL(strstr)(text, label);
    for (at = at ? at + sizeof label - 1 : text; *at >= '0' && *at <= '9'; at++)
        size = size < INT_MAX / 10 ? size * 10 + (*at - '0') : size;
    return size;
}

/* Of larger sets than there are by rights the kernel looks at no more than it has a table for. */
static int looked_at(int count)
{
    int size;

    if (count <= FD_SETSIZE)
        return count;
    size = fw_fd_table_size();
    if (!size)
        fw_unmodelled("select of more descriptors than a set has");
    return size && size < count ? size : size ? count : FD_SETSIZE;
}

static bool is_in(int fd, const fd_set *set)
{
    return ((const unsigned char *)set)[fd / 8] >> fd % 8 & 1;
}

static void tell_sets(struct fw_thread *t, int most, fd_set *const sets[3], uintptr_t pc)
{
    int count = t ? looked_at(most) : 0;
    size_t bytes = ((size_t)count + 63) / 64 * 8;

    for (int i = 0; i < 3; i++)
        for (int fd = 0; sets[i] && fd < count; fd++)
            if (is_in(fd, sets[i]))
                tell_ready(t, fd, i == 1 ? POLLOUT : POLLIN, pc);
    for (int i = 0; i < 3; i++) {
        if (!sets[i])
            continue;
        fw_reads(t, sets[i], bytes, pc);
        fw_writes(t, sets[i], bytes, pc);
    }
}

/* Would it wait?  The program's sets stay as they are.  What was asked for in vain is noted. */
static bool select_waits(int most, fd_set *const sets[3])
{
    struct timespec none = { 0, 0 };
    int count = looked_at(most);
    size_t bytes = ((size_t)count + 63) / 64 * 8;
    fd_set copies[3];
    long ready = 0;

    if (count < 0)
        return false; /* EINVAL */
    for (int i = 0; i < 3; i++) {
        if (sets[i] && !fw_readable(sets[i], bytes))
            return false; /* EFAULT */
        if (sets[i] && count <= FD_SETSIZE)
            fw_copy(&copies[i], sets[i], bytes);
    }
    if (count <= FD_SETSIZE)
        ready = fw_syscall(SYS_pselect6, count, sets[0] ? (long)&copies[0] : 0,
                           sets[1] ? (long)&copies[1] : 0, sets[2] ? (long)&copies[2] : 0,
                           (long)&none, 0);
    for (int fd = 0; sets[1] && fd < count && ready >= 0; fd++)
        if (is_in(fd, sets[1]) && (count > FD_SETSIZE || !is_in(fd, &copies[1])))
            fw_channel_wants_room(fd);
    return ready == 0;
}

struct selecting {
    fd_set *const *sets;
    int count;
};

static bool is_selected(const void *context)
{
    const struct selecting *selecting = context;

    return !select_waits(selecting->count, selecting->sets);
}

static bool selects_within(const struct selecting *selecting, const struct timeval *timeout)
{
    if (!timeout || timeout->tv_sec < 0 || timeout->tv_sec > INT_MAX || timeout->tv_usec < 0 ||
        !fw_control_times(in_nanoseconds(timeout)))
        return false;
    for (int i = 0; i < 3; i++)
        for (int fd = 0; selecting->sets[i] && fd < selecting->count; fd++)
            if (is_in(fd, selecting->sets[i]) && !fw_channel_is_inner(fd))
                return false;
    return true;
}

/* As the kernel does, it tells that no time is left; -1: a signal came. */
static int select_within(struct fw_thread *t, const struct selecting *selecting,
                         struct timeval *timeout)
{
    if (!fw_control_stay(t, in_nanoseconds(timeout), is_selected, selecting))
        return interrupted();
    *timeout = (struct timeval){ 0, 0 };
    return 0;
}

FW_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *timeout)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    fd_set *const sets[3] = { in, out, odd };
    struct selecting selecting = { sets, count };
    bool waits = !timeout || timeout->tv_sec || timeout->tv_usec;
    int ready = 0;

    if (!t)
        return REAL(select)(count, in, out, odd, timeout);
    waits = (waits || out) && select_waits(count, sets) && waits;
    if (waits && selects_within(&selecting, timeout)) {
        ready = select_within(t, &selecting, timeout);
        waits = false;
    }
    if (ready == 0)
        FW_PASS(t, waits, ready = REAL(select)(count, in, out, odd, timeout));
    if (ready >= 0 && count > 0)
        tell_sets(t, count, sets, FW_PC);
    fw_done(t);
    return ready;
}

FW_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *odd,
                      const struct timespec *timeout, const sigset_t *mask)
{
    struct fw_thread *t = fw_enter_effect(FW_LOOK_AT_FILES);
    fd_set *const sets[3] = { in, out, odd };
    bool waits;
    int ready;

    if (!t)
        return REAL(pselect)(count, in, out, odd, timeout, mask);
    waits = !is_zero(timeout);
    FW_PASS(t, (waits || out) && select_waits(count, sets) && waits,
            ready = REAL(pselect)(count, in, out, odd, timeout, mask));
    if (ready >= 0 && count > 0)
        tell_sets(t, count, sets, FW_PC);
    fw_done(t);
    return ready;
}

static int epolled(struct fw_thread *t, int fd, const struct epoll_event *events, int ready,
                   uintptr_t pc)
{
    fw_epoll_tell(t, fd, events, ready, pc);
    if (ready <= 0)
        fw_effect_failed(t);
    if (ready > 0)
        fw_writes(t, events, (size_t)ready * sizeof *events, pc);
    fw_done(t);
    return ready;
}

FW_EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int ready;

    if (!t)
        return REAL(epoll_wait)(fd, events, most, timeout);
    FW_PLAINLY(t, ready = REAL(epoll_wait)(fd, events, most, 0));
    if (t && ready == 0 && timeout != 0)
        FW_AWAY(t, ready = REAL(epoll_wait)(fd, events, most, timeout));
    return epolled(t, fd, events, ready, FW_PC);
}

FW_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                          const sigset_t *mask)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int ready;

    if (!t)
        return REAL(epoll_pwait)(fd, events, most, timeout, mask);
    FW_PASS(t, timeout != 0, ready = REAL(epoll_pwait)(fd, events, most, timeout, mask));
    return epolled(t, fd, events, ready, FW_PC);
}

FW_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
                           const struct timespec *timeout, const sigset_t *mask)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int ready;

    if (!t)
        return REAL(epoll_pwait2)(fd, events, most, timeout, mask);
    FW_PASS(t, !is_zero(timeout), ready = REAL(epoll_pwait2)(fd, events, most, timeout, mask));
    return epolled(t, fd, events, ready, FW_PC);
}
