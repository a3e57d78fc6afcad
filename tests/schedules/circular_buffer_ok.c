/*
 * circular_buffer_ok: one thread fills a ring, another one empties it; the indices belong to one
 * each, the count to both.
 *
 * mended: the count is changed at once
 */
#include <stdatomic.h>
#include "threads.h"

enum { SIZE = 4, ITEMS = 3 };

static atomic_int ring[SIZE] = { 1 };
static atomic_int count = 1;
static int taken;

static void add(int change)
{
    atomic_fetch_add(&count, change);
}

static void *fill(void *unused)
{
    for (int i = 1; i < ITEMS; i++) {
        ring[i % SIZE] = i + 1;
        add(1);
    }
    return unused;
}

static void *empty(void *unused)
{
    for (int tries = 0; tries < ITEMS; tries++)
        if (atomic_load(&count) > 0) {
            taken++;
            assert(ring[(taken - 1) % SIZE] == taken);
            add(-1);
        }
    return unused;
}

int main(void)
{
    run2(fill, empty);
    assert(count == ITEMS - taken);
    return 0;
}
