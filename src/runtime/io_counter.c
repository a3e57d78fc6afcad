/*
 * io_counter.c - descriptors of files without a name: event counters, timers, signals, sets of
 * descriptors (epoll), terminals.
 *
 * What epoll_wait says of a descriptor comes after what was written to it, and after the call that
 * had it watched: the word that the program gave along (a pointer, often) comes back to whoever
 * waits.  Events name that word only, so what was watched with which word is kept.
 */
#include "runtime/channel.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/counter.h"

#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

int pidfd_open(pid_t process, unsigned flags); /* not in every libc */

/* A channel of its own (0), or one of those that there is one of. */
static int made(struct fw_thread *t, int fd, unsigned channel)
{
    if (t && fd >= 0)
        fw_channel_nameless(fd, channel);
    fw_done(t);
    return fd;
}

/* --- event counters --------------------------------------------------------------------------- */

FW_EXPORT int eventfd(unsigned count, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int fd = REAL(eventfd)(count, flags);

    if (t && fd >= 0) {
        fw_channel_nameless(fd, 0);
        fw_channel_counter(fd);
    }
    fw_done(t);
    return fd;
}

FW_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    bool waits;
    int result;

    if (!t)
        return REAL(eventfd_read)(fd, value);
    waits = fw_fd_waits(fd, POLLIN);
    channel = fw_channel_in(fd);
    fw_channel_reading(t, channel, waits, FW_PC);
    FW_PASS(t, waits, result = REAL(eventfd_read)(fd, value));
    fw_channel_read(t, channel, result, FW_PC);
    if (result == 0)
        fw_writes(t, value, sizeof *value, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    unsigned channel;
    bool waits;
    int result;

    if (!t)
        return REAL(eventfd_write)(fd, value);
    waits = fw_fd_waits(fd, POLLOUT);
    channel = fw_channel_in(fd);
    fw_channel_writing(t, channel, waits, FW_PC);
    FW_PASS(t, waits, result = REAL(eventfd_write)(fd, value));
    fw_channel_wrote(t, channel, result, 0, FW_PC);
    fw_done(t);
    return result;
}

/* --- timers, signals, changes of files -------------------------------------------------------- */

FW_EXPORT int timerfd_create(int clock, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return made(t, REAL(timerfd_create)((clockid_t)clock, flags), 0);
}

/* Who sees it run out comes after who set it. */
FW_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *wanted,
                              struct itimerspec *old)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    int result;

    if (t) {
        fw_reads(t, wanted, sizeof *wanted, FW_PC);
        fw_channel_before(t, fw_channel_in(fd), FW_PC);
    }
    result = REAL(timerfd_settime)(fd, flags, wanted, old);
    if (result == 0 && old)
        fw_writes(t, old, sizeof *old, FW_PC);
    fw_done(t);
    return result;
}

/* It is ready when the process has ended. */
FW_EXPORT int pidfd_open(pid_t process, unsigned flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return made(t, REAL(pidfd_open)(process, flags), FW_CHANNEL_CHILDREN);
}

FW_EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return made(t, REAL(signalfd)(fd, mask, flags), FW_CHANNEL_SIGNALS);
}

FW_EXPORT int inotify_init(void)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    if (t)
        fw_unmodelled("inotify");
    return made(t, REAL(inotify_init)(), 0);
}

FW_EXPORT int inotify_init1(int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    if (t)
        fw_unmodelled("inotify");
    return made(t, REAL(inotify_init1)(flags), 0);
}

FW_EXPORT int fanotify_init(unsigned flags, unsigned event_flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    if (t)
        fw_unmodelled("fanotify");
    return made(t, REAL(fanotify_init)(flags, event_flags), 0);
}

/* --- terminals -------------------------------------------------------------------------------- */

static void has_terminals(void)
{
    struct fw_thread *t = fw_enter();

    if (t)
        fw_channel_terminals();
    fw_done(t);
}

FW_EXPORT int posix_openpt(int flags)
{
    has_terminals();
    return REAL(posix_openpt)(flags);
}

FW_EXPORT int getpt(void)
{
    has_terminals();
    return REAL(getpt)();
}

/* (The child is made by libc, which calls the handlers of fork.) */
FW_EXPORT int forkpty(int *master, char *name, const struct termios *settings,
                      const struct winsize *size)
{
    int result;
    struct fw_thread *t;

    has_terminals();
    result = REAL(forkpty)(master, name, settings, size);
    t = result > 0 ? fw_enter() : NULL;
    fw_writes(t, master, sizeof *master, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int openpty(int *master, int *slave, char *name, const struct termios *settings,
                      const struct winsize *size)
{
    int result = REAL(openpty)(master, slave, name, settings, size);
    struct fw_thread *t = result == 0 ? fw_enter() : NULL;

    if (t) {
        fw_channel_terminals();
        fw_writes(t, master, sizeof *master, FW_PC);
        fw_writes(t, slave, sizeof *slave, FW_PC);
    }
    fw_done(t);
    return result;
}

/* --- sets of descriptors ---------------------------------------------------------------------- */

#define WATCHED 8192u /* a power of two */

static struct watched {
    uint64_t set, word;
    int fd; /* and one more; 0: free */
    unsigned channel;
} watched[WATCHED];
static unsigned watched_count;

static int made_set(struct fw_thread *t, int fd)
{
    if (t && fd >= 0) {
        fw_channel_nameless(fd, 0);
        fw_channel_set(fd);
    }
    fw_done(t);
    return fd;
}

FW_EXPORT int epoll_create(int size)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return made_set(t, REAL(epoll_create)(size));
}

FW_EXPORT int epoll_create1(int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return made_set(t, REAL(epoll_create1)(flags));
}

static unsigned place_of(uint64_t set, uint64_t word)
{
    uint64_t hash = (word ^ set << 48) * 0x9e3779b97f4a7c15u;

    return (unsigned)(hash >> 40) & (WATCHED - 1);
}

/* A descriptor that is watched again was closed meanwhile, or has another word. */
static void keep(uint64_t set, uint64_t word, int fd)
{
    unsigned at = place_of(set, word);

    for (; watched[at].fd; at = (at + 1) & (WATCHED - 1))
        if (watched[at].set == set && watched[at].word == word && watched[at].fd == fd + 1)
            break;
    if (!watched[at].fd) {
        if (watched_count >= WATCHED / 4 * 3) {
            fw_unmodelled("thousands of descriptors watched by epoll");
            return;
        }
        watched_count++;
    }
    watched[at] = (struct watched){ set, word, fd + 1, fw_channel_in(fd) };
}

FW_EXPORT int epoll_ctl(int set_fd, int operation, int fd, struct epoll_event *event)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    if (t && operation != EPOLL_CTL_DEL && fw_readable(event, sizeof *event)) {
        uint64_t set = fw_channel_in(set_fd);

        fw_reads(t, event, sizeof *event, FW_PC);
        keep(set, event->data.u64, fd);
        if (event->events & EPOLLOUT)
            fw_channel_wants_room(fd);
        fw_channel_before(t, fw_channel_of(FW_KEY_WATCH, set, event->data.u64), FW_PC);
    }
    fw_done(t);
    return REAL(epoll_ctl)(set_fd, operation, fd, event);
}

static void tell_ready(struct fw_thread *t, const struct watched *one, uint32_t events,
                       uintptr_t pc)
{
    if (events & ~(uint32_t)EPOLLOUT) {
        fw_channel_after(t, one->channel, pc);
        fw_channel_after(t, fw_channel_in(one->fd - 1), pc);
    }
    if (events & EPOLLOUT)
        fw_channel_has_room(t, one->fd - 1, pc);
}

static void tell_event(struct fw_thread *t, uint64_t set, const struct epoll_event *event,
                       uintptr_t pc)
{
    uint64_t word = event->data.u64;

    fw_channel_after(t, fw_channel_of(FW_KEY_WATCH, set, word), pc);
    for (unsigned at = place_of(set, word); watched[at].fd; at = (at + 1) & (WATCHED - 1)) {
        if (watched[at].set != set || watched[at].word != word)
            continue;
        tell_ready(t, &watched[at], event->events, pc);
    }
}

void fw_epoll_ready(struct fw_thread *t, unsigned set, uintptr_t pc)
{
    for (unsigned at = 0; at < WATCHED; at++)
        if (watched[at].fd && watched[at].set == set)
            tell_ready(t, &watched[at], EPOLLIN | EPOLLOUT, pc);
}

void fw_epoll_tell(struct fw_thread *t, int set_fd, const struct epoll_event *events, int ready,
                   uintptr_t pc)
{
    uint64_t set = t && ready > 0 ? fw_channel_in(set_fd) : 0;

    for (int i = 0; t && i < ready; i++)
        tell_event(t, set, &events[i], pc);
}
