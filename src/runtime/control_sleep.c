/*
 * control_sleep.c - who sleeps may be back at any point of the others; who was woken is.
 *
 * A thread that waits in the kernel for what another one does (for a pipe, say) takes some time to
 * come back.  The other one waits for it at its next point, so that it can be picked there and not
 * somewhere later, in every run.
 *
 * Sleepers: what takes some microseconds here may take as long as the sleep elsewhere.  So a
 * strategy that draws waits at a point, now and then, until the first sleeper is back and can be
 * picked.  That makes no run longer than it is when everybody waits for the sleeper in the end.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/strategy.h"

#define CHANCE 8u                 /* one point in so many */
#define LONG   (FW_SECOND / 10)   /* sleeps that nobody waits for */
#define PAUSE  (FW_SECOND / 10000)
#define LATE   (FW_SECOND / 100)  /* that it may take to come back */
#define MOST   16u                /* threads that are looked at */

uint32_t fw_control_asleep;
bool fw_control_stirred;

struct first {
    struct fw_thread *thread;
    uint64_t until;
};

static void look_at(struct fw_thread *t, void *context)
{
    struct first *first = context;

    if (t->state == FW_STATE_OUTSIDE && t->asleep_until && t->asleep_until < first->until)
        *first = (struct first){ t, t->asleep_until };
}

static void rest(uint64_t nanoseconds)
{
    struct timespec time = { (time_t)(nanoseconds / FW_SECOND), (long)(nanoseconds % FW_SECOND) };

    fw_call(SYS_nanosleep, &time, 0, 0, 0);
}

static bool is_outside(struct fw_thread *t)
{
    return *(volatile enum fw_state *)&t->state == FW_STATE_OUTSIDE;
}

static void await_sleeper(void)
{
    struct first first = { NULL, fw_now() + LONG };
    uint64_t late;

    if (fw_control->strategy == FW_STRATEGY_NONE || fw_control->strategy >= FW_STRATEGY_CHOICES ||
        fw_strategy_below(CHANCE) != 0)
        return;
    fw_sched_lock();
    fw_thread_each(look_at, &first);
    fw_sched_unlock();
    if (!first.thread)
        return;
    late = first.until + LATE;
    if (first.until > fw_now())
        rest(first.until - fw_now());
    while (is_outside(first.thread) && fw_now() < late)
        rest(PAUSE);
}

/* --- who was woken --------------------------------------------------------------------------- */

struct some {
    struct fw_thread *at[MOST];
    unsigned count;
};

static void add_outside(struct fw_thread *t, void *context)
{
    struct some *some = context;

    if (t->state == FW_STATE_OUTSIDE && !t->asleep_until && !t->lost && some->count < MOST)
        some->at[some->count++] = t;
}

static void await_woken(void)
{
    struct some some = { .count = 0 };
    uint64_t late = fw_now() + LATE;

    fw_control_stirred = false;
    fw_sched_lock();
    fw_thread_each(add_outside, &some);
    fw_sched_unlock();
    for (unsigned i = 0; i < some.count; i++)
        while (is_outside(some.at[i]) && !fw_watchdog_in_kernel(some.at[i]) && fw_now() < late)
            rest(PAUSE / 10);
}

void fw_control_await(void)
{
    if (fw_control_asleep)
        await_sleeper();
    if (fw_control_stirred)
        await_woken();
}
