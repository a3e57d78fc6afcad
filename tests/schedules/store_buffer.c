/*
 * store_buffer: each of two threads raises its flag and looks at the other's; whoever sees none
 * goes in.
 * (Holds for sequentially consistent memory.)
 *
 * bug: the look comes before the flag is raised
 * fails-as: assertion
 * depth: 2 (each looks before the other raises its flag)
 * preemptions: 1
 * recorded: no (a flag that was seen must be seen again)
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int flag_one;
static atomic_int flag_two;
static int went_in[2];

static int enter(atomic_int *mine, atomic_int *other)
{
    int seen;

    seen = atomic_load(other); /* @bug */
    atomic_store(mine, 1); /* @bug */
    return !seen;
}

static void *one(void *unused)
{
    went_in[0] = enter(&flag_one, &flag_two);
    return unused;
}

static void *two(void *unused)
{
    went_in[1] = enter(&flag_two, &flag_one);
    return unused;
}

int main(void)
{
    run2(one, two);
    assert(went_in[0] + went_in[1] <= 1);
    return 0;
}
