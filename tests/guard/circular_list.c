/*
 * circular_list: units of work are taken from the head of a list, worked on, and put to its tail;
 * another thread's unit may get ahead in between.
 *
 * kind: atomicity
 */
#include "kernel.h"

#define UNITS 3

struct {
    pthread_mutex_t lock;
    unsigned head, tail;
    int units[4 * UNITS];
} shared = { PTHREAD_MUTEX_INITIALIZER, 0, UNITS, { 0, 1, 2 } };

static NOINLINE int take(void)
{
    int unit;

    pthread_mutex_lock(&shared.lock);
    unit = shared.units[shared.head++];
    pthread_mutex_unlock(&shared.lock);
    return unit;
}

static NOINLINE void put(int unit)
{
    pthread_mutex_lock(&shared.lock);
    shared.units[shared.tail++] = unit;
    pthread_mutex_unlock(&shared.lock);
}

static NOINLINE void process(bool slow)
{
    int unit = take();

    if (slow)
        hold();
    put(unit);
}

static void one(void)
{
    process(true);
}

static void other(void)
{
    meanwhile();
    process(false);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    run_two(one, other);
    for (unsigned i = shared.head; i + 1 < shared.tail; i++)
        if (shared.units[i + 1] != (shared.units[i] + 1) % UNITS)
            return verdict(false);
    return verdict(true);
}
