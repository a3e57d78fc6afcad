/*
 * Functions that are inlined into a loop: the calls of one are different activations, also where nothing tells of that.
 *
 *   apart   a call reads or writes, never both: no section from the read to the write is ever open
 *   maybe   a call reads, and writes perhaps; all of it has the lock
 *   whole   a call reads and writes, each with the lock: others come between
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile long total, seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both; /* are there before one of them begins */

static inline __attribute__((always_inline)) void apart(int write)
{
    if (!write) {
        seen = total; // @apart-load
        return;
    }
    total = 5; // @apart-store
}

static inline __attribute__((always_inline)) void maybe(long write)
{
    long now = total; // @maybe-load

    if (now % 3 == write)
        return;
    total = now + 1; // @maybe-store
}

static inline __attribute__((always_inline)) void whole(void)
{
    long now;

    pthread_mutex_lock(&mutex);
    now = total; // @whole-load
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    total = now + 1; // @whole-store
    pthread_mutex_unlock(&mutex);
}

static void *run_apart(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        apart(i & 1);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *run_maybe(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        maybe(i % 3);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *run_whole(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 100; i++)
        whole();
    return unused;
}

static void *disturb(void *unused)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        total = i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t one, two;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&one, NULL,
                   strcmp(what, "apart") == 0   ? run_apart
                   : strcmp(what, "maybe") == 0 ? run_maybe
                                                : run_whole,
                   NULL);
    pthread_create(&two, NULL, disturb, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
