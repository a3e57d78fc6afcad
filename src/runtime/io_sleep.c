/*
 * io_sleep.c - calls that wait in the kernel and touch little memory: time, children, connections,
 * names.
 *
 * Each is made without the token; what it stores is told when it is over.  (fsync and the like are
 * slow, but wait for none of our threads: they are not here.)
 */
#include "runtime/intercept.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WAITS(type, call)                                                                          \
    struct fw_thread *t = fw_enter();                                                              \
    type result;                                                                                   \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    FW_AWAY(t, result = call);                                                                     \
    fw_leave(t);                                                                                   \
    return result

/* --- children ------------------------------------------------------------------------------- */

FW_EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
    struct fw_thread *t = fw_enter();
    pid_t result;

    if (!t)
        return REAL(waitpid)(child, status, options);
    FW_PASS(t, !(options & WNOHANG), result = REAL(waitpid)(child, status, options));
    if (result > 0 && status)
        fw_writes(t, status, sizeof *status, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT pid_t wait(int *status)
{
    struct fw_thread *t = fw_enter();
    pid_t result;

    if (!t)
        return REAL(wait)(status);
    FW_AWAY(t, result = REAL(wait)(status));
    if (result > 0 && status)
        fw_writes(t, status, sizeof *status, FW_PC);
    fw_leave(t);
    return result;
}

FW_EXPORT pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    struct fw_thread *t = fw_enter();
    pid_t result;

    if (!t)
        return REAL(wait4)(child, status, options, usage);
    FW_PASS(t, !(options & WNOHANG), result = REAL(wait4)(child, status, options, usage));
    if (result > 0 && status)
        fw_writes(t, status, sizeof *status, FW_PC);
    if (result > 0 && usage)
        fw_writes(t, usage, sizeof *usage, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    struct fw_thread *t = fw_enter();
    pid_t result;

    if (!t)
        return REAL(wait3)(status, options, usage);
    FW_PASS(t, !(options & WNOHANG), result = REAL(wait3)(status, options, usage));
    if (result > 0 && status)
        fw_writes(t, status, sizeof *status, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(waitid)(type, id, info, options);
    FW_PASS(t, !(options & WNOHANG), result = REAL(waitid)(type, id, info, options));
    if (result == 0 && info)
        fw_writes(t, info, sizeof *info, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int system(const char *command)
{
    WAITS(int, REAL(system)(command));
}

FW_EXPORT int pclose(FILE *stream)
{
    WAITS(int, REAL(pclose)(stream));
}

/* --- connections ---------------------------------------------------------------------------- */

static int accepted(struct fw_thread *t, int fd, const void *address, const socklen_t *length,
                    uintptr_t pc)
{
    if (t && fd >= 0) {
        fw_channel_closed(fd);
        fw_channel_accepted(t, fd);
        if (address && length) {
            fw_writes(t, length, sizeof *length, pc);
            fw_writes(t, address, *length, pc);
        }
    }
    fw_done(t);
    return fd;
}

FW_EXPORT int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    struct fw_thread *t = fw_enter();
    int made;

    if (!t)
        return REAL(accept)(fd, address, length);
    FW_PASS(t, fw_fd_waits(fd, POLLIN), made = REAL(accept)(fd, address, length));
    return accepted(t, made, address, length, FW_PC);
}

FW_EXPORT int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length,
                      int flags)
{
    struct fw_thread *t = fw_enter();
    int made;

    if (!t)
        return REAL(accept4)(fd, address, length, flags);
    FW_PASS(t, fw_fd_waits(fd, POLLIN), made = REAL(accept4)(fd, address, length, flags));
    return accepted(t, made, address, length, FW_PC);
}

FW_EXPORT int listen(int fd, int most)
{
    fw_channel_listens();
    return REAL(listen)(fd, most);
}

FW_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct fw_thread *t = fw_enter();
    long flags;
    int result;

    if (!t)
        return REAL(connect)(fd, address, length);
    fw_reads(t, address, length, FW_PC);
    fw_channel_connecting(address, length);
    flags = fw_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    FW_PASS(t, flags >= 0 && !(flags & O_NONBLOCK), result = REAL(connect)(fd, address, length));
    fw_channel_connected(t, fd, address, length); /* perhaps it is still on its way */
    fw_done(t);
    return result;
}

/* --- terminals, names ------------------------------------------------------------------------ */

FW_EXPORT int tcdrain(int fd)
{
    WAITS(int, REAL(tcdrain)(fd));
}

FW_EXPORT int getaddrinfo(const char *restrict node, const char *restrict service,
                          const struct addrinfo *restrict hints,
                          struct addrinfo **restrict found)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(getaddrinfo)(node, service, hints, found);
    fw_reads_text(t, node, FW_PC);
    fw_reads_text(t, service, FW_PC);
    FW_AWAY(t, result = REAL(getaddrinfo)(node, service, hints, found));
    if (result == 0)
        fw_writes(t, found, sizeof *found, FW_PC);
    fw_leave(t);
    return result;
}
