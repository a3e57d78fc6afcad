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

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

static void tell(const void *buffer, size_t bytes, uintptr_t pc)
{
    struct fw_thread *t = buffer ? fw_enter() : NULL;

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

/* Waits until the deadline without the kernel; false: time is real, or a signal came. */
static bool sleep_until(struct fw_thread *t, uint64_t deadline)
{
    if (!fw_control_is_virtual())
        return false;
    for (;;) {
        switch (fw_block(t, &t->plan, deadline, FW_BLOCK_SIGNALS)) {
        case FW_TIMED_OUT:
            return true;
        case FW_INTERRUPTED:
            return false;
        default:
            break;
        }
    }
}

static bool sleep_for(struct fw_thread *t, uint64_t nanoseconds)
{
    return fw_control_is_virtual() && sleep_until(t, fw_now() + nanoseconds);
}

FW_EXPORT unsigned sleep(unsigned seconds)
{
    struct fw_thread *t = fw_enter();
    unsigned left = 0;

    if (!t)
        return REAL(sleep)(seconds);
    if (!sleep_for(t, (uint64_t)seconds * FW_SECOND))
        FW_AWAY(t, left = REAL(sleep)(seconds));
    fw_leave(t);
    return left;
}

FW_EXPORT int usleep(useconds_t microseconds)
{
    struct fw_thread *t = fw_enter();
    int result = 0;

    if (!t)
        return REAL(usleep)(microseconds);
    if (!sleep_for(t, (uint64_t)microseconds * 1000))
        FW_AWAY(t, result = REAL(usleep)(microseconds));
    fw_leave(t);
    return result;
}

static bool is_time(const struct timespec *time)
{
    return time && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (long)FW_SECOND;
}

static uint64_t in_nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * FW_SECOND + (uint64_t)time->tv_nsec;
}

FW_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    struct fw_thread *t = fw_enter();
    int result = 0;

    if (!t)
        return REAL(nanosleep)(wanted, left);
    if (!is_time(wanted) || !sleep_for(t, in_nanoseconds(wanted)))
        FW_AWAY(t, result = REAL(nanosleep)(wanted, left));
    if (result != 0 && left)
        fw_writes(t, left, sizeof *left, FW_PC);
    fw_leave(t);
    return result;
}

FW_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                              struct timespec *left)
{
    struct fw_thread *t = fw_enter();
    bool slept = false;
    int result = 0;

    if (!t)
        return REAL(clock_nanosleep)(clock, flags, wanted, left);
    if (is_time(wanted) && counts_sleep(clock))
        slept = flags & TIMER_ABSTIME
                    ? fw_control_is_virtual() && sleep_until(t, fw_deadline(clock, wanted))
                    : sleep_for(t, in_nanoseconds(wanted));
    if (!slept)
        FW_AWAY(t, result = REAL(clock_nanosleep)(clock, flags, wanted, left));
    if (result == EINTR && left && !(flags & TIMER_ABSTIME))
        fw_writes(t, left, sizeof *left, FW_PC);
    fw_leave(t);
    return result;
}
