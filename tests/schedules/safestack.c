/*
 * safestack: a lock-free stack of numbered places; three threads take a place, use it and give
 * it back.
 * (The hardest of the published ones; a thread that finds the top in use yields, and tries twice.)
 *
 * bug: a thread that loses the race for the top puts the successor back that it had seen, though
 * the place may have been given back with another one: a place can be had twice
 * fails-as: assertion
 * depth: 8 (one more than preemptions)
 * preemptions: 7 (by a search of all states of a model of it)
 * recorded: no (the exchanges synchronise)
 */
#include <stdatomic.h>
#include "threads.h"

enum { PLACES = 3, ROUNDS = 2, TRIES = 2, NONE = -1 }; /* NONE: the last place, or taken */

static atomic_int next[PLACES] = { 1, 2, NONE };
static atomic_int top;
static atomic_int left = PLACES;
static atomic_int users[PLACES];

static int try_take(void)
{
    int place = atomic_load(&top); /* @bug */
    int below = atomic_exchange(&next[place], NONE); /* @bug */

    if (below == NONE)
        return NONE;
    if (atomic_compare_exchange_strong(&top, &(int) { place }, below)) { /* @bug */
        atomic_fetch_sub(&left, 1);
        return place;
    }
    atomic_exchange(&next[place], below); /* @bug */
    return NONE;
}

static int take(void)
{
    int place = NONE;

    for (int i = 0; i < TRIES && place == NONE && atomic_load(&left) > 1; i++)
        if ((place = try_take()) == NONE)
            sched_yield();
    return place;
}

static void give_back(int place)
{
    int old;

    old = atomic_load(&top);
    do
        atomic_store(&next[place], old);
    while (!atomic_compare_exchange_strong(&top, &old, place)); /* @bug */
    atomic_fetch_add(&left, 1);
}

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int place = take();

        if (place == NONE)
            continue;
        assert(atomic_fetch_add(&users[place], 1) == 0);
        atomic_fetch_sub(&users[place], 1);
        give_back(place);
    }
    return unused;
}

int main(void)
{
    run3(work, work, work);
    return 0;
}
