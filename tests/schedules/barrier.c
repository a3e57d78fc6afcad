/*
 * barrier: one thread writes a pair of numbers in rounds, another one reads it, with barriers
 * between.
 *
 * bug: the writer begins its next round while the reader may still be reading
 * fails-as: assertion
 * depth: 2 (written after one number was read and before the other one is)
 * preemptions: 1
 * recorded: yes
 */
#include "threads.h"

enum { ROUNDS = 2 };

static int low;
static int high;
static pthread_barrier_t barrier;

static void *write_rounds(void *unused)
{
    for (int round = 1; round <= ROUNDS; round++) {
        low = round; /* @bug */
        high = round; /* @bug */
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
        seen_low = low; /* @bug */
        seen_high = high; /* @bug */
        assert(seen_low == seen_high);
    }
    return unused;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run2(write_rounds, read_rounds);
    return 0;
}
