/*
 * barrier_ok: one thread writes a pair of numbers in rounds, another one reads it, with barriers
 * between.
 *
 * mended: a second barrier after reading
 */
#include "threads.h"

enum { ROUNDS = 2 };

static int low;
static int high;
static pthread_barrier_t barrier;

static void *write_rounds(void *unused)
{
    for (int round = 1; round <= ROUNDS; round++) {
        low = round;
        high = round;
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void *read_rounds(void *unused)
{
    for (int round = 1; round <= ROUNDS; round++) {
        int seen_low;
        int seen_high;

        pthread_barrier_wait(&barrier);
        seen_low = low;
        seen_high = high;
        assert(seen_low == seen_high);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run2(write_rounds, read_rounds);
    return 0;
}
