/*
 * control_chance.c - what no schedule decides: clocks, random numbers, other processes, who of
 * several is woken, and the like.
 *
 * What a program does may depend on what it reads there; that it does is told.
 */
#include "runtime/control.h"
#include "runtime/intercept.h"
#include "runtime/signals.h"

#include <string.h>

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

void fw_chance(enum fw_control_chance what)
{
    if (is_asked())
        fw_control->chances |= what;
}

void fw_chance_heap(const struct fw_thread *t)
{
    static uint32_t first; /* 1 + number of the one that did so when there were others */

    if (FW_LIKELY(!fw_control_on) || !t || fw_control_alone())
        return;
    if (first && first != t->number + 1)
        fw_control->chances |= FW_CHANCE_ADDRESSES;
    first = t->number + 1;
}

static bool begins(const char *path, const char *folder)
{
    size_t length = fw_text_length(folder);

    return REAL(strncmp)(path, folder, length) == 0;
}

void fw_chance_file(const char *path)
{
    if (!fw_control_on || !fw_self || !fw_readable_text(path))
        return;
    if (begins(path, "/dev/urandom") || begins(path, "/dev/random") || begins(path, "/dev/hwrng"))
        fw_control->randoms = 1;
    else if (begins(path, "/proc/") || begins(path, "/sys/"))
        fw_control->chances |= FW_CHANCE_SYSTEM;
}

void fw_chance_signal(int number)
{
    struct sigaction action;

    if (is_asked() && !fw_control_alone() && fw_signals_action(number, NULL, &action) == 0 &&
        action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
        fw_control->chances |= FW_CHANCE_SIGNALS;
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
