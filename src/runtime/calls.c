/*
 * calls.c - syscall(): what waits gives the token away.
 *
 * libstdc++ waits for futures, atomics and latches by futex calls of its own.  A futex wait is
 * first tried with no time, so that one that need not wait keeps the token.  Whoever was woken
 * comes after who woke it, though it should not rely on that.  Calls that libc has functions for
 * are those (calls_known.c).  What else waits in here and is not known is found by the watchdog.
 */
#include "runtime/calls.h"
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/process.h"
#include "runtime/processor.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A wait whose word has another value already is over at once. */
static bool waits_on_futex(const long a[6])
{
    struct timespec none = { 0, 0 };

    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return fw_syscall(SYS_futex, a[0], a[1], a[2], (long)&none, a[4], a[5]) != -EAGAIN;
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case 13: /* FUTEX_LOCK_PI2 */
        return true;
    default:
        return false;
    }
}

static bool waits(long number, const long a[6])
{
    switch (number) {
    case SYS_futex:
        return waits_on_futex(a);
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_pause:
    case SYS_waitid:
    case SYS_msgrcv:
    case SYS_semop:
    case SYS_semtimedop:
        return true;
    default:
        return false;
    }
}

/* Both lie on the word that is waited for, as annotations do. */
static void tell_futex(struct fw_thread *t, const long a[6], bool over, long result)
{
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        if (over && result == 0)
            fw_sync(t, FW_WIRE_AFTER, (const void *)a[0], 0);
        return;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_WAKE_OP:
        if (!over)
            fw_sync(t, FW_WIRE_BEFORE, (const void *)a[0], 0);
        return;
    default:
        if (!over)
            fw_unmodelled("futexes that inherit priorities");
    }
}

static bool makes_process(long number, const long a[6])
{
    return number == SYS_fork || (number == SYS_clone && !(a[0] & CLONE_VM));
}

/* Does nobody else notice that it was made? */
static bool is_private(long number)
{
    switch (number) {
    case SYS_gettid:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_getcpu:
    case SYS_getrandom:
    case SYS_clock_gettime:
    case SYS_gettimeofday:
    case SYS_membarrier:
    case SYS_prctl:
    case SYS_sched_yield:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_exit_group: /* has a point of its own */
        return true;
    default:
        return false;
    }
}

/* What differs from run to run. */
static void note_chance(long number)
{
    switch (number) {
    case SYS_getcpu:
        fw_chance(FW_CHANCE_SYSTEM);
        break;
    case SYS_gettid:
    case SYS_getpid:
    case SYS_getppid:
        fw_chance(FW_CHANCE_IDS);
        break;
    case SYS_getrandom:
        fw_chance_random();
        break;
    case SYS_clock_gettime:
    case SYS_gettimeofday:
    case SYS_time:
        fw_chance_clock();
        break;
    default:
        break;
    }
}

static struct fw_thread *enter(long number, const long a[6], uintptr_t pc)
{
    note_chance(number);
    if (number == SYS_futex)
        return fw_enter_at(pc, "futex", (const void *)a[0]);
    return is_private(number) ? fw_enter_at(pc, "syscall", NULL)
                              : fw_enter_effect_at(pc, "syscall", FW_ON_ALL);
}

static long call(long number, const long a[6], uintptr_t pc)
{
    struct fw_thread *t = enter(number, a, pc);
    long result, woken = 0;

    fw_call_unmodelled(t, number);
    if (t && number == SYS_futex) {
        tell_futex(t, a, false, 0);
        if (fw_futex_waits(t, a, &result)) {
            tell_futex(t, a, true, result);
            fw_leave(t);
            return result;
        }
        woken = fw_futex_wakes(a);
    } else if (number == SYS_futex) {
        fw_futex_unseen();
    }
    if (number == SYS_exit_group) {
        fw_done(t);
        t = NULL;
        fw_process_exits((int)a[0], "exit_group", pc);
    }
    if (t && number == SYS_exit) { /* the thread's end, without destructors */
        fw_done(t);
        fw_thread_finish(t);
        t = NULL;
    }
    if (t && waits(number, a)) {
        fw_outside_begin(t);
        result = fw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        fw_outside_end(t);
        if (number == SYS_futex)
            tell_futex(t, a, true, result);
    } else if (makes_process(number, a)) {
        fw_process_forks(t, 0);
        result = fw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (result == 0)
            fw_process_begins();
    } else {
        fw_done(t);
        t = NULL;
        result = fw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    fw_done(t);
    return result < 0 ? result : result + woken;
}

FW_EXPORT long syscall(long number, ...)
{
    long a[6], result;
    va_list rest;

    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if (fw_call_known(number, a, &result))
        return result;
    if (number == SYS_sched_setaffinity)
        fw_processor_end();
    result = call(number, a, FW_PC);
    if (number == SYS_sched_getaffinity && result > 0)
        fw_processor_told((size_t)a[1], (void *)a[2]);
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}
