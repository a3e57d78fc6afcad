/*
 * starved.c - a table and its length are written under the lock, but one after the other, round
 * after round; who looks at both takes the lock as well, and has to let every round end.
 *
 *   ./starved calm|adverse
 *
 * In an adverse run the writer dwells in the middle of its rounds and begins the next one at once,
 * and the reader looks from the first of them on.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS   8
#define DWELL_NS 2000000L

static struct {
    pthread_mutex_t lock;
    int length;
    int table[ROUNDS];
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool adverse;
static atomic_int round_now;

static __attribute__((noinline)) void append(int entry)
{
    pthread_mutex_lock(&shared.lock);
    shared.length = entry;
    pthread_mutex_unlock(&shared.lock);
    atomic_store(&round_now, entry);
    if (adverse)
        nanosleep(&(struct timespec) { 0, DWELL_NS }, NULL);
    pthread_mutex_lock(&shared.lock);
    shared.table[entry - 1] = entry;
    pthread_mutex_unlock(&shared.lock);
}

static void *fill(void *unused)
{
    for (int entry = 1; entry <= ROUNDS; entry++)
        append(entry);
    return unused;
}

static __attribute__((noinline)) bool is_whole(void)
{
    int length, last = 0;

    pthread_mutex_lock(&shared.lock);
    length = shared.length;
    pthread_mutex_unlock(&shared.lock);
    pthread_mutex_lock(&shared.lock);
    if (length)
        last = shared.table[length - 1];
    pthread_mutex_unlock(&shared.lock);
    return last == length;
}

static void *look(void *whole)
{
    while (atomic_load(&round_now) < (adverse ? 1 : ROUNDS))
        nanosleep(&(struct timespec) { 0, DWELL_NS / 10 }, NULL);
    *(bool *)whole = is_whole();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t writer, reader;
    bool whole;

    adverse = argc > 1 && strcmp(argv[1], "adverse") == 0;
    pthread_create(&writer, NULL, fill, NULL);
    pthread_create(&reader, NULL, look, &whole);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    puts(whole ? "right" : "wrong");
    return !whole;
}
