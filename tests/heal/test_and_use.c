/*
 * test_and_use.c - a number that is tested and then divided by, while another thread sets it to 0
 * now and then: the program dies of a division by 0.
 */
#include "kernel.h"

static volatile int share = 5;
static volatile long paid;

static NOINLINE int part_of(int sum)
{
    if (share != 0)
        return sum / share;
    return 0;
}

static void pay(int rounds)
{
    for (int i = 0; i < rounds; i++)
        paid = paid + part_of(100);
}

static NOINLINE void set_share(int to)
{
    share = to;
}

static void change(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        set_share(0);
        set_share(5);
    }
}

int main(int argc, char **argv)
{
    works[0] = pay;
    works[1] = change;
    run_all(argc, argv, 2, 40);
    return verdict(paid <= 20L * rounds_of_all);
}
