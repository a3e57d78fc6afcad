/*
 * copy.c - a total that is copied as a whole, changed and copied back: what another thread copies
 * back in between is lost.  Hooks of both sides of a copy come before it, by gcc.
 */
#include "kernel.h"

struct total {
    long sum;
};

static struct total total, copies[MOST];

static NOINLINE void add(struct total *mine)
{
    *mine = total;
    mine->sum++;
    total = *mine;
}

static void work(int rounds)
{
    static int started;
    struct total *mine = &copies[__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED)];

    for (int i = 0; i < rounds; i++)
        add(mine);
}

int main(int argc, char **argv)
{
    works[0] = works[1] = works[2] = work;
    run_all(argc, argv, 3, 24);
    printf("%ld\n", total.sum);
    return verdict(total.sum == 3L * rounds_of_all);
}
