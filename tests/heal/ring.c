/*
 * ring.c - a ring of one producer and one consumer, who wait in loops for what the other writes.
 * Both counters lie in one word, and each loop begins two sections anew in every round: one of them
 * is always open, and so the lock of the word would never be given to who is waited for.
 */
#include <pthread.h>
#include <stdio.h>

#define ITEMS 100
#define ROOM  4u

static struct {
    _Alignas(8) volatile unsigned head;
    volatile unsigned tail;
} ring;
static long items[ROOM], sum;
static unsigned most, least = ROOM; /* that there was room for, and that lay there */

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        while (ring.head -
                   ring.tail == ROOM)
            ;
        if (ring.head - ring.tail > most)
            most = ring.head - ring.tail;
        items[ring.head % ROOM] = i;
        __asm__ volatile("" ::: "memory");
        ring.head = ring.head + 1;
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        while (ring.head ==
               ring.tail)
            ;
        if (ring.head - ring.tail < least)
            least = ring.head - ring.tail;
        __asm__ volatile("" ::: "memory");
        sum += items[ring.tail % ROOM];
        ring.tail = ring.tail + 1;
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&consumer, NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    puts(sum == ITEMS * (ITEMS - 1) / 2 && most < ROOM && least ? "right" : "wrong");
    return 0;
}
