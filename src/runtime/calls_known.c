/*
 * calls_known.c - system calls that a program makes by syscall() although libc has a function for
 * them: they are those functions, but no cancellation points.
 *
 * Of other calls through which threads can wait for each other the trace is told that they are not
 * modelled.
 */
#include "runtime/calls.h"

#include "runtime/intercept.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT(i)  ((void *)a[i])
#define INT(i) ((int)a[i])
#define CASE(number, call)                                                                         \
    case number:                                                                                   \
        *result = call;                                                                            \
        return true

/* --- what moves bytes ------------------------------------------------------------------------- */

static bool data(long number, const long a[6], long *result)
{
    switch (number) {
        CASE(SYS_read, read(INT(0), AT(1), (size_t)a[2]));
        CASE(SYS_pread64, pread64(INT(0), AT(1), (size_t)a[2], a[3]));
        CASE(SYS_readv, readv(INT(0), AT(1), INT(2)));
        CASE(SYS_preadv, preadv64(INT(0), AT(1), INT(2), a[3]));
        CASE(SYS_pwritev, pwritev64(INT(0), AT(1), INT(2), a[3]));
        CASE(SYS_recvfrom, recvfrom(INT(0), AT(1), (size_t)a[2], INT(3), AT(4), AT(5)));
        CASE(SYS_recvmsg, recvmsg(INT(0), AT(1), INT(2)));
        CASE(SYS_write, write(INT(0), AT(1), (size_t)a[2]));
        CASE(SYS_pwrite64, pwrite64(INT(0), AT(1), (size_t)a[2], a[3]));
        CASE(SYS_writev, writev(INT(0), AT(1), INT(2)));
        CASE(SYS_sendto,
             sendto(INT(0), AT(1), (size_t)a[2], INT(3), AT(4), (socklen_t)a[5]));
        CASE(SYS_sendmsg, sendmsg(INT(0), AT(1), INT(2)));
        CASE(SYS_splice,
             splice(INT(0), AT(1), INT(2), AT(3), (size_t)a[4], (unsigned)a[5]));
        CASE(SYS_tee, tee(INT(0), INT(1), (size_t)a[2], (unsigned)a[3]));
        CASE(SYS_vmsplice, vmsplice(INT(0), AT(1), (size_t)a[2], (unsigned)a[3]));
        CASE(SYS_sendfile, sendfile64(INT(0), INT(1), AT(2), (size_t)a[3]));
    default:
        return false;
    }
}

/* --- descriptors, signals --------------------------------------------------------------------- */

static bool descriptors(long number, const long a[6], long *result)
{
    switch (number) {
        CASE(SYS_open, open(AT(0), INT(1), (mode_t)a[2]));
        CASE(SYS_openat, openat(INT(0), AT(1), INT(2), (mode_t)a[3]));
        CASE(SYS_close, close(INT(0)));
        CASE(SYS_dup, dup(INT(0)));
        CASE(SYS_dup2, dup2(INT(0), INT(1)));
        CASE(SYS_dup3, dup3(INT(0), INT(1), INT(2)));
        CASE(SYS_fcntl, fcntl(INT(0), INT(1), a[2]));
        CASE(SYS_flock, flock(INT(0), INT(1)));
        CASE(SYS_pipe, pipe(AT(0)));
        CASE(SYS_pipe2, pipe2(AT(0), INT(1)));
        CASE(SYS_socketpair, socketpair(INT(0), INT(1), INT(2), AT(3)));
        CASE(SYS_eventfd2, eventfd((unsigned)a[0], INT(1)));
        CASE(SYS_timerfd_create, timerfd_create(INT(0), INT(1)));
        CASE(SYS_timerfd_settime, timerfd_settime(INT(0), INT(1), AT(2), AT(3)));
        CASE(SYS_eventfd, eventfd((unsigned)a[0], 0));
        CASE(SYS_epoll_create, epoll_create(INT(0)));
        CASE(SYS_epoll_pwait, epoll_pwait(INT(0), AT(1), INT(2), INT(3), AT(4)));
        CASE(SYS_inotify_init1, inotify_init1(INT(0)));
        CASE(SYS_close_range, close_range((unsigned)a[0], (unsigned)a[1], INT(2)));
        CASE(SYS_epoll_create1, epoll_create1(INT(0)));
        CASE(SYS_epoll_ctl, epoll_ctl(INT(0), INT(1), INT(2), AT(3)));
        CASE(SYS_epoll_wait, epoll_wait(INT(0), AT(1), INT(2), INT(3)));
        CASE(SYS_poll, poll(AT(0), (nfds_t)a[1], INT(2)));
        CASE(SYS_select, select(INT(0), AT(1), AT(2), AT(3), AT(4)));
        CASE(SYS_listen, listen(INT(0), INT(1)));
        CASE(SYS_connect, connect(INT(0), AT(1), (socklen_t)a[2]));
        CASE(SYS_accept, accept(INT(0), AT(1), AT(2)));
        CASE(SYS_accept4, accept4(INT(0), AT(1), AT(2), INT(3)));
        CASE(SYS_shutdown, shutdown(INT(0), INT(1)));
        CASE(SYS_kill, kill((pid_t)a[0], INT(1)));
        CASE(SYS_tgkill, tgkill((pid_t)a[0], (pid_t)a[1], INT(2)));
        CASE(SYS_tkill, tgkill(getpid(), (pid_t)a[0], INT(1)));
        CASE(SYS_alarm, alarm((unsigned)a[0]));
        CASE(SYS_setitimer, setitimer((__itimer_which_t)a[0], AT(1), AT(2)));
        CASE(SYS_wait4, wait4((pid_t)a[0], AT(1), INT(2), AT(3)));
    default:
        return false;
    }
}

bool fw_call_known(long number, const long a[6], long *result)
{
    struct fw_thread *t = fw_enter_again();
    bool known;
    int state;

    if (!t)
        return false;
    fw_leave(t);
    REAL(pthread_setcancelstate)(PTHREAD_CANCEL_DISABLE, &state);
    known = data(number, a, result) || descriptors(number, a, result);
    REAL(pthread_setcancelstate)(state, &state);
    return known;
}

/* --- others ----------------------------------------------------------------------------------- */

static bool synchronises(long number)
{
    switch (number) {
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait2:
    case SYS_signalfd:
    case SYS_signalfd4:
    case SYS_inotify_init:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_io_submit:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_mq_notify:
    case SYS_msgsnd:
    case SYS_msgrcv:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_waitid:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
    case SYS_rt_sigtimedwait:
    case SYS_pidfd_open:
    case SYS_pidfd_getfd:
    case SYS_pidfd_send_signal:
    case SYS_timer_create:
    case SYS_timer_settime:
    case SYS_userfaultfd:
    case SYS_membarrier:
    case 449: /* futex_waitv, and what came later of the kind */
    case 454:
    case 455:
    case 456:
        return true;
    default:
        return false;
    }
}

void fw_call_unmodelled(struct fw_thread *t, long number)
{
    char text[64];

    if (!t || !synchronises(number))
        return;
    snprintf(text, sizeof text, "system call %ld made directly", number);
    fw_unmodelled(text);
}
