/*
 * control_expire.c - waits with a limit: that it has passed is for the strategy to say.
 *
 * What takes some microseconds here may take as long as any limit elsewhere: so a thread that waits
 * with a limit, or sleeps, may go on at any point of the others, and the clocks say then that the
 * time has passed.  The controller says up to which length limits are chosen so; longer ones pass
 * as time does.
 *
 * Fair: whose limit has passed is not chosen again until all who could run have run.  Where nobody
 * can run but when time passes it does at once, unless somebody out of sight may act before: a
 * thread in the kernel, a child, a timer.  A limit passes by itself when nobody runs, or when the
 * program has executed for long since it was over and the strategy has never said so.  (Executed: a
 * machine that lets nobody run for a second must not decide anything.)
 */
#include "runtime/channel.h"
#include "runtime/control.h"
#include "runtime/futex.h"
#include "runtime/strategy.h"

#define CHANCE   8u        /* strategies that draw: one point in so many */
#define AGAIN    (FW_SECOND / 500) /* until it looks once more whether its wait ends by itself */
#define PATIENCE FW_SECOND /* of processor time, behind a limit, until its wait ends by itself */

uint32_t fw_control_expiring;

bool fw_control_times(uint64_t nanoseconds)
{
    if (!fw_control_on)
        return false;
    return fw_control_is_virtual() ||
           (nanoseconds <= fw_control->timeouts && fw_control->timeouts &&
            !fw_channel_has_children());
}

/* --- a wait ---------------------------------------------------------------------------------- */

void fw_expiry_begin(struct fw_thread *t)
{
    uint64_t now = fw_now(), limit = t->deadline > now ? t->deadline - now : 0;

    t->plan.limit = limit;
    if (!fw_control->timeouts || limit > fw_control->timeouts) {
        fw_control->longer |= !fw_control_alone();
        return;
    }
    t->plan.expires = true;
    fw_control->limits |= !fw_control_alone();
    t->plan.over = now - fw_control_ahead + limit;
    t->plan.patience = 0;
    fw_control_expiring++;
}

void fw_expiry_end(struct fw_thread *t, bool has_passed)
{
    fw_control_expiring--;
    t->plan.expires = false;
    t->plan.expired = has_passed;
}

uint64_t fw_expiry_left(const struct fw_thread *t, uint64_t deadline)
{
    enum fw_state state = *(const volatile enum fw_state *)&t->state;
    uint64_t now;

    if (deadline == FW_NO_DEADLINE || state != FW_STATE_BLOCKED)
        return UINT64_MAX;
    now = fw_now();
    return deadline > now ? deadline - now : t->plan.expires ? AGAIN : 0;
}

/* The processor time of the whole program, in ns. */
static uint64_t executed(void)
{
    struct timespec time;

    fw_call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time, 0, 0);
    return (uint64_t)time.tv_sec * FW_SECOND + (uint64_t)time.tv_nsec;
}

bool fw_expiry_passes(struct fw_thread *t, bool nobody_runs)
{
    if (!t->plan.expires || nobody_runs)
        return true;
    if (fw_now() - fw_control_ahead < t->plan.over)
        return false;
    if (!t->plan.patience)
        t->plan.patience = executed() + PATIENCE;
    return executed() >= t->plan.patience;
}

void fw_control_expire(struct fw_thread *t, struct fw_list *ready)
{
    uint64_t now = fw_now();

    if (t->deadline > now)
        fw_control_ahead += t->deadline - now;
    fw_list_remove(&t->link);
    fw_expiry_end(t, true);
    fw_control_progress();
    t->woken = FW_TIMED_OUT;
    t->state = FW_STATE_READY;
    fw_list_append(ready, &t->link);
}

/* --- choosing -------------------------------------------------------------------------------- */

struct search {
    bool any; /* also those that are not due */
    struct fw_thread *first, *drawn;
    uint64_t count;
};

static void look_at(struct fw_thread *t, void *context)
{
    struct search *search = context;

    if (!t->plan.expires || !(search->any || t->plan.due))
        return;
    if (!search->first || t->deadline < search->first->deadline)
        search->first = t;
    if (fw_strategy_below(++search->count) == 0)
        search->drawn = t;
}

static bool draws(void)
{
    return fw_control->strategy >= FW_STRATEGY_RANDOM && fw_control->strategy <= FW_STRATEGY_POS;
}

struct fw_thread *fw_expiry_draw(void)
{
    struct search search = { .any = false };

    if (!fw_control_expiring || !draws() || fw_strategy_below(CHANCE) != 0)
        return NULL;
    fw_thread_each(look_at, &search);
    return search.drawn;
}

struct fw_thread *fw_expiry_due(void)
{
    struct search search = { .any = false };

    if (fw_control_expiring)
        fw_thread_each(look_at, &search);
    return search.first;
}

struct fw_thread *fw_expiry_first(void)
{
    struct search search = { .any = true };

    if (fw_control_expiring)
        fw_thread_each(look_at, &search);
    return draws() && fw_strategy_below(2) ? search.drawn : search.first;
}
