/*
 * store_buffer_ok: each of two threads raises its flag and looks at the other's; whoever sees
 * none goes in.
 * (Holds for sequentially consistent memory.)
 *
 * mended: first the flag, then the look
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int flag_one;
static atomic_int flag_two;
static int went_in[2];

static int enter(atomic_int *mine, atomic_int *other)
{
    int seen;

    atomic_store(mine, 1);
    seen = atomic_load(other);
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
