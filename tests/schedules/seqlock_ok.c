/*
 * seqlock_ok: a pair of numbers behind a sequence number, which is odd while they are being
 * changed.
 *
 * mended: looked at again; what was read in between is thrown away
 */
#include <stdatomic.h>
#include "threads.h"

static atomic_int sequence;
static atomic_int low = 1;
static atomic_int high = 1;

static void *change(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 2);
    atomic_store(&high, 2);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *read_both(void *unused)
{
    int before = atomic_load(&sequence);
    int seen_low = atomic_load(&low);
    int seen_high = atomic_load(&high);

    if (before % 2 == 0 && before == atomic_load(&sequence))
        assert(seen_low == seen_high);
    return unused;
}

int main(void)
{
    run2(read_both, change);
    return 0;
}
