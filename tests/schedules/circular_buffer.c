/*
 * circular_buffer: one thread fills a ring, another one empties it; the indices belong to one
 * each, the count to both.
 *
 * bug: the count is changed by a load and a store: an insertion overwrites a removal, or the
 * other way round
 * fails-as: assertion
 * depth: 2 (one reads the count before the other writes it, and writes it after)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

enum { SIZE = 4, ITEMS = 3 };

static atomic_int ring[SIZE] = { 1 };
static atomic_int count = 1;
static int taken;

static void add(int change)
{
    int before = atomic_load_explicit(&count, memory_order_relaxed); /* @bug */

    atomic_store_explicit(&count, before + change, memory_order_relaxed); /* @bug */
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
