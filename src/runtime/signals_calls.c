/*
 * signals_calls.c - the program's calls around signals.
 *
 * Setting handlers goes through fw_signals_action; masks pass by themselves.  Waiting for a signal
 * gives the token away.  What is sent to this process orders the sender before who gets it.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/effect.h"
#include "runtime/intercept.h"
#include "runtime/signals.h"

#include <errno.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* programs may use them all the same */

int __sigaction(int number, const struct sigaction *wanted, struct sigaction *old);
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);
int __sigsuspend(const sigset_t *mask);

static uint64_t interrupting; /* signals for which siginterrupt was asked */

/* --- handlers --------------------------------------------------------------------------------- */

static int set_action(int number, const struct sigaction *wanted, struct sigaction *old,
                      uintptr_t pc)
{
    struct fw_thread *t;
    int result;

    fw_effect_at(pc, "sigaction", FW_ON_ALL);
    result = fw_signals_action(number, wanted, old);
    t = result == 0 && (wanted || old) ? fw_enter_from(pc) : NULL;
    if (wanted)
        fw_reads(t, wanted, sizeof *wanted, pc);
    if (old)
        fw_writes(t, old, sizeof *old, pc);
    fw_done(t);
    return result;
}

FW_EXPORT int sigaction(int number, const struct sigaction *wanted, struct sigaction *old)
{
    return set_action(number, wanted, old, FW_PC);
}

FW_EXPORT int __sigaction(int number, const struct sigaction *wanted, struct sigaction *old)
{
    return set_action(number, wanted, old, FW_PC);
}

static sighandler_t set_handler(int number, sighandler_t handler, int flags, bool masks_itself)
{
    struct sigaction wanted = { .sa_handler = handler, .sa_flags = flags }, old;

    if (handler == SIG_ERR || number < 1 || number >= _NSIG) {
        errno = EINVAL;
        return SIG_ERR;
    }
    sigemptyset(&wanted.sa_mask);
    if (masks_itself)
        sigaddset(&wanted.sa_mask, number);
    return fw_signals_action(number, &wanted, &old) < 0 ? SIG_ERR : old.sa_handler;
}

static sighandler_t set_bsd(int number, sighandler_t handler)
{
    bool interrupts = number > 0 && number < 64 && interrupting >> number & 1;

    return set_handler(number, handler, interrupts ? 0 : SA_RESTART, true);
}

FW_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    fw_effect(FW_ON_ALL);
    return fw_signals_started ? set_bsd(number, handler) : REAL(signal)(number, handler);
}

FW_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
    fw_effect(FW_ON_ALL);
    return fw_signals_started ? set_bsd(number, handler) : REAL(bsd_signal)(number, handler);
}

FW_EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    fw_effect(FW_ON_ALL);
    return fw_signals_started ? set_bsd(number, handler) : REAL(ssignal)(number, handler);
}

FW_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    if (!fw_signals_started)
        return REAL(sysv_signal)(number, handler);
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, false);
}

FW_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    if (!fw_signals_started)
        return REAL(__sysv_signal)(number, handler);
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, false);
}

/* libc flips the flag of what the kernel has; the program's view follows. */
FW_EXPORT int siginterrupt(int number, int interrupts)
{
    struct sigaction action;

    if (!fw_signals_started || number < 1 || number >= 64 ||
        fw_signals_action(number, NULL, &action) < 0)
        return REAL(siginterrupt)(number, interrupts);
    if (interrupts) {
        interrupting |= 1ull << number;
        action.sa_flags &= ~SA_RESTART;
    } else {
        interrupting &= ~(1ull << number);
        action.sa_flags |= SA_RESTART;
    }
    return fw_signals_action(number, &action, NULL);
}

FW_EXPORT int sigignore(int number)
{
    struct sigaction wanted = { .sa_handler = SIG_IGN };

    return fw_signals_action(number, &wanted, NULL);
}

FW_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    struct sigaction now;
    sigset_t one, before;

    if (!fw_signals_started)
        return REAL(sigset)(number, handler);
    sigemptyset(&one);
    if (handler == SIG_ERR || sigaddset(&one, number) < 0) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (fw_signals_action(number, NULL, &now) < 0)
        return SIG_ERR;
    if (handler != SIG_HOLD && set_handler(number, handler, 0, false) == SIG_ERR)
        return SIG_ERR;
    if (sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &before) < 0)
        return SIG_ERR;
    return sigismember(&before, number) ? SIG_HOLD : now.sa_handler;
}

/* --- waiting ---------------------------------------------------------------------------------- */

#define WAITS(type, call)                                                                          \
    struct fw_thread *t = fw_enter();                                                              \
    type result;                                                                                   \
                                                                                                   \
    if (!t)                                                                                        \
        return call;                                                                               \
    FW_AWAY(t, result = call);                                                                     \
    fw_leave(t);                                                                                   \
    return result

FW_EXPORT int pause(void)
{
    WAITS(int, REAL(pause)());
}

FW_EXPORT int sigsuspend(const sigset_t *mask)
{
    WAITS(int, REAL(sigsuspend)(mask));
}

FW_EXPORT int __sigsuspend(const sigset_t *mask)
{
    WAITS(int, REAL(__sigsuspend)(mask));
}

FW_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(sigwait)(set, number);
    FW_AWAY(t, result = REAL(sigwait)(set, number));
    if (result == 0) {
        fw_signals_taken(t, *number, FW_PC);
        fw_writes(t, number, sizeof *number, FW_PC);
    }
    fw_leave(t);
    return result;
}

static int taken(struct fw_thread *t, int number, const siginfo_t *info, uintptr_t pc)
{
    if (number > 0) {
        fw_signals_taken(t, number, pc);
        if (info)
            fw_writes(t, info, sizeof *info, pc);
    }
    fw_done(t);
    return number;
}

FW_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    struct fw_thread *t = fw_enter();
    int number;

    if (!t)
        return REAL(sigwaitinfo)(set, info);
    FW_AWAY(t, number = REAL(sigwaitinfo)(set, info));
    return taken(t, number, info, FW_PC);
}

FW_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout)
{
    struct fw_thread *t = fw_enter();
    int number;

    if (!t)
        return REAL(sigtimedwait)(set, info, timeout);
    FW_PASS(t, !timeout || timeout->tv_sec || timeout->tv_nsec,
            number = REAL(sigtimedwait)(set, info, timeout));
    return taken(t, number, info, FW_PC);
}

/* --- sending ---------------------------------------------------------------------------------- */

/* The real call is the program's own: a handler may run in it.  What another process gets may be
 * the end of a child. */
static void tell_sent(const char *name, int number, bool to_us, uintptr_t pc)
{
    struct fw_thread *t;

    fw_effect_at(pc, name, FW_ON_ALL);
    t = to_us || fw_channel_has_children() ? fw_enter_from(pc) : NULL;
    if (t && to_us) {
        fw_signals_sent(t, number, pc);
        fw_channel_signal(t, pc);
    } else if (t) {
        fw_channel_before(t, FW_CHANNEL_CHILDREN, pc);
        fw_signals_sent(t, SIGCHLD, pc);
    }
    fw_done(t);
}

FW_EXPORT int kill(pid_t process, int number)
{
    bool to_us = process <= 0 || process == getpid();

    if (to_us)
        fw_chance_signal(number);
    tell_sent(__func__, number, to_us, FW_PC);
    return REAL(kill)(process, number);
}

/* A handler runs in this thread, at once. */
FW_EXPORT int raise(int number)
{
    fw_effect(FW_ON_ALL);
    return REAL(raise)(number);
}

FW_EXPORT int killpg(pid_t group, int number)
{
    fw_chance_signal(number);
    tell_sent(__func__, number, true, FW_PC);
    return REAL(killpg)(group, number);
}

FW_EXPORT int pthread_kill(pthread_t thread, int number)
{
    tell_sent(__func__, number, true, FW_PC);
    return REAL(pthread_kill)(thread, number);
}

FW_EXPORT int tgkill(pid_t process, pid_t thread, int number)
{
    tell_sent(__func__, number, process == getpid(), FW_PC);
    return REAL(tgkill)(process, thread, number);
}

FW_EXPORT int sigqueue(pid_t process, int number, const union sigval value)
{
    bool to_us = process == getpid();

    if (to_us)
        fw_chance_signal(number);
    tell_sent(__func__, number, to_us, FW_PC);
    return REAL(sigqueue)(process, number, value);
}

FW_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    tell_sent(__func__, number, true, FW_PC);
    return REAL(pthread_sigqueue)(thread, number, value);
}
