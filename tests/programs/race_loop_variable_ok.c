/*
 * race_loop_variable_ok: each thread is handed the address of its own number: creating a thread
 * publishes what was written before, joining it what the thread wrote.
 *
 * expect: nothing
 */
#include "program.h"

#define THREADS 4

int seen[THREADS];

static void *work(void *argument)
{
    int number = *(volatile int *)argument; /* @A */

    seen[number] = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], sum = 0;

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        threads[i] = start(work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        finish(threads[i]);
        sum += seen[i];
    }
    printf("%d\n", sum);
    return 0;
}
