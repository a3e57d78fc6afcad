/*
 * io_timer.c - timers that send signals: who sets one comes before the handler, or whoever else
 * gets the signal.
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"
#include "runtime/signals.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t timer_signals; /* those that timer_create was asked for */
_Atomic uint64_t fw_timers_until;

/* Before the real call, as the program's own: the handler may run in it. */
static void tell_set(int number, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    if (t) {
        fw_signals_sent(t, number, pc);
        fw_channel_signal(t, pc);
    }
    fw_done(t);
}

FW_EXPORT unsigned alarm(unsigned seconds)
{
    if (seconds)
        fw_chance(FW_CHANCE_SIGNALS);
    tell_set(SIGALRM, FW_PC);
    return REAL(alarm)(seconds);
}

FW_EXPORT useconds_t ualarm(useconds_t first, useconds_t again)
{
    if (first)
        fw_chance(FW_CHANCE_SIGNALS);
    tell_set(SIGALRM, FW_PC);
    return REAL(ualarm)(first, again);
}

static void tell_times(const void *wanted, const void *old, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = fw_enter_from(pc);

    if (wanted)
        fw_reads(t, wanted, bytes, pc);
    if (old)
        fw_writes(t, old, bytes, pc);
    fw_done(t);
}

FW_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict wanted,
                        struct itimerval *restrict old)
{
    int result;

    fw_chance(FW_CHANCE_SIGNALS);
    tell_set(which == ITIMER_REAL      ? SIGALRM
             : which == ITIMER_VIRTUAL ? SIGVTALRM
                                       : SIGPROF,
             FW_PC);
    result = REAL(setitimer)(which, wanted, old);
    if (result == 0)
        tell_times(wanted, old, sizeof *wanted, FW_PC);
    return result;
}

/* Threads that libc makes for a timer are not seen. */
FW_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event,
                           timer_t *restrict timer)
{
    struct fw_thread *t = fw_enter();
    int number = !event                                                                  ? SIGALRM
                 : event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_THREAD_ID
                     ? event->sigev_signo
                     : 0;
    int result;

    if (t && number > 0 && number <= 64)
        timer_signals |= 1ull << (number - 1);
    if (t && event && event->sigev_notify == SIGEV_THREAD)
        fw_unmodelled("timers that start threads");
    fw_done(t);
    result = REAL(timer_create)(clock, event, timer);
    t = result == 0 ? fw_enter() : NULL;
    fw_writes(t, timer, sizeof *timer, FW_PC);
    fw_done(t);
    return result;
}

/* Absolute times may be those of any clock. */
static void note_timer(int flags, const struct itimerspec *wanted)
{
    uint64_t until = fw_now() + (uint64_t)wanted->it_value.tv_sec * FW_SECOND +
                     (uint64_t)wanted->it_value.tv_nsec;

    if (!wanted->it_value.tv_sec && !wanted->it_value.tv_nsec)
        return;
    if (flags & TIMER_ABSTIME || wanted->it_interval.tv_sec || wanted->it_interval.tv_nsec)
        until = UINT64_MAX;
    /* Without the token; of two at once the later one counts. */
    for (uint64_t known = fw_timers_until; until > known;)
        if (atomic_compare_exchange_weak(&fw_timers_until, &known, until))
            break;
}

FW_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict wanted,
                            struct itimerspec *restrict old)
{
    int result;

    fw_chance(FW_CHANCE_SIGNALS);
    for (int number = 1; number <= 64; number++)
        if (timer_signals >> (number - 1) & 1)
            tell_set(number, FW_PC);
    result = REAL(timer_settime)(timer, flags, wanted, old);
    if (result == 0) {
        note_timer(flags, wanted);
        tell_times(wanted, old, sizeof *wanted, FW_PC);
    }
    return result;
}
