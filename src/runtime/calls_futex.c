/*
 * calls_futex.c - futexes that a controlled program waits for by itself.
 *
 * When a thread comes back from a futex in the kernel depends on the kernel, and so would the run.
 * So such a wait is a wait for an object like any other: over when another thread wakes the word,
 * and not before, whatever the word holds by then.  Words that other processes may see are left to
 * the kernel.
 */
#include "runtime/calls.h"
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/intercept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>

/* --- words of several processes -------------------------------------------------------------- */

/* A line of /proc/self/maps as far as it was read: "start-end rwxs ..." */
struct line {
    uintptr_t number[2];
    unsigned field, letters; /* 0 and 1: the numbers, 2: the letters, 3: the rest */
};

/* One more character; true: the line is about the address, which is shared. */
static bool is_said(struct line *line, char c, uintptr_t address)
{
    if (c == '\n') {
        *line = (struct line){ { 0, 0 }, 0, 0 };
        return false;
    }
    if (line->field < 2 && c != '-' && c != ' ')
        line->number[line->field] = line->number[line->field] << 4 |
                                    (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    else if (line->field < 3 && (c == '-' || c == ' ') && !line->letters)
        line->field++;
    else if (line->field == 2 && ++line->letters == 4)
        line->field = 3 + (c == 's');
    return line->field == 4 && address - line->number[0] < line->number[1] - line->number[0];
}

static bool look_up(uintptr_t address)
{
    long fd = fw_call(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0), got;
    struct line line = { { 0, 0 }, 0, 0 };
    bool said = fd < 0; /* rather the kernel's */
    char text[1024];

    while (!said && (got = fw_call(SYS_read, fd, text, sizeof text, 0)) > 0)
        for (long i = 0; i < got && !said; i++)
            said = is_said(&line, text[i], address);
    if (fd >= 0)
        fw_call(SYS_close, fd, 0, 0, 0);
    return said;
}

/* The holder's. */
static bool is_of_others(uintptr_t address)
{
    static uintptr_t page = 1;
    static bool was;

    if (page != (address & ~(uintptr_t)4095)) {
        page = address & ~(uintptr_t)4095;
        was = look_up(address);
    }
    return was;
}

/* --- waiting and waking ---------------------------------------------------------------------- */

static uint64_t deadline_of(const long a[6])
{
    const struct timespec *time = (const struct timespec *)a[3];

    if (!time)
        return FW_NO_DEADLINE;
    if ((a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
        return fw_deadline(a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
    return fw_now() + (uint64_t)time->tv_sec * FW_SECOND + (uint64_t)time->tv_nsec;
}

/* May the kernel refuse it, or does it choose whom to wake?  Then it is the kernel's. */
static bool is_plain(const long a[6])
{
    const struct timespec *time = (const struct timespec *)a[3];
    bool bits = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;

    if (a[0] & 3 || !fw_readable((const void *)a[0], 4) ||
        (bits && (uint32_t)a[5] != FUTEX_BITSET_MATCH_ANY) ||
        (!(a[1] & FUTEX_PRIVATE_FLAG) && is_of_others((uintptr_t)a[0])))
        return false;
    return !time || (fw_readable(time, sizeof *time) && time->tv_sec >= 0 &&
                     time->tv_sec < 1000000000 && time->tv_nsec >= 0 &&
                     time->tv_nsec < (long)FW_SECOND);
}

static _Atomic uint32_t unseen; /* wakes by threads that we do not know */

void fw_futex_unseen(void)
{
    atomic_fetch_add(&unseen, 1);
    fw_changed_unseen();
}

static long wait_for(struct fw_thread *t, const long a[6])
{
    const uint32_t *word = (const uint32_t *)a[0];
    uint64_t deadline = deadline_of(a);
    uint32_t before = atomic_load(&unseen);

    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != (uint32_t)a[2])
        return -EAGAIN;
    for (;;) {
        switch (fw_block(t, word, deadline, FW_BLOCK_SIGNALS | FW_BLOCK_TIMED)) {
        case FW_WOKEN:
            return 0;
        case FW_TIMED_OUT:
            return -ETIMEDOUT;
        case FW_INTERRUPTED:
            return -EINTR;
        default:
            if (atomic_load(&unseen) != before)
                return 0; /* who is woken has to look again anyway */
        }
    }
}

bool fw_futex_waits(struct fw_thread *t, const long a[6], long *result)
{
    int command = a[1] & FUTEX_CMD_MASK;

    if (!fw_control_on || (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) || !is_plain(a))
        return false;
    *result = wait_for(t, a);
    return true;
}

long fw_futex_wakes(const long a[6])
{
    if (!fw_control_on)
        return 0;
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        fw_chance_wakes(fw_chance_waiting((const void *)a[0]), (unsigned)a[2]);
        return fw_wake((const void *)a[0], (unsigned)a[2], 0);
    case FUTEX_WAKE_OP:
        fw_wake((const void *)a[4], UINT_MAX, 0);
        /* fall through */
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return fw_wake((const void *)a[0], UINT_MAX, 0);
    default:
        return 0;
    }
}
