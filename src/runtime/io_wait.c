/*
 * io_wait.c - calls that wait: for descriptors, for time, for children, for connections.
 *
 * A call that might be over at once is first made with no time to wait; only if that finds nothing
 * the token is given away.  So a program whose descriptors are always ready runs the same way
 * again.  Whoever is told that a descriptor is ready comes after who made it so.
 */
#include "runtime/channel.h"
#include "runtime/counter.h"
#include "runtime/intercept.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    return timeout && timeout->tv_sec == 0 && timeout->tv_nsec == 0;
}

/* --- descriptors ---------------------------------------------------------------------------- */

/* What poll says of a descriptor, or has asked in vain. */
static void tell_ready(struct fw_thread *t, int fd, short events, uintptr_t pc)
{
    if (events & ~(POLLOUT | POLLWRNORM | POLLNVAL))
        fw_channel_after(t, fw_channel_in(fd), pc);
    if (events & (POLLOUT | POLLWRNORM))
        fw_channel_has_room(t, fd, pc);
}

static void tell_waits(const struct pollfd *fds, nfds_t count)
{
    for (nfds_t i = 0; i < count; i++)
        if (fds[i].events & POLLOUT)
            fw_channel_wants_room(fds[i].fd);
}

static int polled(struct fw_thread *t, struct pollfd *fds, nfds_t count, int ready, uintptr_t pc)
{
    fw_reads(t, fds, count * sizeof *fds, pc);
    if (ready >= 0)
        fw_writes(t, fds, count * sizeof *fds, pc);
    for (nfds_t i = 0; t && ready > 0 && i < count; i++)
        if (fds[i].revents)
            tell_ready(t, fds[i].fd, fds[i].revents, pc);
    fw_done(t);
    return ready;
}

FW_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct fw_thread *t = fw_enter();
    int ready;

    if (!t)
        return REAL(poll)(fds, count, timeout);
    FW_PLAINLY(t, ready = REAL(poll)(fds, count, 0));
    if (t && ready == 0 && timeout != 0) {
        tell_waits(fds, count);
        FW_AWAY(t, ready = REAL(poll)(fds, count, timeout));
    }
    return polled(t, fds, count, ready, FW_PC);
}

FW_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
    struct fw_thread *t = fw_enter();
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
    struct fw_thread *t = fw_enter();
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
    struct fw_thread *t = fw_enter();
    int ready;

    if (!t)
        return REAL(__ppoll_chk)(fds, count, timeout, mask, room);
    FW_PASS(t, !is_zero(timeout) && poll_waits(fds, count),
            ready = REAL(__ppoll_chk)(fds, count, timeout, mask, room));
    return polled(t, fds, count, ready, FW_PC);
}

static void tell_sets(struct fw_thread *t, int count, fd_set *const sets[3], uintptr_t pc)
{
    size_t bytes = ((size_t)count + 63) / 64 * 8;

    for (int i = 0; i < 3; i++) {
        if (!sets[i])
            continue;
        fw_reads(t, sets[i], bytes, pc);
        fw_writes(t, sets[i], bytes, pc);
        for (int fd = 0; t && fd < count; fd++)
            if (FD_ISSET(fd, sets[i]))
                tell_ready(t, fd, i == 1 ? POLLOUT : POLLIN, pc);
    }
}

/* Would it wait?  The program's sets stay as they are. */
static bool select_waits(int count, fd_set *const sets[3])
{
    struct timespec none = { 0, 0 };
    fd_set copies[3];

    if (count < 0 || count > FD_SETSIZE)
        return true;
    for (int i = 0; i < 3; i++)
        if (sets[i])
            fw_copy(&copies[i], sets[i], ((size_t)count + 63) / 64 * 8);
    for (int fd = 0; sets[1] && fd < count; fd++)
        if (FD_ISSET(fd, sets[1]))
            fw_channel_wants_room(fd);
    return fw_syscall(SYS_pselect6, count, sets[0] ? (long)&copies[0] : 0,
                      sets[1] ? (long)&copies[1] : 0, sets[2] ? (long)&copies[2] : 0,
                      (long)&none, 0) == 0;
}

FW_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *timeout)
{
    struct fw_thread *t = fw_enter();
    fd_set *const sets[3] = { in, out, odd };
    bool waits = !timeout || timeout->tv_sec || timeout->tv_usec;
    int ready;

    if (!t)
        return REAL(select)(count, in, out, odd, timeout);
    FW_PASS(t, waits && select_waits(count, sets),
            ready = REAL(select)(count, in, out, odd, timeout));
    if (ready >= 0 && count > 0)
        tell_sets(t, count, sets, FW_PC);
    fw_done(t);
    return ready;
}

FW_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *odd,
                      const struct timespec *timeout, const sigset_t *mask)
{
    struct fw_thread *t = fw_enter();
    fd_set *const sets[3] = { in, out, odd };
    int ready;

    if (!t)
        return REAL(pselect)(count, in, out, odd, timeout, mask);
    FW_PASS(t, !is_zero(timeout) && select_waits(count, sets),
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
    if (ready > 0)
        fw_writes(t, events, (size_t)ready * sizeof *events, pc);
    fw_done(t);
    return ready;
}

FW_EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    struct fw_thread *t = fw_enter();
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
    struct fw_thread *t = fw_enter();
    int ready;

    if (!t)
        return REAL(epoll_pwait)(fd, events, most, timeout, mask);
    FW_PASS(t, timeout != 0, ready = REAL(epoll_pwait)(fd, events, most, timeout, mask));
    return epolled(t, fd, events, ready, FW_PC);
}

FW_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
                           const struct timespec *timeout, const sigset_t *mask)
{
    struct fw_thread *t = fw_enter();
    int ready;

    if (!t)
        return REAL(epoll_pwait2)(fd, events, most, timeout, mask);
    FW_PASS(t, !is_zero(timeout), ready = REAL(epoll_pwait2)(fd, events, most, timeout, mask));
    return epolled(t, fd, events, ready, FW_PC);
}
