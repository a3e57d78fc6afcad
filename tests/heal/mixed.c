/*
 * mixed.c - a sum that is changed under a mutex, but for one place that was forgotten: what it
 * writes, or what was written between its load and its store, is lost.
 */
#include "kernel.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;

static NOINLINE void add(long amount)
{
    pthread_mutex_lock(&mutex);
    sum += amount;
    pthread_mutex_unlock(&mutex);
}

static NOINLINE void forget(long amount)
{
    sum += amount;
}

static void careful(int rounds)
{
    for (int i = 0; i < rounds; i++)
        add(1);
}

/* Long times in which nobody forgets, and short ones. */
static void careless(int rounds)
{
    for (int i = 0; i < rounds; i++)
        (i % 64 < 8 ? forget : add)(100);
}

int main(int argc, char **argv)
{
    works[0] = works[1] = careful;
    works[2] = careless;
    run_all(argc, argv, 3, 24);
    printf("%ld\n", sum);
    return verdict(sum == 102L * rounds_of_all);
}
