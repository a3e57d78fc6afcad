/*
 * load_and_store.c - a counter, a set of bits and a maximum, each changed by a statement that
 * reads it and writes it: what others wrote in between is lost.
 */
#include "kernel.h"

static volatile unsigned long hits, bits;
static volatile long highest, lowest;

static NOINLINE void note(unsigned bit, long value)
{
    hits++;
    bits |= 1ul << bit;
    highest = highest > value ? highest : value;
    lowest -= 1;
}

static void even(int rounds)
{
    for (int i = 0; i < rounds; i++)
        note(2 * (unsigned)i % 64, 2 * i);
}

static void odd(int rounds)
{
    for (int i = 0; i < rounds; i++)
        note((2 * (unsigned)i + 1) % 64, 2 * i + 1);
}

int main(int argc, char **argv)
{
    unsigned long wanted;

    works[0] = even;
    works[1] = odd;
    run_all(argc, argv, 2, 32);
    wanted = rounds_of_all < 32 ? (1ul << 2 * rounds_of_all) - 1 : -1ul;
    printf("%lu %lx %ld %ld\n", hits, bits, highest, lowest);
    return verdict(hits == 2ul * (unsigned)rounds_of_all && bits == wanted &&
                   highest == 2 * rounds_of_all - 1 && lowest == -2L * rounds_of_all);
}
