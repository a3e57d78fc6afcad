/*
 * io_descriptor.c - how descriptors come and go, and what they are called by.
 */
#include "runtime/intercept.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

/* --- opening: a fifo waits for its other end ------------------------------------------------ */

static bool open_waits(const char *path, int flags)
{
    struct stat about;

    if (flags & (O_NONBLOCK | O_PATH) || (flags & O_ACCMODE) == O_RDWR)
        return false;
    if (fw_syscall(SYS_stat, (long)path, (long)&about, 0, 0, 0, 0) < 0)
        return false;
    return S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode);
}

static int opened(struct fw_thread *t, int fd)
{
    if (t && fd >= 0)
        fw_channel_closed(fd);
    fw_done(t);
    return fd;
}

#define OPEN_BODY(call)                                                                            \
    struct fw_thread *t = fw_enter();                                                              \
    int fd;                                                                                        \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    fw_reads_text(t, path, FW_PC);                                                                 \
    FW_PASS(t, open_waits(path, flags), fd = call);                                                \
    return opened(t, fd)

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
    OPEN_BODY(REAL(open)(path, flags, mode));
}

FW_EXPORT int open64(const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(REAL(open64)(path, flags, mode));
}

FW_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(REAL(openat)(folder, path, flags, mode));
}

FW_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    mode_t mode;
    va_list rest;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    OPEN_BODY(REAL(openat64)(folder, path, flags, mode));
}

FW_EXPORT int __open_2(const char *path, int flags)
{
    OPEN_BODY(REAL(__open_2)(path, flags));
}

FW_EXPORT int __open64_2(const char *path, int flags)
{
    OPEN_BODY(REAL(__open64_2)(path, flags));
}

FW_EXPORT int creat(const char *path, mode_t mode)
{
    int flags = O_WRONLY;

    OPEN_BODY(REAL(creat)(path, mode));
}

/* Closing writes nothing and waits for nobody, but is a cancellation point. */
FW_EXPORT int close(int fd)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(close)(fd);
    fw_channel_closed(fd);
    FW_PLAINLY(t, result = REAL(close)(fd));
    fw_done(t);
    return result;
}

/* --- pairs ---------------------------------------------------------------------------------- */

static int paired(struct fw_thread *t, int result, const int *ends, uintptr_t pc)
{
    if (t && result == 0) {
        fw_writes(t, ends, 2 * sizeof *ends, pc);
        fw_channel_made(t, ends[0], ends[1]);
    }
    fw_done(t);
    return result;
}

FW_EXPORT int pipe(int ends[2])
{
    struct fw_thread *t = fw_enter();

    return paired(t, REAL(pipe)(ends), ends, FW_PC);
}

FW_EXPORT int pipe2(int ends[2], int flags)
{
    struct fw_thread *t = fw_enter();

    return paired(t, REAL(pipe2)(ends, flags), ends, FW_PC);
}

FW_EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    struct fw_thread *t = fw_enter();

    return paired(t, REAL(socketpair)(domain, type, protocol, ends), ends, FW_PC);
}

FW_EXPORT int eventfd(unsigned count, int flags)
{
    struct fw_thread *t = fw_enter();
    int fd = REAL(eventfd)(count, flags);

    if (t && fd >= 0)
        fw_channel_made(t, fd, fd);
    fw_done(t);
    return fd;
}

FW_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(eventfd_read)(fd, value);
    FW_PASS(t, fw_fd_waits(fd, 1), result = REAL(eventfd_read)(fd, value));
    if (result == 0) {
        fw_channel_read(t, fd, FW_PC);
        fw_writes(t, value, sizeof *value, FW_PC);
    }
    fw_done(t);
    return result;
}

FW_EXPORT int eventfd_write(int fd, eventfd_t value)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(eventfd_write)(fd, value);
    fw_channel_written(t, fd, FW_PC);
    FW_PASS(t, fw_fd_waits(fd, 4), result = REAL(eventfd_write)(fd, value));
    fw_done(t);
    return result;
}

/* --- copies --------------------------------------------------------------------------------- */

static int copied(struct fw_thread *t, int from, int to)
{
    if (t && to >= 0)
        fw_channel_copied(from, to);
    fw_done(t);
    return to;
}

FW_EXPORT int dup(int fd)
{
    struct fw_thread *t = fw_enter();

    return copied(t, fd, REAL(dup)(fd));
}

FW_EXPORT int dup2(int fd, int to)
{
    struct fw_thread *t = fw_enter();

    return copied(t, fd, REAL(dup2)(fd, to));
}

FW_EXPORT int dup3(int fd, int to, int flags)
{
    struct fw_thread *t = fw_enter();

    return copied(t, fd, REAL(dup3)(fd, to, flags));
}

/* Locks of files wait; all other commands do not. */
static int control(__typeof__(&fcntl) real, int fd, int command, void *argument)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return real(fd, command, argument);
    FW_PASS(t, command == F_SETLKW || command == F_OFD_SETLKW,
            result = real(fd, command, argument));
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return copied(t, fd, result);
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
    return control(REAL(fcntl), fd, command, argument);
}

FW_EXPORT int fcntl64(int fd, int command, ...)
{
    void *argument;
    va_list rest;

    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return control(REAL(fcntl64), fd, command, argument);
}

FW_EXPORT int flock(int fd, int operation)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(flock)(fd, operation);
    FW_PASS(t, !(operation & (LOCK_NB | LOCK_UN)), result = REAL(flock)(fd, operation));
    fw_done(t);
    return result;
}

FW_EXPORT int lockf(int fd, int command, off_t bytes)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(lockf)(fd, command, bytes);
    FW_PASS(t, command == F_LOCK, result = REAL(lockf)(fd, command, bytes));
    fw_done(t);
    return result;
}
