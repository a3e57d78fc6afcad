/*
 * crowd.c - a hundred threads that want the same total, each for some milliseconds: the last of
 * them waits for all the others, and for none of them long.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 100
#define ROUNDS  2

static volatile unsigned long total;
static pthread_barrier_t start_line;

static __attribute__((noinline)) void add_up(void)
{
    unsigned long sum = total;

    for (unsigned i = 0; i < 1000000; i++)
        __asm__ volatile("" : "+r"(sum));
    total = sum + 1;
}

static void *work(void *unused)
{
    pthread_barrier_wait(&start_line);
    for (int i = 0; i < ROUNDS; i++)
        add_up();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&start_line, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts(total == THREADS * ROUNDS ? "right" : "wrong");
    return total != THREADS * ROUNDS;
}
