/*
 * prodcons.c - producers and consumers around a bounded queue.
 *
 *     prodcons [ITEMS [ROUNDS [ROOM [THREADS]]]]
 *
 * Half of the threads (at least one) make items and put them into the queue, the others take them
 * out, work on them for some rounds and add up what comes out.  The queue has one lock and two
 * conditions.
 */
#include "program.h"

struct item {
    long number;
    uint64_t seed;
};

static long items, rounds, room, producers, consumers;
static struct item *queue;
static long first, length, finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint64_t sums[MAX_THREADS];
static long taken[MAX_THREADS];

static void put(struct item item)
{
    pthread_mutex_lock(&lock);
    while (length == room)
        pthread_cond_wait(&not_full, &lock);
    queue[(first + length) % room] = item;
    length++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

/* Nothing comes any more: 0. */
static int take(struct item *item)
{
    pthread_mutex_lock(&lock);
    while (!length && finished < producers)
        pthread_cond_wait(&not_empty, &lock);
    if (!length) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    *item = queue[first];
    first = (first + 1) % room;
    length--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return 1;
}

static void finish(void)
{
    pthread_mutex_lock(&lock);
    finished++;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void produce(long self)
{
    uint64_t state = (uint64_t)self + 1;

    for (long i = self; i < items; i += producers)
        put((struct item) { i, random_next(&state) | 1 });
    finish();
}

static void consume(long self)
{
    struct item item;

    while (take(&item)) {
        uint64_t sum = (uint64_t)item.number;

        for (long round = 0; round < rounds; round++)
            sum = checksum_add(sum, random_next(&item.seed));
        sums[self] += sum;
        taken[self]++;
    }
}

static void *work(void *argument)
{
    long self = (long)argument;

    if (self < producers)
        produce(self);
    else
        consume(self);
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    long total = 0, threads;

    items = argument(argc, argv, 1, 1, 500000);
    rounds = argument(argc, argv, 2, 0, 100);
    room = argument(argc, argv, 3, 1, 32);
    threads = argument(argc, argv, 4, 2, 4);
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    producers = threads / 2;
    consumers = threads - producers;
    queue = allocate((size_t)room, sizeof *queue);
    run_threads(threads, work);
    for (long i = 0; i < producers + consumers; i++) {
        sum += sums[i];
        total += taken[i];
    }
    free(queue);
    return report("prodcons", total == items, sum);
}
