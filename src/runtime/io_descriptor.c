/*
 * io_descriptor.c - how descriptors come and go, and what they are called by; locks of files.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/stream.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/* --- opening: a fifo waits for its other end ------------------------------------------------ */

static bool ask(int folder, const char *path, struct stat *about)
{
    return fw_syscall(SYS_newfstatat, folder, (long)path, (long)about, 0, 0, 0) == 0;
}

static bool open_waits(int folder, const char *path, int flags)
{
    struct stat about;

    if (flags & (O_NONBLOCK | O_PATH) || (flags & O_ACCMODE) == O_RDWR)
        return false;
    if (!ask(folder, path, &about))
        return false;
    return S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode);
}

static int opened(struct fw_thread *t, unsigned fifo, int fd, uintptr_t pc)
{
    if (t && fd >= 0) {
        fw_channel_changed();
        fw_channel_after(t, fifo, pc);
    }
    if (fd < 0)
        fw_effect_failed(t);
    fw_done(t);
    return fd;
}

/* Who opens a fifo meets who opens its other end: told before and after. */
static unsigned opening(struct fw_thread *t, int folder, const char *path, uintptr_t pc)
{
    static const char terminals[] = "/dev/pt";
    struct stat about;
    unsigned fifo;

    fw_chance_file(path);
    if (!ask(folder, path, &about))
        return 0;
    if (REAL(strncmp)(path, terminals, sizeof terminals - 1) == 0)
        fw_channel_terminals();
    if (!S_ISFIFO(about.st_mode))
        return 0;
    fifo = fw_channel_of(FW_KEY_PIPE, about.st_dev, about.st_ino);
    fw_channel_before(t, fifo, pc);
    return fifo;
}

#define OPEN_BODY(folder, call)                                                                    \
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);                                            \
    unsigned fifo;                                                                                 \
    int fd;                                                                                        \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    fw_reads_text(t, fw_readable_text(path), FW_PC);                                               \
    fifo = opening(t, folder, path, FW_PC);                                                        \
    FW_PASS(t, open_waits(folder, path, flags), fd = call);                                        \
    return opened(t, fifo, fd, FW_PC)

static mode_t mode_of(int flags, va_list rest)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

FW_EXPORT int open(const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(AT_FDCWD, REAL(open)(path, flags, mode));
}

FW_EXPORT int open64(const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(AT_FDCWD, REAL(open64)(path, flags, mode));
}

FW_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(folder, REAL(openat)(folder, path, flags, mode));
}

FW_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(folder, REAL(openat64)(folder, path, flags, mode));
}

FW_EXPORT int __open_2(const char *path, int flags)
{
    OPEN_BODY(AT_FDCWD, REAL(__open_2)(path, flags));
}

FW_EXPORT int __open64_2(const char *path, int flags)
{
    OPEN_BODY(AT_FDCWD, REAL(__open64_2)(path, flags));
}

FW_EXPORT int __openat_2(int folder, const char *path, int flags)
{
    OPEN_BODY(folder, REAL(__openat_2)(folder, path, flags));
}

FW_EXPORT int __openat64_2(int folder, const char *path, int flags)
{
    OPEN_BODY(folder, REAL(__openat64_2)(folder, path, flags));
}

FW_EXPORT int creat(const char *path, mode_t mode)
{
    int flags = O_WRONLY;

    OPEN_BODY(AT_FDCWD, REAL(creat)(path, mode));
}

FW_EXPORT int creat64(const char *path, mode_t mode)
{
    int flags = O_WRONLY;

    OPEN_BODY(AT_FDCWD, REAL(creat64)(path, mode));
}

/* --- the same for streams ------------------------------------------------------------------- */

static int mode_flags(const char *mode)
{
    return REAL(strchr)(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
}

#define OPEN_STREAM(call)                                                                          \
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);                                            \
    unsigned fifo;                                                                                 \
    FILE *made;                                                                                    \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    fifo = opening(t, AT_FDCWD, path, FW_PC);                                                      \
    FW_PASS(t, open_waits(AT_FDCWD, path, mode_flags(mode)), made = call);                         \
    opened(t, fifo, made ? made->_fileno : -1, FW_PC);                                             \
    return made

FW_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    OPEN_STREAM(REAL(fopen)(path, mode));
}

FW_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    OPEN_STREAM(REAL(fopen64)(path, mode));
}

FW_EXPORT FILE *freopen(const char *restrict path, const char *restrict mode,
                        FILE *restrict stream)
{
    fw_stream_closing(stream, FW_PC);
    OPEN_STREAM(REAL(freopen)(path, mode, stream));
}

FW_EXPORT FILE *freopen64(const char *restrict path, const char *restrict mode,
                          FILE *restrict stream)
{
    fw_stream_closing(stream, FW_PC);
    OPEN_STREAM(REAL(freopen64)(path, mode, stream));
}

/* --- closing -------------------------------------------------------------------------------- */

/* Who reads the other end is told that this one is gone.  Waits for nobody, but is a cancellation
 * point. */
FW_EXPORT int close(int fd)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int result;

    if (!t)
        return REAL(close)(fd);
    fw_channel_closing(t, fd, FW_PC);
    if (fd >= 0)
        fw_channel_closed((unsigned)fd, (unsigned)fd);
    FW_PLAINLY(t, result = REAL(close)(fd));
    if (t)
        fw_channel_changed();
    fw_done(t);
    return result;
}

#define SOME 64u /* descriptors that are asked for at once */

/* So many there may be: as the kernel has room for now, or will have at most. */
static unsigned descriptor_limit(void)
{
    struct rlimit limit;
    int size = fw_fd_table_size();

    if (size > 0)
        return (unsigned)size;
    if (fw_syscall(SYS_getrlimit, RLIMIT_NOFILE, (long)&limit, 0, 0, 0, 0) < 0)
        return 1u << 16;
    return limit.rlim_cur < 1u << 20 ? (unsigned)limit.rlim_cur : 1u << 20;
}

/* Whoever waits for the other side of one of these hears of it; most are not there. */
static void closing_all(struct fw_thread *t, unsigned first, unsigned last, uintptr_t pc)
{
    unsigned limit = descriptor_limit();

    for (unsigned fd = first; fd <= last && fd < limit; fd += SOME) {
        struct pollfd some[SOME];
        unsigned count = last - fd < SOME ? last - fd + 1 : SOME;

        for (unsigned i = 0; i < count; i++)
            some[i] = (struct pollfd){ .fd = (int)(fd + i) };
        fw_syscall(SYS_poll, (long)some, count, 0, 0, 0, 0); /* if it fails, all may be there */
        for (unsigned i = 0; i < count; i++)
            if (!(some[i].revents & POLLNVAL))
                fw_channel_closing(t, some[i].fd, pc);
    }
}

FW_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    struct fw_thread *t = flags & (int)CLOSE_RANGE_CLOEXEC ? NULL : fw_enter_effect(FW_ON_FILES);
    int result;

    if (!t)
        return REAL(close_range)(first, last, flags);
    closing_all(t, first, last, FW_PC);
    FW_PLAINLY(t, result = REAL(close_range)(first, last, flags));
    if (t && result == 0)
        fw_channel_closed(first, last);
    fw_done(t);
    return result;
}

FW_EXPORT void closefrom(int first)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    unsigned from = first < 0 ? 0 : (unsigned)first;

    if (!t) {
        REAL(closefrom)(first);
        return;
    }
    closing_all(t, from, UINT_MAX, FW_PC);
    FW_PLAINLY(t, REAL(closefrom)(first));
    if (t)
        fw_channel_closed(from, UINT_MAX);
    fw_done(t);
}

/* --- pairs ---------------------------------------------------------------------------------- */

static int paired(struct fw_thread *t, int result, const int *ends, uintptr_t pc)
{
    if (t && result == 0) {
        fw_writes(t, ends, 2 * sizeof *ends, pc);
        fw_channel_changed();
        fw_channel_in(ends[0]); /* so that it is known to be there when a child is made */
    }
    fw_done(t);
    return result;
}

FW_EXPORT int pipe(int ends[2])
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return paired(t, REAL(pipe)(ends), ends, FW_PC);
}

FW_EXPORT int pipe2(int ends[2], int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return paired(t, REAL(pipe2)(ends, flags), ends, FW_PC);
}

FW_EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int result = REAL(socketpair)(domain, type, protocol, ends);

    if (t && result == 0)
        fw_channel_made(ends[0], ends[1]);
    return paired(t, result, ends, FW_PC);
}

/* --- copies --------------------------------------------------------------------------------- */

static int copied(struct fw_thread *t, int from, int to, uintptr_t pc)
{
    if (t && to >= 0 && to != from)
        fw_channel_copied(t, from, to, pc);
    fw_done(t);
    return to;
}

FW_EXPORT int dup(int fd)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    return copied(t, fd, REAL(dup)(fd), FW_PC);
}

/* What `to` was is closed, if it goes well; else it stays what it is. */
static void replacing(struct fw_thread *t, int fd, int to, uintptr_t pc)
{
    if (t && fd != to)
        fw_channel_closing(t, to, pc);
}

FW_EXPORT int dup2(int fd, int to)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    replacing(t, fd, to, FW_PC);
    return copied(t, fd, REAL(dup2)(fd, to), FW_PC);
}

FW_EXPORT int dup3(int fd, int to, int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);

    replacing(t, fd, to, FW_PC);
    return copied(t, fd, REAL(dup3)(fd, to, flags), FW_PC);
}

/* --- locks of files, and other things that fcntl does ----------------------------------------- */

static bool is_lock(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

static bool asks_for_lock(int command)
{
    return command == F_GETLK || command == F_OFD_GETLK;
}

/* Given up before the call.  Who shares what he had alone gives up as well. */
static void tell_unlock(struct fw_thread *t, bool gives, uintptr_t pc)
{
    fw_channel_locks = true;
    if (gives)
        fw_channel_before(t, FW_CHANNEL_LOCKS, pc);
}

/* Taken after it. */
static void tell_lock(struct fw_thread *t, bool takes, int result, uintptr_t pc)
{
    if (takes && result == 0)
        fw_channel_after(t, FW_CHANNEL_LOCKS, pc);
    if (result != 0)
        fw_effect_failed(t);
}

/* Most commands ask, or set what only the descriptor's user cares for. */
static struct fw_effect fcntl_effect(int fd, int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? FW_ON_FILES : FW_ON_FD(fd);
}

static int control(__typeof__(&fcntl) real, int fd, int command, void *argument, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_effect_at(pc, "fcntl", fcntl_effect(fd, command));
    bool locks = t && is_lock(command) && fw_readable(argument, sizeof(struct flock));
    short type = locks ? ((const struct flock *)argument)->l_type : F_WRLCK;
    int result;

    if (!t)
        return real(fd, command, argument);
    if (command == F_SETOWN || command == F_SETOWN_EX || command == F_SETLEASE ||
        command == F_NOTIFY)
        fw_unmodelled("signals that tell of descriptors");
    if (locks)
        tell_unlock(t, type != F_WRLCK, pc);
    FW_PASS(t, command == F_SETLKW || command == F_OFD_SETLKW,
            result = real(fd, command, argument));
    tell_lock(t, (locks && type != F_UNLCK) || asks_for_lock(command), result, pc);
    if (result == 0 && asks_for_lock(command))
        fw_writes(t, argument, sizeof(struct flock), pc);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return copied(t, fd, result, pc);
    fw_done(t);
    return result;
}

FW_EXPORT int fcntl(int fd, int command, ...)
{
    void *argument;
    va_list rest;

    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return control(REAL(fcntl), fd, command, argument, FW_PC);
}

FW_EXPORT int fcntl64(int fd, int command, ...)
{
    void *argument;
    va_list rest;

    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return control(REAL(fcntl64), fd, command, argument, FW_PC);
}

/* Who has one gives it up before he is given another kind. */
FW_EXPORT int flock(int fd, int operation)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int result;

    if (!t)
        return REAL(flock)(fd, operation);
    tell_unlock(t, true, FW_PC);
    FW_PASS(t, !(operation & (LOCK_NB | LOCK_UN)), result = REAL(flock)(fd, operation));
    tell_lock(t, !(operation & LOCK_UN), result, FW_PC);
    fw_done(t);
    return result;
}

#define LOCKF(name, offset)                                                                        \
    FW_EXPORT int name(int fd, int command, offset bytes)                                          \
    {                                                                                              \
        struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));                                       \
        int result;                                                                                \
                                                                                                   \
        if (!t)                                                                                    \
            return REAL(name)(fd, command, bytes);                                                 \
        tell_unlock(t, command == F_ULOCK, FW_PC);                                                 \
        FW_PASS(t, command == F_LOCK, result = REAL(name)(fd, command, bytes));                    \
        tell_lock(t, command != F_ULOCK, result, FW_PC);                                           \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }

LOCKF(lockf, off_t)
LOCKF(lockf64, off64_t)
