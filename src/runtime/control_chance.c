/*
 * control_chance.c - what no schedule decides: clocks, random numbers, and who of several is woken.
 *
 * What a program does may depend on what it reads there; that it does is told.
 */
#include "runtime/control.h"

static bool is_asked(void)
{
    return FW_UNLIKELY(fw_control_on) && fw_self && !fw_self->inside;
}

void fw_chance_clock(void)
{
    if (is_asked())
        fw_control->clocks = 1;
}

void fw_chance_random(void)
{
    if (is_asked())
        fw_control->randoms = 1;
}

/* Where trying again changes nothing, as with locks, who is first is the order in which they came,
 * which was a choice; this is for the others. */
void fw_chance_wakes(unsigned waiting, unsigned most)
{
    if (fw_control_on && waiting > most && most)
        fw_control->one_of_several = 1;
}

struct queue {
    const void *object;
    unsigned length;
};

static void count_waiting(struct fw_thread *t, void *context)
{
    struct queue *queue = context;

    queue->length += t->state == FW_STATE_BLOCKED && t->object == queue->object;
}

unsigned fw_chance_waiting(const void *object)
{
    struct queue queue = { object, 0 };

    if (!fw_control_on)
        return 0;
    fw_sched_lock();
    fw_thread_each(count_waiting, &queue);
    fw_sched_unlock();
    return queue.length;
}
