/*
 * producer_consumer_ok: a bounded queue with two producers and a consumer.
 *
 * expect: nothing
 */
#include "program.h"

#define ITEMS 8
#define SLOTS 3

int queue[SLOTS], first, used, puts_done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static NOINLINE void put(int item)
{
    pthread_mutex_lock(&lock);
    while (used == SLOTS)
        pthread_cond_wait(&not_full, &lock);
    queue[(first + used) % SLOTS] = item;
    used++;
    puts_done++; /* @A */
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static NOINLINE int take(void)
{
    int item;

    pthread_mutex_lock(&lock);
    while (used == 0)
        pthread_cond_wait(&not_empty, &lock);
    item = queue[first];
    first = (first + 1) % SLOTS;
    used--;
    pthread_cond_broadcast(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return unused;
}

int main(void)
{
    pthread_t one = start(produce, NULL);
    pthread_t two = start(produce, NULL);
    int sum = 0;

    for (int i = 0; i < 2 * ITEMS; i++)
        sum += take();
    finish(one);
    finish(two);
    printf("%d %d\n", sum, puts_done);
    return 0;
}
