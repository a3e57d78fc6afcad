/*
 * radix.c - parallel radix sort.
 *
 *     radix [KEYS [BITS-OF-A-DIGIT [THREADS]]]
 *
 * For each digit every thread counts the digits of its part of the keys, the counts are added up
 * so that each thread knows where its keys of each digit go, and the keys are moved from one array
 * to the other.  Barriers stand between the three.
 */
#include "program.h"

#define KEY_BITS 24

static long count, bits, threads;
static uint32_t *keys, *other;
static long *counts; /* by thread, then digit; after adding up: places */
static pthread_barrier_t barrier;

static long digit_of(uint32_t key, int shift)
{
    return (key >> shift) & ((1L << bits) - 1);
}

static void count_digits(long self, const uint32_t *from, int shift)
{
    long *mine = counts + (self << bits);

    for (long digit = 0; digit < 1L << bits; digit++)
        mine[digit] = 0;
    for (long i = self * count / threads; i < (self + 1) * count / threads; i++)
        mine[digit_of(from[i], shift)]++;
}

/* Where the keys of each digit go: behind those of lower digits and of earlier threads. */
static void place_digits(long self, long *places)
{
    long sum = 0;

    for (long digit = 0; digit < 1L << bits; digit++)
        for (long t = 0; t < threads; t++) {
            if (t == self)
                places[digit] = sum;
            sum += counts[(t << bits) + digit];
        }
}

static void move_keys(long self, const uint32_t *from, uint32_t *to, long *places, int shift)
{
    for (long i = self * count / threads; i < (self + 1) * count / threads; i++)
        to[places[digit_of(from[i], shift)]++] = from[i];
}

static void fill(long self)
{
    uint64_t state = (uint64_t)self * 0x9e3779b97f4a7c15u + 1;

    for (long i = self * count / threads; i < (self + 1) * count / threads; i++)
        keys[i] = (uint32_t)(random_next(&state) >> (64 - KEY_BITS));
}

static void *work(void *argument)
{
    long self = (long)argument;
    long *places = allocate((size_t)1 << bits, sizeof *places);
    uint32_t *from = keys, *to = other, *swap;

    fill(self);
    for (int shift = 0; shift < KEY_BITS; shift += (int)bits) {
        count_digits(self, from, shift);
        pthread_barrier_wait(&barrier);
        place_digits(self, places);
        move_keys(self, from, to, places, shift);
        pthread_barrier_wait(&barrier);
        swap = from;
        from = to;
        to = swap;
    }
    free(places);
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    int good = 1;

    count = argument(argc, argv, 1, 1, 8000000);
    bits = argument(argc, argv, 2, 1, 8);
    threads = argument(argc, argv, 3, 1, 4);
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    keys = allocate((size_t)count, sizeof *keys);
    other = allocate((size_t)count, sizeof *other);
    counts = allocate((size_t)threads << bits, sizeof *counts);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    run_threads(threads, work);
    pthread_barrier_destroy(&barrier);

    const uint32_t *sorted = (KEY_BITS + bits - 1) / bits % 2 ? other : keys;

    for (long i = 0; i < count; i++) {
        good &= !i || sorted[i - 1] <= sorted[i];
        sum = checksum_add(sum, sorted[i]);
    }
    free(keys);
    free(other);
    free(counts);
    return report("radix", good, sum);
}
