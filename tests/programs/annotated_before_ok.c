/*
 * annotated_before_ok: many threads each write a cell and say that this happens before the end;
 * whoever says to come after it comes after all of them.
 *
 * expect: nothing
 */
#include "program.h"

#include <foreweave/annotate.h>
#include <stdatomic.h>

#define MANY 40

int cells[MANY], sums[2], end;
atomic_int left = MANY;

static void *writer(void *context)
{
    int *cell = context;

    *cell = 1; /* @A */
    FOREWEAVE_HAPPENS_BEFORE(&end);
    atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed);
    return NULL;
}

static void *reader(void *context)
{
    int *sum = context;

    while (atomic_load_explicit(&left, memory_order_relaxed))
        usleep(100);
    FOREWEAVE_HAPPENS_AFTER(&end);
    for (int i = 0; i < MANY; i++)
        *sum += cells[i]; /* @B */
    return NULL;
}

int main(void)
{
    pthread_t readers[2], writers[MANY];

    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, reader, &sums[i]);
    for (int i = 0; i < MANY; i++)
        pthread_create(&writers[i], NULL, writer, &cells[i]);
    for (int i = 0; i < MANY; i++)
        pthread_join(writers[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    printf("%d\n", sums[0] + sums[1]);
    return 0;
}
