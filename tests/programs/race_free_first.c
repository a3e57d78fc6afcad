/*
 * race_free_first: a block that its owner never touched is freed before another thread reads it.
 *
 * expect: race A B
 * overlap: no, free is no access here
 */
#include "program.h"

volatile long seen;

static void *use(void *argument)
{
    volatile long *block = argument;

    step_aside();
    seen = block[5]; /* @A */
    return NULL;
}

int main(void)
{
    long *block = malloc(16 * sizeof(*block));
    pthread_t thread = start(use, block);

    free(block); /* @B */
    finish(thread);
    puts("freed");
    return 0;
}
