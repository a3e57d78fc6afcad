/*
 * often.c - a reader that comes before what it reads was written, again and again.
 *
 *   often N        N times the writer has written before the reader comes: right
 *   often N late   N times it comes some time after the reader: wrong, unless the reader waits
 *
 * Exit status 1: it was wrong.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOTS 1000
#define LATE  50000000 /* ns: the reader has to be there by then */

static volatile int slots[SLOTS];
static _Atomic int reader_is_at, writer_is_at;
/* Both threads look at these, in any order; only the slots are to be learnt. */
static _Atomic int rounds, late;
static int wrong;

static void *writer(void *unused)
{
    for (int i = 1; i < rounds; i++) {
        while (late && atomic_load(&reader_is_at) < i)
            sched_yield();
        if (late)
            nanosleep(&(struct timespec) { 0, LATE }, NULL);
        slots[i] = i;
        atomic_store(&writer_is_at, i);
    }
    return unused;
}

static void *reader(void *unused)
{
    for (int i = 1; i < rounds; i++) {
        while (!late && atomic_load(&writer_is_at) < i)
            sched_yield();
        atomic_store(&reader_is_at, i);
        wrong += slots[i] != i;
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    rounds = argc > 1 ? atoi(argv[1]) + 1 : 2;
    rounds = rounds > SLOTS ? SLOTS : rounds;
    late = argc > 2;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}
