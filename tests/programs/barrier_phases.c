/*
 * barrier_phases: there is no barrier between the second phase and the third.
 *
 * expect: race A B
 */
#include "program.h"

int left[2], right[2];
pthread_barrier_t barrier;

static void *phases(void *argument)
{
    int me = *(int *)argument;

    left[me] = me + 1;
    pthread_barrier_wait(&barrier);
    right[me] = left[1 - me]; /* @A */
    left[me] = 10; /* @B */
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    int numbers[2] = { 0, 1 };
    pthread_t one, two;

    pthread_barrier_init(&barrier, NULL, 2);
    one = start(phases, &numbers[0]);
    two = start(phases, &numbers[1]);
    finish(one);
    finish(two);
    pthread_barrier_destroy(&barrier);
    printf("%d\n", left[0] + left[1]);
    return 0;
}
