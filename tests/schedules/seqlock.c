/*
 * seqlock: a pair of numbers behind a sequence number, which is odd while they are being changed.
 *
 * bug: the reader looks at the sequence number before it reads, and not again afterwards
 * fails-as: assertion
 * depth: 2 (changed after the first was read, before the second is)
 * preemptions: 1
 * recorded: yes
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int sequence;
static atomic_int low = 1;
static atomic_int high = 1;

static void *change(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 2); /* @bug */
    atomic_store(&high, 2); /* @bug */
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *read_both(void *unused)
{
    int before = atomic_load(&sequence);
    int seen_low = atomic_load(&low); /* @bug */
    int seen_high = atomic_load(&high); /* @bug */

    if (before % 2 == 0)
        assert(seen_low == seen_high);
    return unused;
}

int main(void)
{
    run2(read_both, change);
    return 0;
}
