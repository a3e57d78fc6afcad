/*
 * order.c - a section with a mutex inside it, and another thread that comes to the section's
 * variable meanwhile.
 *
 *   order forced    the other has the mutex then: with a lock around the section the two would wait
 *                   for each other for ever
 *   order           the other has nothing: it waits for the section's end
 *
 * Prints what the variable is in the end: 11, unless the other's change was lost.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile long total;
static _Atomic int forced, inside, is_there;

static NOINLINE void add(void)
{
    long seen = total;
    atomic_store(&inside, 1);
    while (!atomic_load(&is_there))
        sched_yield();
    pthread_mutex_lock(&mutex);
    seen += 1;
    pthread_mutex_unlock(&mutex);
    total = seen;
}

static void *other(void *unused)
{
    while (!atomic_load(&inside))
        sched_yield();
    if (atomic_load(&forced))
        pthread_mutex_lock(&mutex);
    atomic_store(&is_there, 1);
    total = total + 10;
    if (atomic_load(&forced))
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    (void)argv;
    forced = argc > 1;
    pthread_create(&thread, NULL, other, NULL);
    add();
    pthread_join(thread, NULL);
    printf("%ld\n", total);
    return 0;
}
