/*
 * turns.c - prints where threads took over from each other.
 *
 *     turns [near]
 *
 * Two threads go over two arrays again and again.  The second one lies a multiple of 16 MiB after
 * the first one, where the same cells remember its accesses (src/runtime/shadow.h), or not.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 5000
#define TURNS 64
#define FAR   ((uintptr_t)16 << 20)

static long first[WORDS], *second;
static volatile long last = -1, count;
static long turns[TURNS];

static void go_over(long *array)
{
    for (long i = 0; i < WORDS; i++)
        array[i]++;
}

static void *work(void *argument)
{
    long self = (long)argument;

    for (long i = 0; i < 100; i++) {
        go_over(first);
        go_over(second);
        if (last != self) {
            last = self;
            if (count < TURNS)
                turns[count++] = i;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    char *block = calloc(1, 2 * FAR);
    uintptr_t distance;
    pthread_t thread[2];

    (void)argv;
    distance = (uintptr_t)first - (uintptr_t)block + (argc > 1 ? FAR / 2 : 0);
    second = (long *)(block + distance % FAR);
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (long i = 0; i < count; i++)
        printf("%ld%c", turns[i], i + 1 < count ? ' ' : '\n');
    free(block);
}
