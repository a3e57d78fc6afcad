/*
 * slow.c - a total that is read, worked on for long, and written back: healing makes the threads
 * wait for each other most of the time.
 */
#include "kernel.h"

static volatile unsigned long total;

/* Some ms of work in registers. */
static NOINLINE void add_up(void)
{
    unsigned long sum = total;

    for (unsigned i = 0; i < 2000000; i++)
        __asm__ volatile("" : "+r"(sum));
    total = sum + 1;
}

static void work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        add_up();
}

int main(int argc, char **argv)
{
    works[0] = works[1] = works[2] = work;
    run_all(argc, argv, 3, 100);
    return verdict(true);
}
