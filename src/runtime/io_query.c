/*
 * io_query.c - calls that tell the program about the system and itself, and nothing waits for:
 * limits, clocks, signals, sets, terminals, users, folders.  io_about.c has the more usual ones.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/processor.h"
#include "runtime/told.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <grp.h>
#include <ifaddrs.h>
#include <linux/userfaultfd.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define DONE (result == 0)
#define SEEN(...) TOLD_EFFECT(FW_LOOK_AT_FILES, __VA_ARGS__)
#define MADE(...) TOLD_EFFECT_SERIAL(FW_ON_FILES, __VA_ARGS__)
#define NOTHING (void)0

/* What libc's headers call where the compiler knows how large the buffer is. */
size_t __confstr_chk(int name, char *to, size_t most, size_t room);
ssize_t __readlink_chk(const char *path, char *to, size_t most, size_t room);
ssize_t __readlinkat_chk(int folder, const char *path, char *to, size_t most, size_t room);
char *__getcwd_chk(char *to, size_t most, size_t room);
char *__realpath_chk(const char *path, char *to, size_t room);
int __gethostname_chk(char *to, size_t most, size_t room);
int __getgroups_chk(int most, gid_t *groups, size_t room);
int __getlogin_r_chk(char *to, size_t most, size_t room);
int __ttyname_r_chk(int fd, char *to, size_t most, size_t room);
int __ptsname_r_chk(int fd, char *to, size_t most, size_t room);

/* --- time and limits ------------------------------------------------------------------------ */

TOLD(int, clock_getres, (clockid_t clock, struct timespec *unit), (clock, unit), DONE, W(unit))
TOLD(clock_t, times, (struct tms * spent), (spent),
     (fw_chance(FW_CHANCE_SYSTEM), result != (clock_t)-1), W(spent))
TOLD(int, getitimer, (__itimer_which_t which, struct itimerval *timer), (which, timer), DONE,
     W(timer))
TOLD(int, timer_gettime, (timer_t timer, struct itimerspec *value), (timer, value), DONE, W(value))
TOLD(int, timerfd_gettime, (int fd, struct itimerspec *value), (fd, value), DONE, W(value))
TOLD(int, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit), DONE,
     W(limit))
TOLD(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *limit), (what, limit), DONE,
     W(limit))
TOLD_GIVEN(int, prlimit,
           (pid_t process, enum __rlimit_resource what, const struct rlimit *wanted,
            struct rlimit *old),
           (process, what, wanted, old), R(wanted), DONE, W(old))
TOLD(int, sysinfo, (struct sysinfo * info), (info), (fw_chance(FW_CHANCE_SYSTEM), DONE), W(info))
TOLD(int, getloadavg, (double *loads, int count), (loads, count),
     (fw_chance(FW_CHANCE_SYSTEM), result > 0),
     WS(loads, (size_t)result * sizeof *loads))
TOLD(size_t, confstr, (int name, char *to, size_t most), (name, to, most), result && most,
     WS(to, result < most ? result : most))
TOLD(size_t, __confstr_chk, (int name, char *to, size_t most, size_t room), (name, to, most, room),
     result && most, WS(to, result < most ? result : most))
TOLD_GIVEN(int, prlimit64,
           (pid_t process, enum __rlimit_resource what, const struct rlimit64 *wanted,
            struct rlimit64 *old),
           (process, what, wanted, old), R(wanted), DONE, W(old))
TOLD(time_t, mktime, (struct tm * when), (when), true, R(when); W(when))
TOLD(time_t, timegm, (struct tm * when), (when), true, R(when); W(when))

/* --- signals -------------------------------------------------------------------------------- */

TOLD(int, sigemptyset, (sigset_t * set), (set), DONE, W(set))
TOLD(int, sigfillset, (sigset_t * set), (set), DONE, W(set))
TOLD(int, sigaddset, (sigset_t * set, int number), (set, number), DONE, R(set); W(set))
TOLD(int, sigdelset, (sigset_t * set, int number), (set, number), DONE, R(set); W(set))
TOLD(int, sigismember, (const sigset_t *set, int number), (set, number), result >= 0, R(set))
TOLD_EFFECT(FW_LOOK_AT_ALL, int, sigpending, (sigset_t * set), (set), DONE, W(set))
/* What is blocked waits, and what is let through comes at once. */
TOLD_EFFECT_GIVEN(FW_ON_ALL, int, sigprocmask,
                  (int how, const sigset_t *restrict set, sigset_t *restrict old), (how, set, old),
                  R(set), DONE, W(old))
TOLD_EFFECT_GIVEN(FW_ON_ALL, int, pthread_sigmask,
                  (int how, const sigset_t *restrict set, sigset_t *restrict old), (how, set, old),
                  R(set), DONE, W(old))
TOLD_GIVEN(int, sigaltstack, (const stack_t *restrict stack, stack_t *restrict old), (stack, old),
           R(stack), DONE, W(old))

/* --- descriptors, files, folders ------------------------------------------------------------ */

TOLD(int, tcgetattr, (int fd, struct termios *settings), (fd, settings), DONE, W(settings))
/* One that is told to do it at no time known does not look at them. */
TOLD_GIVEN(int, tcsetattr, (int fd, int when, const struct termios *settings), (fd, when, settings),
           if ((unsigned)when <= TCSAFLUSH) R(settings), false, NOTHING)
/* Room, times and numbers of files differ from run to run. */
#define OF_FILES (fw_chance(FW_CHANCE_IDS), DONE)
TOLD(int, statfs, (const char *path, struct statfs *about), (path, about),
     OF_FILES, W(about))
TOLD(int, fstatfs, (int fd, struct statfs *about), (fd, about),
     OF_FILES, W(about))
TOLD(int, statfs64, (const char *path, struct statfs64 *about), (path, about),
     OF_FILES, W(about))
TOLD(int, fstatfs64, (int fd, struct statfs64 *about), (fd, about),
     OF_FILES, W(about))
TOLD(int, statvfs64, (const char *restrict path, struct statvfs64 *restrict about), (path, about),
     OF_FILES, W(about))
TOLD(int, fstatvfs64, (int fd, struct statvfs64 *about), (fd, about), OF_FILES, W(about))
SEEN(int, statx,
     (int folder, const char *restrict path, int flags, unsigned mask,
      struct statx *restrict about),
     (folder, path, flags, mask, about), OF_FILES, W(about))
SEEN(ssize_t, readlinkat,
     (int folder, const char *restrict path, char *restrict to, size_t most),
     (folder, path, to, most), result > 0, WS(to, (size_t)result))
SEEN(ssize_t, __readlink_chk, (const char *path, char *to, size_t most, size_t room),
     (path, to, most, room), result > 0, WS(to, (size_t)result))
SEEN(ssize_t, __readlinkat_chk,
     (int folder, const char *path, char *to, size_t most, size_t room),
     (folder, path, to, most, room), result > 0, WS(to, (size_t)result))
SEEN(char *, __getcwd_chk, (char *to, size_t most, size_t room), (to, most, room), result,
     WT(result))
/* They go on looking at folders when they have stored some of the path. */
TOLD_EFFECT_SERIAL(FW_LOOK_AT_FILES, char *, realpath,
                   (const char *restrict path, char *restrict to), (path, to), result, WT(result))
TOLD_EFFECT_SERIAL(FW_LOOK_AT_FILES, char *, __realpath_chk,
                   (const char *path, char *to, size_t room), (path, to, room), result, WT(result))
/* Names that are drawn. */
#define NAMED(made) (fw_chance(FW_CHANCE_IDS), (made))
MADE(int, mkstemp64, (char *path), (path), NAMED(result >= 0), WT(path))
MADE(int, mkstemps64, (char *path, int suffix), (path, suffix), NAMED(result >= 0), WT(path))
MADE(int, mkostemp64, (char *path, int flags), (path, flags), NAMED(result >= 0), WT(path))
MADE(int, mkstemp, (char *path), (path), NAMED(result >= 0), WT(path))
MADE(int, mkstemps, (char *path, int suffix), (path, suffix), NAMED(result >= 0), WT(path))
MADE(int, mkostemp, (char *path, int flags), (path, flags), NAMED(result >= 0), WT(path))
MADE(char *, mkdtemp, (char *path), (path), NAMED(result), WT(path))
MADE(struct dirent *, readdir, (DIR * folder), (folder), result, WS(result, result->d_reclen))
MADE(struct dirent64 *, readdir64, (DIR * folder), (folder), result, WS(result, result->d_reclen))
TOLD(ssize_t, getrandom, (void *to, size_t bytes, unsigned flags), (to, bytes, flags),
     (fw_chance_random(), result > 0), WS(to, (size_t)result))
TOLD(int, getentropy, (void *to, size_t bytes), (to, bytes), (fw_chance_random(), DONE),
     WS(to, bytes))

/* Requests that store an object of a known size. */
static size_t stored_by(unsigned long request)
{
    switch (request) {
    case FIONREAD: /* TIOCINQ as well */
    case TIOCOUTQ:
    case TIOCGPGRP:
    case TIOCGSID:
    case TIOCMGET:
    case TIOCGETD:
    case TIOCGPTN:
        return sizeof(int);
    case TIOCGWINSZ:
        return sizeof(struct winsize);
    case TCGETS:
        return 36; /* the kernel's struct termios */
    default:
        /* Newer requests have direction and size in them; bit 31 is "reads". */
        return request >> 31 & 1 ? request >> 16 & 0x3fff : 0;
    }
}

/* How much there is to read says who has written, how much is left that somebody has read. */
static void tell_learnt(struct fw_thread *t, int fd, unsigned long request, const int *argument,
                        uintptr_t pc)
{
    switch (request) {
    case FIONREAD:
        if (*argument)
            fw_channel_after(t, fw_channel_in(fd), pc);
        break;
    case TIOCOUTQ:
        fw_channel_has_room(t, fd, pc);
        fw_channel_wants_room(fd);
        break;
    case FIOSETOWN:
    case SIOCSPGRP:
        fw_unmodelled("signals that tell of descriptors");
        break;
    default:
        break;
    }
}

/* Who accesses such memory waits for who reads from the descriptor. */
static void tell_withheld(unsigned long request, const struct uffdio_register *wanted)
{
    if (fw_map_withheld && request == UFFDIO_REGISTER && fw_readable(wanted, sizeof *wanted))
        fw_map_withheld((const void *)(uintptr_t)wanted->range.start, wanted->range.len);
}

FW_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    struct fw_thread *t;
    va_list rest;
    void *argument;
    int result;

    va_start(rest, request);
    argument = va_arg(rest, void *);
    va_end(rest);
    fw_effect(FW_ON_FD(fd));
    tell_withheld(request, argument);
    result = REAL(ioctl)(fd, request, argument);
    t = result >= 0 ? fw_enter() : NULL;
    if (t)
        tell_learnt(t, fd, request, argument, FW_PC);
    WS(argument, stored_by(request));
    fw_done(t);
    return result;
}

/* --- users and names ------------------------------------------------------------------------ */

TOLD(int, getgroups, (int most, gid_t *groups), (most, groups), result > 0 && most,
     WS(groups, (size_t)result * sizeof *groups))
TOLD(int, __getgroups_chk, (int most, gid_t *groups, size_t room), (most, groups, room),
     result > 0 && most, WS(groups, (size_t)result * sizeof *groups))
TOLD(int, __gethostname_chk, (char *to, size_t most, size_t room), (to, most, room), DONE, WT(to))
TOLD_SERIAL(int, __getlogin_r_chk, (char *to, size_t most, size_t room), (to, most, room), DONE,
            WT(to))
TOLD_SERIAL(int, __ttyname_r_chk, (int fd, char *to, size_t most, size_t room),
            (fd, to, most, room), DONE, WT(to))
TOLD_SERIAL(int, __ptsname_r_chk, (int fd, char *to, size_t most, size_t room),
            (fd, to, most, room), DONE, WT(to))
TOLD_SERIAL(int, getlogin_r, (char *to, size_t most), (to, most), DONE, WT(to))
TOLD_SERIAL(int, ttyname_r, (int fd, char *to, size_t most), (fd, to, most), DONE, WT(to))
TOLD_SERIAL(int, ptsname_r, (int fd, char *to, size_t most), (fd, to, most), DONE, WT(to))
TOLD_SERIAL(int, getpwnam_r,
            (const char *restrict name, struct passwd *restrict entry, char *restrict to,
             size_t most, struct passwd **restrict found),
            (name, entry, to, most, found), DONE, W(found); W(*found); WS(to, most))
TOLD_SERIAL(int, getpwuid_r,
            (uid_t user, struct passwd *restrict entry, char *restrict to, size_t most,
             struct passwd **restrict found),
            (user, entry, to, most, found), DONE, W(found); W(*found); WS(to, most))
TOLD_SERIAL(int, getifaddrs, (struct ifaddrs * *list), (list), DONE, W(list))

/* --- addresses ------------------------------------------------------------------------------ */

static size_t address_size(int family)
{
    return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}

TOLD(int, inet_pton, (int family, const char *restrict text, void *restrict to),
     (family, text, to), result == 1, RT(text); WS(to, address_size(family)))
TOLD(int, inet_aton, (const char *text, struct in_addr *to), (text, to), result, RT(text); W(to))

/* --- processors ----------------------------------------------------------------------------- */

TOLD(int, sched_getparam, (pid_t process, struct sched_param *value), (process, value), DONE,
     W(value))
TOLD(int, sched_getaffinity, (pid_t process, size_t bytes, cpu_set_t *set), (process, bytes, set),
     DONE && fw_processor_told(bytes, set), WS(set, bytes))

FW_EXPORT int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    fw_processor_end();
    return REAL(sched_setaffinity)(process, bytes, set);
}

TOLD(int, getcpu, (unsigned *processor, unsigned *node), (processor, node),
     (fw_chance(FW_CHANCE_SYSTEM), DONE), W(processor);
     W(node))
