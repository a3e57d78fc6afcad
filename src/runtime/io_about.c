/*
 * io_about.c - calls that tell the program something: the time, files, names.  What they store is
 * told as written; some store it where all threads share it (localtime).
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int __fxstat(int version, int fd, struct stat *about);
int __xstat(int version, const char *path, struct stat *about);
int __lxstat(int version, const char *path, struct stat *about);

static void tell(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = buffer ? fw_tell_after_from(pc) : NULL;

    fw_writes(t, buffer, bytes, pc);
    fw_done(t);
}

/* --- ids ------------------------------------------------------------------------------------ */

/* Without libc: who asks may be a signal handler, or who replaces malloc. */
#define ID(name)                                                                                   \
    FW_EXPORT pid_t name(void)                                                                     \
    {                                                                                              \
        fw_chance(FW_CHANCE_IDS);                                                                  \
        return (pid_t)fw_syscall(SYS_##name, 0, 0, 0, 0, 0, 0);                                    \
    }

ID(getpid)
ID(getppid)
ID(gettid)

/* --- time and processors -------------------------------------------------------------------- */

FW_EXPORT int sched_getcpu(void)
{
    fw_chance(FW_CHANCE_SYSTEM);
    return REAL(sched_getcpu)();
}

FW_EXPORT int getrusage(__rusage_who_t who, struct rusage *usage)
{
    int result = REAL(getrusage)(who, usage);

    fw_chance(FW_CHANCE_SYSTEM);
    if (result == 0)
        tell(usage, sizeof *usage, FW_PC);
    return result;
}

/* Those without _r use one buffer for all threads. */
#define TIME_TO_TM(name)                                                                           \
    FW_EXPORT struct tm *name(const time_t *when)                                                  \
    {                                                                                              \
        struct tm *result = REAL(name)(when);                                                      \
                                                                                                   \
        if (result)                                                                                \
            tell(result, sizeof *result, FW_PC);                                                   \
        return result;                                                                             \
    }                                                                                              \
    FW_EXPORT struct tm *name##_r(const time_t *restrict when, struct tm *restrict where)          \
    {                                                                                              \
        struct tm *result = REAL(name##_r)(when, where);                                           \
                                                                                                   \
        if (result)                                                                                \
            tell(result, sizeof *result, FW_PC);                                                   \
        return result;                                                                             \
    }

TIME_TO_TM(localtime)
TIME_TO_TM(gmtime)

static char *tell_text(char *text, uintptr_t pc)
{
    if (text && fw_self)
        tell(text, fw_text_length(text) + 1, pc);
    return text;
}

FW_EXPORT char *ctime(const time_t *when)
{
    return tell_text(REAL(ctime)(when), FW_PC);
}

FW_EXPORT char *ctime_r(const time_t *restrict when, char *restrict where)
{
    return tell_text(REAL(ctime_r)(when, where), FW_PC);
}

FW_EXPORT char *asctime(const struct tm *when)
{
    return tell_text(REAL(asctime)(when), FW_PC);
}

FW_EXPORT char *asctime_r(const struct tm *restrict when, char *restrict where)
{
    return tell_text(REAL(asctime_r)(when, where), FW_PC);
}

FW_EXPORT size_t strftime(char *restrict to, size_t most, const char *restrict format,
                          const struct tm *restrict when)
{
    size_t length = REAL(strftime)(to, most, format, when);

    if (length)
        tell(to, length + 1, FW_PC);
    return length;
}

/* --- files ---------------------------------------------------------------------------------- */

/* When a file was made, by which number, and how much room is left differs from run to run. */
#define ABOUT(...) ABOUT_HOW(fw_chance(FW_CHANCE_IDS), __VA_ARGS__)
#define ABOUT_HOW(first, name, type, arguments, call)                                              \
    FW_EXPORT int name arguments                                                                   \
    {                                                                                              \
        int result;                                                                                \
                                                                                                   \
        first;                                                                                     \
        fw_effect(FW_LOOK_AT_FILES);                                                               \
        result = REAL(name) call;                                                                  \
        if (result == 0)                                                                           \
            tell(about, sizeof(type), FW_PC);                                                      \
        return result;                                                                             \
    }

ABOUT(stat, struct stat, (const char *restrict path, struct stat *restrict about), (path, about))
ABOUT(lstat, struct stat, (const char *restrict path, struct stat *restrict about), (path, about))
ABOUT(fstat, struct stat, (int fd, struct stat *about), (fd, about))
ABOUT(fstatat, struct stat,
      (int folder, const char *restrict path, struct stat *restrict about, int flags),
      (folder, path, about, flags))
ABOUT(stat64, struct stat64, (const char *restrict path, struct stat64 *restrict about),
      (path, about))
ABOUT(lstat64, struct stat64, (const char *restrict path, struct stat64 *restrict about),
      (path, about))
ABOUT(fstat64, struct stat64, (int fd, struct stat64 *about), (fd, about))
ABOUT(fstatat64, struct stat64,
      (int folder, const char *restrict path, struct stat64 *restrict about, int flags),
      (folder, path, about, flags))
ABOUT(statvfs, struct statvfs, (const char *restrict path, struct statvfs *restrict about),
      (path, about))
ABOUT(fstatvfs, struct statvfs, (int fd, struct statvfs *about), (fd, about))
ABOUT_HOW((void)0, uname, struct utsname, (struct utsname *about), (about))
/* What programs built with glibc before 2.33 call. */
ABOUT(__xstat, struct stat, (int version, const char *path, struct stat *about),
      (version, path, about))
ABOUT(__lxstat, struct stat, (int version, const char *path, struct stat *about),
      (version, path, about))
ABOUT(__fxstat, struct stat, (int version, int fd, struct stat *about), (version, fd, about))

FW_EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t most)
{
    ssize_t length;

    fw_effect(FW_LOOK_AT_FILES);
    length = REAL(readlink)(path, to, most);
    if (length > 0)
        tell(to, (size_t)length, FW_PC);
    return length;
}

FW_EXPORT char *getcwd(char *to, size_t most)
{
    fw_effect(FW_LOOK_AT_FILES);
    return tell_text(REAL(getcwd)(to, most), FW_PC);
}

FW_EXPORT int gethostname(char *to, size_t most)
{
    int result = REAL(gethostname)(to, most);

    if (result == 0)
        tell_text(to, FW_PC);
    return result;
}

/* --- sockets -------------------------------------------------------------------------------- */

static int tell_option(int result, const void *value, const socklen_t *length, uintptr_t pc)
{
    struct fw_thread *t = result == 0 && length ? fw_enter_from(pc) : NULL;

    if (t) {
        fw_writes(t, length, sizeof *length, pc);
        fw_writes(t, value, *length, pc);
        fw_leave(t);
    }
    return result;
}

#define NAME(function)                                                                             \
    FW_EXPORT int function(int fd, struct sockaddr *restrict name, socklen_t *restrict length)     \
    {                                                                                              \
        socklen_t room = fw_address_room(name, length);                                            \
        int result = (fw_chance(FW_CHANCE_IDS), REAL(function)(fd, name, length));                 \
        struct fw_thread *t = result == 0 ? fw_enter() : NULL;                                     \
                                                                                                   \
        fw_address_stored(t, name, length, room, FW_PC);                                           \
        fw_done(t);                                                                                \
        return result;                                                                             \
    }

NAME(getsockname)
NAME(getpeername)

FW_EXPORT int getsockopt(int fd, int level, int option, void *restrict value,
                         socklen_t *restrict length)
{
    return tell_option(REAL(getsockopt)(fd, level, option, value, length), value, length, FW_PC);
}

FW_EXPORT char *inet_ntoa(struct in_addr address)
{
    return tell_text(REAL(inet_ntoa)(address), FW_PC);
}

FW_EXPORT const char *inet_ntop(int family, const void *restrict address, char *restrict to,
                                socklen_t most)
{
    return tell_text((char *)REAL(inet_ntop)(family, address, to, most), FW_PC);
}
