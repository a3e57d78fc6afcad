/*
 * io_sleep.c - calls that wait in the kernel and touch little memory: children, connections, names.
 *
 * Each is made without the token; what it stores is told when it is over.  (fsync and the like are
 * slow, but wait for none of our threads: they are not here.)
 */
#include "runtime/channel.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <spawn.h>
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

/* Whoever learns of a child's end comes after who made it, and who sent it something. */
static void await_told(struct fw_thread *t, bool ended, const int *status, uintptr_t pc)
{
    if (!ended)
        return;
    fw_channel_after(t, FW_CHANNEL_CHILDREN, pc);
    if (status)
        fw_writes(t, status, sizeof *status, pc);
}

FW_EXPORT pid_t waitpid(pid_t child, int *status, int options)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    pid_t result;

    if (!t)
        return REAL(waitpid)(child, status, options);
    FW_PASS(t, !(options & WNOHANG), result = REAL(waitpid)(child, status, options));
    await_told(t, result > 0, status, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT pid_t wait(int *status)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    pid_t result;

    if (!t)
        return REAL(wait)(status);
    FW_AWAY(t, result = REAL(wait)(status));
    await_told(t, result > 0, status, FW_PC);
    fw_leave(t);
    return result;
}

FW_EXPORT pid_t wait4(pid_t child, int *status, int options, struct rusage *usage)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    pid_t result;

    if (!t)
        return REAL(wait4)(child, status, options, usage);
    FW_PASS(t, !(options & WNOHANG), result = REAL(wait4)(child, status, options, usage));
    await_told(t, result > 0, status, FW_PC);
    if (result > 0 && usage)
        fw_writes(t, usage, sizeof *usage, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    pid_t result;

    if (!t)
        return REAL(wait3)(status, options, usage);
    FW_PASS(t, !(options & WNOHANG), result = REAL(wait3)(status, options, usage));
    await_told(t, result > 0, status, FW_PC);
    if (result > 0 && usage)
        fw_writes(t, usage, sizeof *usage, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    int result;

    if (!t)
        return REAL(waitid)(type, id, info, options);
    FW_PASS(t, !(options & WNOHANG), result = REAL(waitid)(type, id, info, options));
    await_told(t, result == 0, NULL, FW_PC);
    if (result == 0 && info)
        fw_writes(t, info, sizeof *info, FW_PC);
    fw_done(t);
    return result;
}

FW_EXPORT int system(const char *command)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    int result;

    if (!t)
        return REAL(system)(command);
    fw_process_forks(t, FW_PC);
    FW_AWAY(t, result = REAL(system)(command));
    fw_channel_after(t, FW_CHANNEL_CHILDREN, FW_PC);
    fw_leave(t);
    return result;
}

/* The child has the other end of the stream. */
FW_EXPORT FILE *popen(const char *command, const char *mode)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    FILE *stream;

    if (!t)
        return REAL(popen)(command, mode);
    fw_process_forks(t, FW_PC);
    FW_PLAINLY(t, stream = REAL(popen)(command, mode));
    if (t && stream) {
        fw_channel_changed();
        fw_channel_in(stream->_fileno);
        fw_process_forks(t, FW_PC);
    }
    fw_done(t);
    return stream;
}

FW_EXPORT int pclose(FILE *stream)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_ALL);
    int result;

    if (!t)
        return REAL(pclose)(stream);
    fw_channel_closing(t, stream->_fileno, FW_PC);
    fw_channel_closed((unsigned)stream->_fileno, (unsigned)stream->_fileno);
    FW_AWAY(t, result = REAL(pclose)(stream));
    fw_channel_after(t, FW_CHANNEL_CHILDREN, FW_PC);
    fw_leave(t);
    return result;
}

static void tell_spawn(const char *name, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_effect_at(pc, name, FW_ON_ALL);

    fw_process_forks(t, pc);
    fw_done(t);
}

static int spawned(int result, const pid_t *child, uintptr_t pc)
{
    struct fw_thread *t = result == 0 && child ? fw_enter_again() : NULL;

    fw_writes(t, child, sizeof *child, pc);
    fw_done(t);
    return result;
}

FW_EXPORT int posix_spawn(pid_t *restrict child, const char *restrict path,
                          const posix_spawn_file_actions_t *restrict actions,
                          const posix_spawnattr_t *restrict attributes,
                          char *const arguments[restrict], char *const environment[restrict])
{
    tell_spawn(__func__, FW_PC);
    return spawned(REAL(posix_spawn)(child, path, actions, attributes, arguments, environment),
                   child, FW_PC);
}

FW_EXPORT int posix_spawnp(pid_t *restrict child, const char *restrict file,
                           const posix_spawn_file_actions_t *restrict actions,
                           const posix_spawnattr_t *restrict attributes,
                           char *const arguments[restrict], char *const environment[restrict])
{
    tell_spawn(__func__, FW_PC);
    return spawned(REAL(posix_spawnp)(child, file, actions, attributes, arguments, environment),
                   child, FW_PC);
}

/* --- connections ---------------------------------------------------------------------------- */

static int accepted(struct fw_thread *t, int fd, const void *address, const socklen_t *length,
                    socklen_t room, uintptr_t pc)
{
    if (t && fd >= 0) {
        fw_channel_accepted(t, fd, pc);
        fw_address_stored(t, address, length, room, pc);
    }
    fw_done(t);
    return fd;
}

FW_EXPORT int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    socklen_t room = fw_address_room(address, length);
    int made;

    if (!t)
        return REAL(accept)(fd, address, length);
    FW_PASS(t, fw_fd_waits(fd, POLLIN), made = REAL(accept)(fd, address, length));
    return accepted(t, made, address, length, room, FW_PC);
}

FW_EXPORT int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length,
                      int flags)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    socklen_t room = fw_address_room(address, length);
    int made;

    if (!t)
        return REAL(accept4)(fd, address, length, flags);
    FW_PASS(t, fw_fd_waits(fd, POLLIN), made = REAL(accept4)(fd, address, length, flags));
    return accepted(t, made, address, length, room, FW_PC);
}

FW_EXPORT int listen(int fd, int most)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    int result;

    if (!t)
        return REAL(listen)(fd, most);
    fw_channel_listens(t, fd, FW_PC);
    result = REAL(listen)(fd, most);
    fw_channel_listens(t, fd, FW_PC); /* perhaps it has an address only now */
    fw_leave(t);
    return result;
}

/* Who connects to a listener of this process keeps the token: so connections arrive in the order in
 * which that was told. */
FW_EXPORT int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FILES);
    bool within;
    long flags;
    int result;

    if (!t)
        return REAL(connect)(fd, address, length);
    fw_reads(t, address, length <= sizeof(struct sockaddr_storage) ? length : 0, FW_PC);
    within = fw_channel_connecting(t, address, length, FW_PC);
    flags = fw_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    FW_PASS(t, !within && flags >= 0 && !(flags & O_NONBLOCK),
            result = REAL(connect)(fd, address, length));
    fw_channel_connected(t, fd, address, length, FW_PC); /* perhaps it is still on its way */
    fw_done(t);
    return result;
}

/* Who reads the other end is told. */
FW_EXPORT int shutdown(int fd, int how)
{
    struct fw_thread *t = fw_enter_effect(FW_ON_FD(fd));
    int result;

    if (t)
        fw_channel_before(t, fw_channel_in(fd), FW_PC);
    result = REAL(shutdown)(fd, how);
    fw_done(t);
    return result;
}

/* --- terminals, names ----------------------------------------------------------------------- */

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
