/*
 * control_sleep.c - who sleeps may be back at any point of the others.
 *
 * What takes some microseconds here may take as long as the sleep elsewhere.  So a strategy that
 * draws waits at a point, now and then, until the first sleeper is back and can be picked.  That
 * makes no run longer than it is when everybody waits for the sleeper in the end.
 */
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/strategy.h"

#define CHANCE 8u                 /* one point in so many */
#define LONG   (FW_SECOND / 10)   /* sleeps that nobody waits for */
#define PAUSE  (FW_SECOND / 10000)
#define LATE   (FW_SECOND / 100)  /* that it may take to come back */

uint32_t fw_control_asleep;

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

void fw_control_await_sleeper(void)
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
    while (*(volatile enum fw_state *)&first.thread->state == FW_STATE_OUTSIDE && fw_now() < late)
        rest(PAUSE);
}
