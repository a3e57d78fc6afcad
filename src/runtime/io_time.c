/*
 * io_time.c - clocks and sleeping.
 *
 * In controlled runs time may be virtual (FW_CONTROL_VIRTUAL): a sleep is then a wait with a
 * deadline like any other, clocks show what has been slept besides the real time, and when
 * everybody waits, the clocks go forward to the first deadline at once (fw_control_idle).
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

/* Time that was spent, and by whom: nobody waits until it has come. */
FW_EXPORT clock_t clock(void)
{
    fw_chance(FW_CHANCE_SYSTEM);
    return REAL(clock)();
}

static void tell(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t;

    fw_chance_clock();
    t = buffer ? fw_tell_after_from(pc) : NULL;
    fw_writes(t, buffer, bytes, pc);
    fw_done(t);
}

/* --- clocks ---------------------------------------------------------------------------------- */

static bool counts_sleep(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_TAI || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

static void go_ahead(struct timespec *now)
{
    uint64_t nanoseconds = (uint64_t)now->tv_nsec + fw_control_ahead;

    now->tv_sec += (time_t)(nanoseconds / FW_SECOND);
    now->tv_nsec = (long)(nanoseconds % FW_SECOND);
}

FW_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = REAL(clock_gettime)(clock, now);

    if (!counts_sleep(clock))
        fw_chance(FW_CHANCE_SYSTEM);
    if (result == 0 && FW_UNLIKELY(fw_control_ahead) && counts_sleep(clock))
        go_ahead(now);
    if (result == 0)
        tell(now, sizeof *now, FW_PC);
    return result;
}

FW_EXPORT time_t time(time_t *now)
{
    time_t result = REAL(time)(NULL);

    if (FW_UNLIKELY(fw_control_ahead)) {
        struct timespec moment;

        REAL(clock_gettime)(CLOCK_REALTIME, &moment);
        go_ahead(&moment);
        result = moment.tv_sec;
    }
    if (now)
        *now = result;
    tell(now, sizeof *now, FW_PC);
    return result;
}

FW_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int result = REAL(gettimeofday)(now, zone);

    if (result == 0 && FW_UNLIKELY(fw_control_ahead)) {
        struct timespec moment = { now->tv_sec, now->tv_usec * 1000 };

        go_ahead(&moment);
        now->tv_sec = moment.tv_sec;
        now->tv_usec = moment.tv_nsec / 1000;
    }
    if (result == 0)
        tell(now, sizeof *now, FW_PC);
    return result;
}

FW_EXPORT int timespec_get(struct timespec *now, int base)
{
    int result = REAL(timespec_get)(now, base);

    if (result && FW_UNLIKELY(fw_control_ahead))
        go_ahead(now);
    if (result)
        tell(now, sizeof *now, FW_PC);
    return result;
}

/* --- sleeping -------------------------------------------------------------------------------- */

/* Without the kernel, if it is for us to say when it is over: so many ns are left if a signal came,
 * 0: it is over. */
static uint64_t sleep_until(struct fw_thread *t, uint64_t deadline)
{
    fw_spin_slept(t);
    for (;;) {
        fw_cancel_let(t);
        switch (fw_block(t, &t->plan, deadline,
                         FW_BLOCK_SIGNALS | FW_BLOCK_TIMED | fw_cancel_flag(t))) {
        case FW_TIMED_OUT:
            fw_cancel_let(t);
            return 0;
        case FW_INTERRUPTED:
            return deadline > fw_now() ? deadline - fw_now() : 1;
        default:
            break;
        }
    }
}

bool fw_control_stay(struct fw_thread *t, uint64_t nanoseconds, bool (*is_over)(const void *what),
                     const void *what)
{
    uint64_t deadline = fw_now() + nanoseconds;

    fw_spin_slept(t);
    for (;;) {
        fw_cancel_let(t);
        switch (fw_block(t, &fw_control_stirred, deadline,
                         FW_BLOCK_SIGNALS | FW_BLOCK_TIMED | fw_cancel_flag(t))) {
        case FW_TIMED_OUT:
            fw_cancel_let(t);
            return true;
        case FW_INTERRUPTED:
            return false;
        default:
            if (is_over(what))
                return true;
        }
    }
}

static uint64_t sleep_for(struct fw_thread *t, uint64_t nanoseconds)
{
    return sleep_until(t, fw_now() + nanoseconds);
}

/* In the kernel, then: who spins meanwhile should know for how long. */
static void sleeps_for(struct fw_thread *t, uint64_t nanoseconds)
{
    if (!fw_control_on)
        return;
    fw_spin_slept(t);
    t->asleep_until = fw_now() + nanoseconds;
    fw_control_asleep++;
}

FW_EXPORT unsigned sleep(unsigned seconds)
{
    struct fw_thread *t = fw_enter();
    unsigned left;

    if (!t)
        return REAL(sleep)(seconds);
    if (fw_control_times((uint64_t)seconds * FW_SECOND)) {
        left = (unsigned)(sleep_for(t, (uint64_t)seconds * FW_SECOND) / FW_SECOND);
    } else {
        sleeps_for(t, (uint64_t)seconds * FW_SECOND);
        FW_AWAY(t, left = REAL(sleep)(seconds));
    }
    fw_leave(t);
    return left;
}

static int interrupted(struct fw_thread *t, bool was)
{
    fw_leave(t);
    if (was)
        errno = EINTR;
    return was ? -1 : 0;
}

FW_EXPORT int usleep(useconds_t microseconds)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(usleep)(microseconds);
    if (fw_control_times((uint64_t)microseconds * 1000))
        return interrupted(t, sleep_for(t, (uint64_t)microseconds * 1000) != 0);
    sleeps_for(t, (uint64_t)microseconds * 1000);
    FW_AWAY(t, result = REAL(usleep)(microseconds));
    fw_leave(t);
    return result;
}

static bool is_time(const struct timespec *time)
{
    return fw_readable(time, sizeof *time) && time->tv_sec >= 0 && time->tv_nsec >= 0 &&
           time->tv_nsec < (long)FW_SECOND;
}

static uint64_t in_nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * FW_SECOND + (uint64_t)time->tv_nsec;
}

static void tell_left(struct fw_thread *t, struct timespec *left, uint64_t nanoseconds,
                      uintptr_t pc)
{
    if (!left || !nanoseconds)
        return;
    left->tv_sec = (time_t)(nanoseconds / FW_SECOND);
    left->tv_nsec = (long)(nanoseconds % FW_SECOND);
    fw_writes(t, left, sizeof *left, pc);
}

FW_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    struct fw_thread *t = fw_enter();
    int result;

    if (!t)
        return REAL(nanosleep)(wanted, left);
    if (fw_control_on && is_time(wanted) && fw_control_times(in_nanoseconds(wanted))) {
        uint64_t nanoseconds = sleep_for(t, in_nanoseconds(wanted));

        tell_left(t, left, nanoseconds, FW_PC);
        return interrupted(t, nanoseconds != 0);
    }
    if (fw_control_on && is_time(wanted))
        sleeps_for(t, in_nanoseconds(wanted));
    FW_AWAY(t, result = REAL(nanosleep)(wanted, left));
    if (result != 0 && errno == EINTR && left)
        fw_writes(t, left, sizeof *left, FW_PC);
    fw_leave(t);
    return result;
}

static uint64_t left_until(clockid_t clock, const struct timespec *when)
{
    uint64_t deadline = fw_deadline(clock, when), now = fw_now();

    return deadline > now ? deadline - now : 0;
}

FW_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                              struct timespec *left)
{
    struct fw_thread *t = fw_enter();
    bool absolute = flags & TIMER_ABSTIME;
    int result;

    if (!t)
        return REAL(clock_nanosleep)(clock, flags, wanted, left);
    if (fw_control_on && counts_sleep(clock) && is_time(wanted) &&
        fw_control_times(absolute ? left_until(clock, wanted) : in_nanoseconds(wanted))) {
        uint64_t nanoseconds = absolute ? sleep_until(t, fw_deadline(clock, wanted))
                                        : sleep_for(t, in_nanoseconds(wanted));

        tell_left(t, absolute ? NULL : left, nanoseconds, FW_PC);
        fw_leave(t);
        return nanoseconds ? EINTR : 0;
    }
    if (fw_control_on && !absolute && is_time(wanted))
        sleeps_for(t, in_nanoseconds(wanted));
    FW_AWAY(t, result = REAL(clock_nanosleep)(clock, flags, wanted, left));
    if (result == EINTR && left && !absolute)
        fw_writes(t, left, sizeof *left, FW_PC);
    fw_leave(t);
    return result;
}
