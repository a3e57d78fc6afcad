/*
 * race_loop_variable: threads are handed the address of the loop's variable.
 *
 * expect: race A B
 */
#include "program.h"

#define THREADS 4


static void *work(void *argument)
{
    int number = *(volatile int *)argument; /* @A */

    return number > THREADS ? argument : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    volatile int i;

    i = 0;
    while (i < THREADS) {
        int now = i;

        threads[now] = start(work, (void *)&i);
        i = now + 1; /* @B */
    }
    for (int n = 0; n < THREADS; n++)
        finish(threads[n]);
    puts("started");
    return 0;
}
