/*
 * race_array: two threads share out an array, but both do the element in the middle.
 *
 * expect: race A A
 */
#include "program.h"

int squares[32];

struct range {
    int from, to;
};

static void *fill(void *argument)
{
    const struct range *range = argument;

    for (int i = range->from; i < range->to; i++)
        squares[i] = i * i; /* @A */
    return NULL;
}

int main(void)
{
    struct range low = { 0, 17 }, high = { 16, 32 };
    pthread_t one = start(fill, &low);
    pthread_t two = start(fill, &high);
    int sum = 0;

    finish(one);
    finish(two);
    for (int i = 0; i < 32; i++)
        sum += squares[i];
    printf("%d\n", sum);
    return 0;
}
