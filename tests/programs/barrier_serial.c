/*
 * barrier_serial: everybody does what only the serial thread should do.
 *
 * expect: race A A
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
    sum_up();
    pthread_barrier_wait(&barrier);
    return chosen > 0 ? argument : NULL;
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
