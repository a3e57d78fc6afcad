/*
 * switched.c - has its guard switched off and on by the file that it is given, looks at its own
 * code meanwhile, and then makes an order of threads that no test has shown.
 *
 *   switched         one empties, one writes, one reads, twice: right
 *   switched FILE    before the second time: other code while the guard is off, and the same again
 *                    when it is on; then the reader comes before the writer: wrong, unless it waits
 *
 * Exit status 1: the order was wrong; 2: the code did not change as it should; 3: bad use.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 20000 /* ms */
#define BYTES    160   /* of the code that is looked at */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, seen;
/* Several threads look at these, in any order; only the value is to be learnt. */
static _Atomic int reading, late;

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static __attribute__((noinline)) void *emptier(void *unused)
{
    value = 0;
    return unused;
}

static __attribute__((noinline)) void *reader(void *unused)
{
    atomic_store(&reading, 1);
    seen = value;
    return unused;
}

static __attribute__((noinline)) void *writer(void *unused)
{
    while (late && !atomic_load(&reading))
        sleep_ms(1);
    if (late)
        sleep_ms(100);
    value = 1;
    return unused;
}

__attribute__((no_sanitize("thread"))) static uint64_t code_now(void)
{
    const volatile unsigned char *code = (const volatile unsigned char *)(uintptr_t)reader;
    uint64_t sum = 0;

    for (int i = 0; i < BYTES; i++)
        sum = sum * 31 + code[i];
    return sum;
}

/* Locks are taken meanwhile, as programs do. */
static int await_code(uint64_t code, int equal)
{
    for (int i = 0; i < PATIENCE; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        if ((code_now() == code) == equal)
            return 0;
        sleep_ms(1);
    }
    fputs(equal ? "the calls did not come back\n" : "the calls are still there\n", stderr);
    return 2;
}

static int have_switched(const char *path)
{
    uint64_t code = code_now();
    FILE *file = fopen(path, "w");

    if (!file || fclose(file) != 0)
        return 3;
    if (await_code(code, 0) || unlink(path) != 0)
        return 2;
    return await_code(code, 1);
}

static void go_round(void)
{
    pthread_t threads[2];

    atomic_store(&reading, 0);
    pthread_create(&threads[0], NULL, emptier, NULL);
    pthread_join(threads[0], NULL);
    pthread_create(&threads[0], NULL, writer, NULL);
    if (!late)
        pthread_join(threads[0], NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    if (late)
        pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
    int bad = 0;

    go_round();
    for (int i = 0; argc > 1 && i < 3 && !bad; i++)
        bad = have_switched(argv[1]);
    if (bad)
        return bad;
    late = argc > 1;
    go_round();
    puts(seen ? "right" : "wrong");
    return !seen;
}
