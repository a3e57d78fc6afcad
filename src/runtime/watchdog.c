/*
 * watchdog.c - is a thread that has the token sitting in the kernel, or far from all hooks?
 *
 * The token may be taken from a thread that is not between a hook and its access.
 *
 * One that sits in a system call is not.  /proc/self/task/TID/syscall tells: "running", or the
 * number of the system call (-1: in the kernel for another reason, such as a page that has to be
 * fetched; then an access of the program may still be under way, and the token stays).  Where that
 * file cannot be read the answer is no.
 *
 * Nor is one that has *executed* for long without passing a hook, since the access comes some
 * instructions after its hook, and loops with hooks pass them in every round.  So it computes or
 * waits in code without hooks.  Time of the thread's own in user mode is what counts: nobody is
 * far who was not let run, or waited for a page.  When it has been long enough, the thread is told
 * to take the long way at its next hook, and a while later, if it has not come to any, it is
 * certain that the last one it passed lies far behind.
 */
#include "runtime/futex.h"
#include "runtime/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

unsigned fw_put_number(char *at, unsigned number)
{
    char digits[12];
    unsigned count = 0;

    do
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
    while (number /= 10);
    memcpy(at, digits + sizeof digits - count, count);
    return count;
}

bool fw_watchdog_call(const struct fw_thread *t, char *text, size_t size)
{
    static const char prefix[] = "/proc/self/task/", suffix[] = "/syscall";
    char path[64], *at = path;
    long fd, got;

    if (!t->has_tid)
        return false;
    memcpy(at, prefix, sizeof prefix - 1);
    at += sizeof prefix - 1;
    at += fw_put_number(at, (unsigned)t->tid);
    memcpy(at, suffix, sizeof suffix);
    fd = fw_call(SYS_open, path, O_RDONLY | O_CLOEXEC, 0, 0);
    if (fd < 0)
        return false;
    got = fw_call(SYS_read, fd, text, size - 1, 0);
    fw_call(SYS_close, fd, 0, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    return text[0] >= '0' && text[0] <= '9';
}

/* It has left by a system call of its own, which nobody else has seen. */
static bool is_gone(const struct fw_thread *t)
{
    return t->has_tid &&
           fw_call(SYS_tgkill, fw_call(SYS_getpid, 0, 0, 0, 0), t->tid, 0, 0) == -ESRCH;
}

bool fw_watchdog_in_kernel(const struct fw_thread *t)
{
    char text[16];

    return fw_watchdog_call(t, text, sizeof text) || is_gone(t);
}

/* Its next hook takes the long way, whatever it sees of the rest. */
static void tell(struct fw_thread *t)
{
    t->lost = 1;
    t->hot->ticks = -1;
    fw_call(SYS_membarrier, 8 /* PRIVATE_EXPEDITED */, 0, 0, 0);
}

static void end_segment(struct fw_thread *t)
{
    if (t->hot->segment)
        t->segment_lost = t->hot->segment;
    t->hot->segment = 0;
}

bool fw_watchdog_sits(struct fw_thread *t)
{
    if (!fw_watchdog_in_kernel(t))
        return false;
    end_segment(t);
    tell(t);
    return !t->inside && fw_watchdog_in_kernel(t);
}

/* --- far from hooks ------------------------------------------------------------------------ */

#define LONG (FW_SECOND / 2)  /* without a hook, until it is told ... */
#define SURE (FW_SECOND / 20) /* ... and until it loses the token */

/* What every hook changes, when it was seen first. */
struct sight {
    uint64_t turn, blocks;
    const struct fw_frame *top;
    int64_t ticks;
};

static struct {
    struct sight sight;
    uint64_t since; /* the thread's time then */
    bool told;
} far; /* the scheduler's, under its lock */

/* The time that t has run in user mode, in ns; 0: unknown. */
static uint64_t time_of(const struct fw_thread *t)
{
    enum { OF_THREAD = 4, USER = 1 }; /* how the kernel names the clocks of threads */
    int clock = (int)(~(unsigned)t->tid << 3 | OF_THREAD | USER);
    struct timespec time;

    if (!t->has_tid || fw_call(SYS_clock_gettime, clock, &time, 0, 0) != 0)
        return 0;
    return (uint64_t)time.tv_sec * FW_SECOND + (uint64_t)time.tv_nsec;
}

bool fw_watchdog_is_far(struct fw_thread *t, uint64_t turn)
{
    struct sight now = { turn, t->hot->blocks, t->hot->top, t->hot->ticks };
    uint64_t time = time_of(t);

    if (memcmp(&now, &far.sight, sizeof now) != 0 || time < far.since) {
        far.sight = now;
        far.since = time;
        far.told = false;
        return false;
    }
    if (time - far.since < (far.told ? SURE : LONG))
        return false;
    if (!far.told) {
        tell(t);
        far.sight.ticks = -1;
        far.since = time;
        far.told = true;
        return false;
    }
    if (t->inside || !t->lost)
        return false;
    end_segment(t);
    t->far = true;
    return true;
}
