/*
 * safestack_ok: a lock-free stack of numbered places; three threads take a place, use it and
 * give it back.
 * (The hardest of the published ones; a thread that finds the top in use yields, and tries twice.)
 *
 * mended: a lock around taking and giving back
 */
#include <stdatomic.h>
#include "threads.h"

enum { PLACES = 3, ROUNDS = 2, TRIES = 2, NONE = -1 }; /* NONE: the last place, or taken */

static atomic_int next[PLACES] = { 1, 2, NONE };
static atomic_int top;
static atomic_int left = PLACES;
static atomic_int users[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int try_take(void)
{
    int place = atomic_load(&top);
    int below = atomic_exchange(&next[place], NONE);

    if (below == NONE)
        return NONE;
    if (atomic_compare_exchange_strong(&top, &(int) { place }, below)) {
        atomic_fetch_sub(&left, 1);
        return place;
    }
    atomic_exchange(&next[place], below);
    return NONE;
}

static int take(void)
{
    int place = NONE;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < TRIES && place == NONE && atomic_load(&left) > 1; i++)
        if ((place = try_take()) == NONE)
            sched_yield();
    pthread_mutex_unlock(&lock);
    return place;
}

static void give_back(int place)
{
    int old;

    pthread_mutex_lock(&lock);
    old = atomic_load(&top);
    do
        atomic_store(&next[place], old);
    while (!atomic_compare_exchange_strong(&top, &old, place));
    atomic_fetch_add(&left, 1);
    pthread_mutex_unlock(&lock);
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
