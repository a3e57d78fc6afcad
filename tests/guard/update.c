/*
 * update.c - two threads add to a number, each by reading it and writing it a while later.
 *
 *   update            one after the other: right
 *   update overlap    the second one comes while the first is at it: one of the two is lost, unless
 *                     the one that would write over the other's goes back and reads again
 *
 * Nothing is called in between, so all of it can be undone.  Exit status 1: it was wrong.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <x86intrin.h>

#define LONG  30000000u /* cycles */
#define SHORT 3000000u

static int number;
static _Atomic int begun;

static __attribute__((noinline)) void add(unsigned long long cycles)
{
    int was = number;
    unsigned long long begin = __rdtsc();

    while (__rdtsc() - begin < cycles)
        ;
    number = was + 1;
}

static void *slow(void *unused)
{
    atomic_store(&begun, 1);
    add(LONG);
    return unused;
}

static void *quick(void *unused)
{
    unsigned long long begin;

    while (!atomic_load(&begun))
        ;
    begin = __rdtsc();
    while (__rdtsc() - begin < SHORT)
        ;
    add(0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    (void)argv;
    pthread_create(&one, NULL, slow, NULL);
    if (argc == 1)
        pthread_join(one, NULL);
    pthread_create(&two, NULL, quick, NULL);
    pthread_join(two, NULL);
    if (argc > 1)
        pthread_join(one, NULL);
    puts(number == 2 ? "right" : "wrong");
    return number != 2;
}
