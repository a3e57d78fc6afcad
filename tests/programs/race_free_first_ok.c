/*
 * race_free_first_ok: the block is freed when the thread that reads it has ended.
 *
 * expect: nothing
 */
#include "program.h"

volatile long seen;

static void *use(void *argument)
{
    volatile long *block = argument;

    step_aside();
    seen = block[5];
    return NULL;
}

int main(void)
{
    long *block = malloc(16 * sizeof(*block));
    pthread_t thread = start(use, block);
    finish(thread);
    free(block);
    puts("freed");
    return 0;
}
