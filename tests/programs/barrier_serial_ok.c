/*
 * barrier_serial_ok: the one that the barrier has chosen sums up, between two barriers.
 *
 * expect: nothing
 */
#include "program.h"

#define THREADS 3

int parts[THREADS], sum;
pthread_barrier_t barrier;

static NOINLINE void sum_up(void)
{
    int total = 0;

    for (int i = 0; i < THREADS; i++)
        total += parts[i];
    sum = total; /* @A */
}

static void *work(void *argument)
{
    int me = *(int *)argument, chosen;

    parts[me] = me;
    chosen = pthread_barrier_wait(&barrier);
    if (chosen == PTHREAD_BARRIER_SERIAL_THREAD)
        sum_up();
    pthread_barrier_wait(&barrier);
    return sum == 3 ? NULL : argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];

    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        threads[i] = start(work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        finish(threads[i]);
    printf("%d\n", sum);
    return 0;
}
